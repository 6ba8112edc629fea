import type { Database } from "../../platform/database/transaction.ts";
import type { PayoutItem } from "./payout.ts";
import type { PayoutKey } from "./payout-record.ts";
import { type MadePayout, type PayoutsAsked, readItems, selectPayouts } from "./payout-store.ts";

/** The payouts of some days, both included, oldest first. */
export function listPayouts(db: Database, asked: PayoutsAsked): Promise<MadePayout[]> {
  return selectPayouts(db, asked);
}

/** What of a payout belongs to which order. */
export function payoutItems(db: Database, key: PayoutKey): Promise<PayoutItem[]> {
  return readItems(db, key);
}
