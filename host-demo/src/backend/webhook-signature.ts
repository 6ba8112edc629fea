import { createHmac, timingSafeEqual } from "node:crypto";

/**
 * The clinic's own check of `X-Service-Signature: sha256={hex}` over the raw body. It follows the specification and
 * does not use the service's client, so that the two implementations verify each other.
 */
export function isSignedByService(rawBody: Buffer, header: string | undefined, secret: string): boolean {
  const sent = /^sha256=([0-9a-f]{64})$/.exec(header ?? "")?.[1];
  if (sent === undefined) return false;
  return timingSafeEqual(Buffer.from(sent, "hex"), createHmac("sha256", secret).update(rawBody).digest());
}
