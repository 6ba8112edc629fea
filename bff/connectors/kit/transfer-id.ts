import { createHash } from "node:crypto";
import { base32 } from "./base32.ts";

const CHARACTERS = 24;

/** The id of a transfer, derived from its call's key alone: a restored database finds the transfers sent before. */
export function transferIdOf({ providerId, idempotencyKey }: { providerId: string; idempotencyKey: string }): string {
  const digest = createHash("sha256")
    .update(JSON.stringify(["transfer", providerId, idempotencyKey]))
    .digest();
  return `T${base32(digest).slice(0, CHARACTERS)}`;
}
