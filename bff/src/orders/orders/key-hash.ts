import { createHash } from "node:crypto";

/** By which a repeat under the same `Idempotency-Key` is recognised, without keeping what a partner wrote into it. */
export function hashKey(key: string): string {
  return createHash("sha256").update(key, "utf8").digest("hex");
}
