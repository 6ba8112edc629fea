import { createHash } from "node:crypto";

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
/** Transbank's limit of 26, less the letter in front. */
const CHARACTERS = 25;

/** Base32 in capitals, without padding: Transbank's SDK puts names into addresses unescaped. */
export function base32(bytes: Uint8Array): string {
  let text = "";
  let [bits, value] = [0, 0];
  for (const byte of bytes) {
    value = (value << 8) | byte;
    bits += 8;
    for (; bits >= 5; bits -= 5) text += ALPHABET[(value >>> (bits - 5)) & 31];
    value &= (1 << bits) - 1;
  }
  return bits === 0 ? text : text + ALPHABET[(value << (5 - bits)) & 31];
}

/**
 * The names of a charge at Transbank, derived from its key alone. They find a charge whose answer was lost, and no
 * other charge gets them.
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
