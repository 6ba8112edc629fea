import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/transaction.ts";
import { COUNTED_MS } from "../otp/otp.ts";
import { deleteRecognitions } from "./recognition-store.ts";

/** Longer than any of them counts, in real time as well as in the time of any provider. */
const KEPT_MS = 2 * COUNTED_MS;

/** Deletes codes of recognitions that no longer count. Returns the number of deleted rows. */
export function purgeRecognitions({ db, clock }: { db: Database; clock: Clock }): Promise<number> {
  return deleteRecognitions(db, new Date(clock.now().getTime() - KEPT_MS));
}
