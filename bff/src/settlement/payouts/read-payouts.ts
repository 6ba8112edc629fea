import type { Database } from "../../platform/database/transaction.ts";
import type { CalendarDay } from "../../platform/santiago-time.ts";
import type { PayoutItem } from "./payout.ts";
import type { PayoutKey } from "./payout-record.ts";
import { type MadePayout, readItems, selectPayouts } from "./payout-store.ts";

/** A provider's payouts of some days, both included, oldest first. */
export function listPayouts(
  db: Database,
  asked: { readonly providerId: string; readonly from: CalendarDay; readonly to: CalendarDay },
): Promise<MadePayout[]> {
  return selectPayouts(db, asked);
}

/** What of a payout belongs to which order. */
export function payoutItems(db: Database, key: PayoutKey): Promise<PayoutItem[]> {
  return readItems(db, key);
}
