import { DAY_MS } from "../contract/vocabulary/durations.ts";
import type { Clock } from "../platform/clock.ts";
import type { Database } from "../platform/database/transaction.ts";
import { purgeInBatches } from "../platform/purge-in-batches.ts";
import { emptyUndelivered } from "./notification-store.ts";

/** How long an undelivered notification can be sent again. */
export const UNDELIVERED_KEPT_MS = 30 * DAY_MS;

/** Deletes address and text of notifications that could not be delivered long ago. Returns how many there were. */
export function purgeUndelivered({ db, clock }: { readonly db: Database; readonly clock: Clock }): Promise<number> {
  const before = new Date(clock.now().getTime() - UNDELIVERED_KEPT_MS);
  return purgeInBatches((limit) => emptyUndelivered(db, { before, limit }));
}
