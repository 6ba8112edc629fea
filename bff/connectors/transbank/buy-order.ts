import { createHash } from "node:crypto";
import { base32 } from "../kit/base32.ts";

/** Transbank's limit of 26, less the letter in front. */
const CHARACTERS = 25;

/**
 * Identifies a charge at Transbank, derived only from its key. It is unique, and finds a charge whose answer was lost.
 */
export function buyOrdersOf(call: { readonly providerId: string; readonly idempotencyKey: string }): {
  readonly mall: string;
  readonly shop: string;
} {
  const name = nameOf("charge", call);
  return { mall: `M${name}`, shop: `S${name}` };
}

/** The id of a refund, for which Transbank has none. */
export function returnIdOf(call: { readonly providerId: string; readonly idempotencyKey: string }): string {
  return `R${nameOf("return", call)}`;
}

function nameOf(kind: string, { providerId, idempotencyKey }: { providerId: string; idempotencyKey: string }): string {
  const digest = createHash("sha256")
    .update(JSON.stringify([kind, providerId, idempotencyKey]))
    .digest();
  return base32(digest).slice(0, CHARACTERS);
}
