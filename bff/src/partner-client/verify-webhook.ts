import { createHmac, timingSafeEqual } from "node:crypto";
import { type WebhookEvent, webhookEventKindSchema, webhookEventSchema } from "../contract/webhook-events.ts";

/** Thrown when a webhook is not the service's: the signature is missing, malformed, or of another body or secret. */
export class WebhookSignatureMismatch extends Error {
  override name = "WebhookSignatureMismatch";
}

/**
 * Checks the signature of a webhook over its **raw** body and returns the event; null for one that is ours and of a kind that this
 * version does not know, as a test of the endpoint or a kind that came later: answer 2xx and pass over it. `signature` is the value
 * of `X-Service-Signature` (`sha256={hex}`). Process the event idempotently by its `event_id`.
 */
export function verifyWebhook(
  rawBody: Uint8Array,
  signature: string | null | undefined,
  secret: string,
): WebhookEvent | null {
  const hex = /^sha256=([0-9a-f]{64})$/.exec(signature ?? "")?.[1];
  const expected = createHmac("sha256", secret).update(rawBody).digest();
  if (hex === undefined || !timingSafeEqual(Buffer.from(hex, "hex"), expected)) {
    throw new WebhookSignatureMismatch("the webhook's signature does not match its body");
  }
  const event: unknown = JSON.parse(new TextDecoder().decode(rawBody));
  return isKnown(event) ? webhookEventSchema.parse(event) : null;
}

function isKnown(event: unknown): boolean {
  return (
    typeof event === "object" &&
    event !== null &&
    "event" in event &&
    webhookEventKindSchema.safeParse(event.event).success
  );
}
