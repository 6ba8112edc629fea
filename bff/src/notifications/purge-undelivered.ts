import type { Clock } from "../platform/clock.ts";
import type { Database } from "../platform/database/transaction.ts";
import { emptyUndelivered } from "./notification-store.ts";

/** For so long a notification that could not be delivered can be sent again. */
const KEPT_MS = 30 * 24 * 60 * 60 * 1_000;

/** Removes address and text of notifications that could not be delivered long ago. Says of how many. */
export function purgeUndelivered({ db, clock }: { readonly db: Database; readonly clock: Clock }): Promise<number> {
  return emptyUndelivered(db, new Date(clock.now().getTime() - KEPT_MS));
}
