import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/transaction.ts";
import { purgeInBatches } from "../../platform/purge-in-batches.ts";
import { COUNTED_MS } from "../otp/otp.ts";
import { deleteRecognitions } from "./recognition-store.ts";

/** Longer than any of them counts, in real time as well as in the time of any provider. */
export const RECOGNITIONS_KEPT_MS = 2 * COUNTED_MS;

/** Deletes codes of recognitions that no longer count. Returns the number of deleted rows. */
export function purgeRecognitions({ db, clock }: { db: Database; clock: Clock }): Promise<number> {
  const before = new Date(clock.now().getTime() - RECOGNITIONS_KEPT_MS);
  return purgeInBatches((limit) => deleteRecognitions(db, { before, limit }));
}
