import { timingSafeEqual } from "node:crypto";
import type { WebhookEvent } from "./answers.ts";
import { signBody, signWebhook } from "./sign-webhook.ts";

/**
 * Thrown when a webhook is not the service's or is too old. Its signature is missing, malformed, or made for another
 * body or secret, or it was sent more than five minutes ago. Answer 401.
 */
export class WebhookSignatureMismatch extends Error {
  override name = "WebhookSignatureMismatch";
}

/** A request's headers, as Node, Fetch or a framework provides them. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * How far the time of sending may differ from now. Each attempt has a fresh signature, so even a late attempt has a
 * recent time.
 */
const TOLERANCE_MS = 5 * 60_000;

/**
 * Verifies a webhook by its **raw** body and headers (`webhook-id`, `webhook-timestamp`, `webhook-signature`), and
 * returns its event. Returns null for an event without an order, such as a test of the endpoint: answer 2xx. Kinds and
 * values newer than this client pass through. During a secret's rotation the old and the new one both verify. Process
 * each `event_id` once. Throws `WebhookSignatureMismatch`. `now` is for tests.
 *
 * @example
 * const event = verifyWebhook(rawBody, request.headers, WEBHOOK_SECRET); // or answer 401
 */
export function verifyWebhook(
  rawBody: Uint8Array,
  headers: WebhookHeaders,
  secret: string,
  now?: Date,
): WebhookEvent | null;
/**
 * Verifies by the value of `X-Service-Signature` (`sha256={hex}`) alone.
 * @deprecated It cannot detect an old webhook: pass the request's headers.
 */
export function verifyWebhook(
  rawBody: Uint8Array,
  signature: string | null | undefined,
  secret: string,
): WebhookEvent | null;
export function verifyWebhook(
  rawBody: Uint8Array,
  signed: WebhookHeaders | string | null | undefined,
  secret: string,
  now = new Date(),
): WebhookEvent | null {
  if (typeof secret !== "string" || secret === "") throw new TypeError("verifyWebhook: the webhook secret is missing.");
  if (typeof signed === "object" && signed !== null) requireFresh(rawBody, signed, { secret, now });
  else if (!isSame(signed ?? "", signBody(rawBody, secret))) throw mismatch();
  const event: unknown = JSON.parse(new TextDecoder().decode(rawBody));
  return isOfOrder(event) ? event : null;
}

function requireFresh(
  body: Uint8Array,
  headers: WebhookHeaders,
  { secret, now }: { readonly secret: string; readonly now: Date },
): void {
  const [id, timestamp, signatures] = ["id", "timestamp", "signature"].map((name) =>
    headerOf(headers, `webhook-${name}`),
  );
  if (id === undefined || timestamp === undefined || signatures === undefined)
    throw new WebhookSignatureMismatch(
      "webhook-id, webhook-timestamp or webhook-signature is missing: pass all headers of the request",
    );
  const expected = signWebhook({ body, id, timestamp }, secret);
  if (!signatures.split(" ").some((signature) => isSame(signature, expected))) throw mismatch();
  if (!(Math.abs(now.getTime() - Number(timestamp) * 1_000) <= TOLERANCE_MS))
    throw new WebhookSignatureMismatch(
      "the webhook was sent more than five minutes ago, or this machine's clock is wrong",
    );
}

function mismatch(): WebhookSignatureMismatch {
  return new WebhookSignatureMismatch("the webhook's signature does not match its body");
}

function headerOf(headers: WebhookHeaders, name: string): string | undefined {
  if (isFetchHeaders(headers)) return headers.get(name) ?? undefined;
  const value = Object.entries(headers).find(([given]) => given.toLowerCase() === name)?.[1];
  return typeof value === "string" ? value : value?.[0];
}

function isFetchHeaders(headers: WebhookHeaders): headers is { get(name: string): string | null } {
  return typeof headers.get === "function";
}

/** Compares two signatures in a time that does not reveal how many characters match. */
function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function isOfOrder(event: unknown): event is WebhookEvent {
  return typeof event === "object" && event !== null && "order_hash" in event && typeof event.order_hash === "string";
}
