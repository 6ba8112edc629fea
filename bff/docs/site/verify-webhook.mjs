import { createHmac, timingSafeEqual } from "node:crypto";

/** Is this webhook ours? `rawBody`: the bytes as they came, before any JSON parser has touched them. */
export function isGenuine(rawBody, signature, webhookSecret) {
  const hex = /^sha256=([0-9a-f]{64})$/.exec(signature ?? "")?.[1] ?? "";
  const received = Buffer.from(hex, "hex");
  const expected = createHmac("sha256", webhookSecret).update(rawBody).digest();
  return received.length === expected.length && timingSafeEqual(received, expected);
}
