import { createHmac } from "node:crypto";

export interface SignedWebhook {
  readonly body: Uint8Array;
  /** `webhook-id`. */
  readonly id: string;
  /** `webhook-timestamp`: seconds since 1970, as text. */
  readonly timestamp: string;
}

/** The value of `X-Service-Signature`. */
export function signBody(body: Uint8Array, secret: string): string {
  return `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
}

/** One value of `webhook-signature` (Standard Webhooks); it also covers the time of sending. */
export function signWebhook({ body, id, timestamp }: SignedWebhook, secret: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest("base64")}`;
}
