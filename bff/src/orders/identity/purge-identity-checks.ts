import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/transaction.ts";
import { deleteChecks } from "./identity-store.ts";
import { IDENTITY_WINDOW_MS } from "./identity-tries.ts";

/** Longer than any try counts, in real time as well as in the time of any provider. */
const KEPT_MS = 24 * IDENTITY_WINDOW_MS;

/**
 * Deletes checks that no longer count, because their RUT hashes would otherwise remain after an erasure. The order
 * itself keeps whether and when its identity was validated. Returns the number of deleted rows.
 */
export function purgeIdentityChecks({ db, clock }: { db: Database; clock: Clock }): Promise<number> {
  return deleteChecks(db, new Date(clock.now().getTime() - KEPT_MS));
}
