import type { OrderId } from "../../contract/vocabulary/identifiers.ts";
import type { Database, Transaction } from "../../platform/database/transaction.ts";
import { selectBookedRows, selectFirstBookedAt, selectLent, selectOrderSums, selectUnderWay } from "./book-store.ts";
import type { BookedRow, OrderSums, Period } from "./books.ts";

/** The rows of the ledger in [from, to). */
export function bookedRows(tx: Transaction, period: Period): Promise<BookedRow[]> {
  return selectBookedRows(tx, period);
}

/** The rows that say what is lent to some orders. */
export function lentTo(
  tx: Transaction,
  asked: { readonly providerId: string; readonly orderIds: readonly OrderId[] },
): Promise<BookedRow[]> {
  return selectLent(tx, asked);
}

/** What the orders that changed in [from, to), and others, say of themselves, and what the ledger says of them. */
export function orderSums(tx: Transaction, period: Period, others: readonly OrderId[]): Promise<OrderSums[]> {
  return selectOrderSums(tx, period, others);
}

/** Ids of what of a provider is under way, payments, refunds and their movements, and of their orders. */
export function underWay(tx: Transaction, providerId: string): Promise<string[]> {
  return selectUnderWay(tx, providerId);
}

/** When a provider's first movement was booked; `null` where nothing was. */
export function firstBookedAt(db: Database, providerId: string): Promise<Date | null> {
  return selectFirstBookedAt(db, providerId);
}
