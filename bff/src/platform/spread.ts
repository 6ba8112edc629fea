import { createHash } from "node:crypto";
import { HOUR_MS } from "../contract/vocabulary/durations.ts";

/**
 * What is due for many at one moment is spread over less than this, so that it is done within the hour that it is due
 * in.
 */
export const SPREAD_MS = (HOUR_MS * 3) / 4;

/** A range of 32 bits, as a hash's first four bytes are. */
const HASHES = 2 ** 32;

/**
 * A moment at which many are due, moved by less than `withinMs` by what follows from the id alone: the same id always
 * comes at the same time of its hour, and of many ids as many come in each minute.
 */
export function spreadFrom(moment: Date, id: string, withinMs = SPREAD_MS): Date {
  const hash = createHash("sha256").update(id).digest().readUInt32BE(0);
  return new Date(moment.getTime() + Math.floor((hash / HASHES) * withinMs));
}
