import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/transaction.ts";
import { purgeInBatches } from "../../platform/purge-in-batches.ts";
import { COUNTED_MS } from "../otp/otp.ts";
import { deleteRecoveries, deleteRecoveryChecks } from "./recovery-store.ts";

/** Longer than anything of a recovery counts, in real time as well as in the time of any provider. */
export const RECOVERIES_KEPT_MS = 2 * COUNTED_MS;

/**
 * Deletes codes and checks of recoveries that no longer count, with the addresses in them. Returns the number of
 * deleted rows.
 */
export async function purgeRecoveries({ db, clock }: { db: Database; clock: Clock }): Promise<number> {
  const before = new Date(clock.now().getTime() - RECOVERIES_KEPT_MS);
  const codes = await purgeInBatches((limit) => deleteRecoveries(db, { before, limit }));
  return codes + (await purgeInBatches((limit) => deleteRecoveryChecks(db, { before, limit })));
}
