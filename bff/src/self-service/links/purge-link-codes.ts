import { COUNTED_MS } from "../../checkout/otp/otp.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/transaction.ts";
import { purgeInBatches } from "../../platform/purge-in-batches.ts";
import { deleteLinkCodes, deletePatientsWithoutCode } from "./link-code-store.ts";

/** Longer than a code is valid, its access lasts or it is counted per day, also if a moved sandbox clock dated it. */
export const LINK_CODES_KEPT_MS = 2 * COUNTED_MS;

/** Removes the one-time codes of links that are not counted any more. Returns how many. */
export async function purgeLinkCodes({ db, clock }: { db: Database; clock: Clock }): Promise<number> {
  const before = new Date(clock.now().getTime() - LINK_CODES_KEPT_MS);
  const codes = await purgeInBatches((limit) => deleteLinkCodes(db, { before, limit }));
  await purgeInBatches((limit) => deletePatientsWithoutCode(db, limit));
  return codes;
}
