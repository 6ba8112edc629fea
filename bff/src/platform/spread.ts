import { createHash } from "node:crypto";
import { HOUR_MS } from "../contract/vocabulary/durations.ts";

/** Work that is due for many at the same moment is spread over less than this, so that it is done within the hour. */
export const SPREAD_MS = (HOUR_MS * 3) / 4;

/** The range of a hash's first four bytes. */
const HASHES = 2 ** 32;

/**
 * Delays a moment at which many are due by less than `withinMs`. The delay depends only on the id. So an id always has
 * the same place in its hour, and ids are spread evenly.
 */
export function spreadFrom(moment: Date, id: string, withinMs = SPREAD_MS): Date {
  const hash = createHash("sha256").update(id).digest().readUInt32BE(0);
  return new Date(moment.getTime() + Math.floor((hash / HASHES) * withinMs));
}
