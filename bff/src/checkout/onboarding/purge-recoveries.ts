import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/transaction.ts";
import { COUNTED_MS } from "../otp/otp.ts";
import { deleteRecoveries } from "./recovery-store.ts";

/** Longer than anything of a recovery counts, whichever clock it was written by. */
const KEPT_MS = 2 * COUNTED_MS;

/** Removes codes and checks of recoveries that count no more, with the addresses in them. Says how many rows went. */
export function purgeRecoveries({ db, clock }: { db: Database; clock: Clock }): Promise<number> {
  return deleteRecoveries(db, new Date(clock.now().getTime() - KEPT_MS));
}
