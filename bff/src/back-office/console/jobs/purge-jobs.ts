import { DAY_MS } from "../../../contract/vocabulary/durations.ts";
import type { Clock } from "../../../platform/clock.ts";
import type { Database } from "../../../platform/database/transaction.ts";
import { purgeInBatches } from "../../../platform/purge-in-batches.ts";
import { deleteEmptyEnded, deleteItemsOfEnded } from "./job-store.ts";

/** How long an operator can open the page of a job that has ended; the audit trail has each resolution for ever. */
export const JOBS_KEPT_MS = 90 * DAY_MS;

/** Deletes jobs that ended long ago, with their items. Returns how many jobs there were. */
export async function purgeJobs({ db, clock }: { readonly db: Database; readonly clock: Clock }): Promise<number> {
  const before = new Date(clock.now().getTime() - JOBS_KEPT_MS);
  await purgeInBatches((limit) => deleteItemsOfEnded(db, { before, limit }));
  return purgeInBatches((limit) => deleteEmptyEnded(db, { before, limit }));
}
