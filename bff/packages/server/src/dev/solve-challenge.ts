import { createHash } from "node:crypto";

/**
 * Finds a solution whose SHA-256 of `{challenge}.{solution}` begins with this many zero bits. Takes about 2^bits
 * hashes.
 */
export function solveChallenge(challenge: string, bits: number): string {
  for (let tried = 0; ; tried += 1) {
    const solution = tried.toString(36);
    const digest = createHash("sha256").update(`${challenge}.${solution}`).digest();
    if (digest.readUInt32BE(0) >>> (32 - bits) === 0) return solution;
  }
}
