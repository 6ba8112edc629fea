import { createHmac, timingSafeEqual } from "node:crypto";

/**
 * How a connector signs its callbacks (docs/reference/gateways.md): HMAC-SHA256 over `id.timestamp.body` with the
 * shared token, in the headers of Standard Webhooks. The timestamp is real time, in seconds.
 */

export const CALLBACK_TOLERANCE_SECONDS = 300;

export interface CallbackHeaders {
  readonly "webhook-id": string;
  readonly "webhook-timestamp": string;
  readonly "webhook-signature": string;
}

export interface CallbackToSign {
  readonly id: string;
  /** Real time. */
  readonly at: Date;
  readonly body: string;
}

export function signCallback({ id, at, body }: CallbackToSign, token: string): CallbackHeaders {
  const timestamp = String(Math.floor(at.getTime() / 1_000));
  const signature = `v1,${signatureOf(`${id}.${timestamp}.${body}`, token).toString("base64")}`;
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signature };
}

/** Whether a callback is signed with one of the tokens and has a recent timestamp. `now` is real time. */
export function isSignedCallback(
  headers: { readonly [Name in keyof CallbackHeaders]: string | undefined },
  body: Uint8Array,
  { tokens, now }: { readonly tokens: readonly string[]; readonly now: Date },
): boolean {
  const { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures } = headers;
  if (id === undefined || timestamp === undefined || signatures === undefined) return false;
  if (!/^\d{1,12}$/.test(timestamp)) return false;
  if (Math.abs(now.getTime() / 1_000 - Number(timestamp)) > CALLBACK_TOLERANCE_SECONDS) return false;
  const signed = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body]);
  const expected = tokens.map((token) => signatureOf(signed, token));
  // While the token is replaced, the connector may sign with both, and the service may know both.
  return signatures.split(" ").some((signature) => expected.some((own) => isSame(signature, own)));
}

function signatureOf(signed: string | Uint8Array, token: string): Buffer {
  return createHmac("sha256", token).update(signed).digest();
}

function isSame(signature: string, expected: Buffer): boolean {
  if (!signature.startsWith("v1,")) return false;
  const given = Buffer.from(signature.slice("v1,".length), "base64");
  return given.length === expected.length && timingSafeEqual(given, expected);
}
