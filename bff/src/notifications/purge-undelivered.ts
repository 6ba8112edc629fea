import type { Clock } from "../platform/clock.ts";
import type { Database } from "../platform/database/transaction.ts";
import { emptyUndelivered } from "./notification-store.ts";

/** How long an undelivered notification can be sent again. */
const KEPT_MS = 30 * 24 * 60 * 60 * 1_000;

/** Deletes address and text of notifications that could not be delivered long ago. Returns how many there were. */
export function purgeUndelivered({ db, clock }: { readonly db: Database; readonly clock: Clock }): Promise<number> {
  return emptyUndelivered(db, new Date(clock.now().getTime() - KEPT_MS));
}
