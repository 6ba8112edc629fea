import { DAY_MS } from "../../contract/vocabulary/durations.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/transaction.ts";
import { purgeInBatches } from "../../platform/purge-in-batches.ts";
import { REQUEST_OPEN_DAYS } from "./approval.ts";
import { deleteLapsed } from "./approval-store.ts";
import { deleteSoloAmounts } from "./solo-amount-store.ts";
import { SOLO_WINDOW_MS } from "./solo-limit.ts";

export const LAPSED_KEPT_MS = REQUEST_OPEN_DAYS * DAY_MS;
export const SOLO_AMOUNTS_KEPT_MS = 2 * SOLO_WINDOW_MS;

/** Deletes requests that have lapsed, and amounts that no longer count. Returns how many there were. */
export async function purgeApprovals({ db, clock }: { readonly db: Database; readonly clock: Clock }): Promise<number> {
  const since = (milliseconds: number) => new Date(clock.now().getTime() - milliseconds);
  const lapsed = await purgeInBatches((limit) => deleteLapsed(db, { before: since(LAPSED_KEPT_MS), limit }));
  return (
    lapsed + (await purgeInBatches((limit) => deleteSoloAmounts(db, { before: since(SOLO_AMOUNTS_KEPT_MS), limit })))
  );
}
