import { createHmac, createSecretKey, type KeyObject } from "node:crypto";

export interface SignatureInput {
  /** The exact bytes that are sent. */
  readonly body: Uint8Array;
  readonly webhookId: string;
  /** The moment of sending in real time, because receivers compare it with their own clocks. */
  readonly sentAt: Date;
  /** The endpoint's live secrets, oldest first; several while a rotation overlaps. */
  readonly secrets: readonly [string, ...string[]];
  /** The brand's word that replaces `Service` in the header name `X-Service-Signature`. */
  readonly word: string;
}

/**
 * The headers that prove a webhook's origin. `X-Service-Signature` is keyed with the whole text of the oldest live
 * secret, so that receivers switch to the new secret when the overlap ends. The Standard Webhooks headers carry a
 * signature for each live secret.
 */
export function signatureHeaders(input: SignatureInput): Record<string, string> {
  const { body, webhookId, secrets, word } = input;
  const timestamp = Math.floor(input.sentAt.getTime() / 1_000).toString();
  const before = `${webhookId}.${timestamp}.`;
  const standard = secrets.map(
    (secret) => `v1,${createHmac("sha256", standardKey(secret)).update(before).update(body).digest("base64")}`,
  );
  return {
    [`X-${word}-Signature`]: `sha256=${createHmac("sha256", secrets[0]).update(body).digest("hex")}`,
    "webhook-id": webhookId,
    "webhook-timestamp": timestamp,
    "webhook-signature": standard.join(" "),
  };
}

/** The key according to Standard Webhooks: the bytes that the secret's text encodes, without its prefix. */
function standardKey(secret: string): KeyObject {
  return createSecretKey(secret.replace(/^whsec_/, ""), "base64");
}
