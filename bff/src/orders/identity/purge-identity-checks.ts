import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/transaction.ts";
import { purgeInBatches } from "../../platform/purge-in-batches.ts";
import { deleteChecks } from "./identity-store.ts";
import { IDENTITY_WINDOW_MS } from "./identity-tries.ts";

/** Longer than any try counts, in real time as well as in the time of any provider. */
export const CHECKS_KEPT_MS = 24 * IDENTITY_WINDOW_MS;

/**
 * Deletes checks that no longer count, because their RUT hashes would otherwise remain after an erasure. The order
 * itself keeps whether and when its identity was validated. Returns the number of deleted rows.
 */
export function purgeIdentityChecks({ db, clock }: { db: Database; clock: Clock }): Promise<number> {
  const before = new Date(clock.now().getTime() - CHECKS_KEPT_MS);
  return purgeInBatches((limit) => deleteChecks(db, { before, limit }));
}
