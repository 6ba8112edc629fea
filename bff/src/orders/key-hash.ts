import { createHash } from "node:crypto";

/**
 * Hash by which a repeated `Idempotency-Key` is recognised. Only the hash is stored, because a partner may put anything
 * in a key.
 */
export function hashKey(key: string): string {
  return createHash("sha256").update(key, "utf8").digest("hex");
}
