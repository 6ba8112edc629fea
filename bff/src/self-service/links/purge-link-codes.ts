import { COUNTED_MS } from "../../checkout/otp/otp.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/transaction.ts";
import { deleteLinkCodes } from "./link-code-store.ts";

/** Longer than a code is valid, its access lasts or it is counted per day, also if a moved sandbox clock dated it. */
const KEPT_MS = 2 * COUNTED_MS;

/** Removes the one-time codes of links that are not counted any more. Returns how many. */
export function purgeLinkCodes({ db, clock }: { db: Database; clock: Clock }): Promise<number> {
  return deleteLinkCodes(db, new Date(clock.now().getTime() - KEPT_MS));
}
