import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/transaction.ts";
import { COUNTED_MS } from "../otp/otp.ts";
import { deleteRecoveries } from "./recovery-store.ts";

/** Longer than anything of a recovery counts, in real time as well as in the time of any provider. */
const KEPT_MS = 2 * COUNTED_MS;

/**
 * Deletes codes and checks of recoveries that no longer count, with the addresses in them. Returns the number of
 * deleted rows.
 */
export function purgeRecoveries({ db, clock }: { db: Database; clock: Clock }): Promise<number> {
  return deleteRecoveries(db, new Date(clock.now().getTime() - KEPT_MS));
}
