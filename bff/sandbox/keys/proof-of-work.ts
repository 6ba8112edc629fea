import { createHash } from "node:crypto";
import type { Keyring } from "../../src/platform/keyring.ts";

/**
 * The challenge for a caller without an account. It is stateless: the keyring recognises the challenges of this
 * service.
 */
export interface Challenge {
  readonly challenge: string;
  /** The first bits of SHA-256 of `{challenge}.{solution}` that must be zero. */
  readonly bits: number;
  readonly expiresAt: Date;
}

export type ProofRefusal =
  | { readonly path: "challenge"; readonly message: string }
  | { readonly path: "solution"; readonly message: string };

/**
 * A quarter of a million hashes on average. Takes half a second of one processor, sometimes five times as long, and
 * hours for thousands of tenants.
 */
export const PROOF_BITS = 18;
const CHALLENGE_MINUTES = 10;
const PURPOSE = "sandbox.challenge";

export function makeChallenge(keyring: Pick<Keyring, "hmac">, nonce: string, now: Date): Challenge {
  const expiresAt = new Date(now.getTime() + CHALLENGE_MINUTES * 60_000);
  const payload = `${inLetters(nonce)}~${expiresAt.getTime().toString(36)}`;
  return { challenge: `${payload}~${keyring.hmac(PURPOSE, payload)}`, bits: PROOF_BITS, expiresAt };
}

/** Why a proof is refused; null if it is accepted. */
export function judgeProof(
  keyring: Pick<Keyring, "matches">,
  { challenge, solution }: { readonly challenge: string; readonly solution: string },
  now: Date,
): ProofRefusal | null {
  const [nonce = "", expires = "", signature = ""] = challenge.split("~");
  if (!keyring.matches(PURPOSE, `${nonce}~${expires}`, signature))
    return { path: "challenge", message: "is none that was given out" };
  if (Number.parseInt(expires, 36) <= now.getTime())
    return { path: "challenge", message: "has expired: ask for another one" };
  if (leadingZeroBits(createHash("sha256").update(`${challenge}.${solution}`).digest()) < PROOF_BITS)
    return { path: "solution", message: `must make ${PROOF_BITS} leading zero bits` };
  return null;
}

/** The digits as letters, because consecutive digits could look like a card number, which no body may contain. */
function inLetters(nonce: string): string {
  return nonce.replaceAll(/\d/g, (digit) => "ghijklmnop".charAt(Number(digit))).replaceAll("-", "");
}

export function leadingZeroBits(bytes: Uint8Array): number {
  const first = bytes.findIndex((byte) => byte !== 0);
  return first === -1 ? bytes.length * 8 : first * 8 + Math.clz32(bytes[first] ?? 0) - 24;
}
