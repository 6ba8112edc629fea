import type { RawBuilder } from "kysely";
import type { OrderId } from "../contract/vocabulary/identifiers.ts";
import type { Database, Transaction } from "../platform/database/transaction.ts";
import type { BookedRow, OrderSums, Period } from "./books.ts";
import {
  selectBookedRows,
  selectFirstPaymentAt,
  selectLent,
  selectOnCards,
  selectOrderSums,
  selectUnderWay,
} from "./ledger/book-store.ts";
import { type LoanAt, selectLoansAt } from "./ledger/loan-store.ts";
import {
  daysUntilNow,
  type MovedOnDay,
  selectLastConfirmed,
  selectMovedByDay,
  selectMovedMoney,
} from "./ledger/moved-money-store.ts";

/** The ledger rows booked in [from, to). */
export function bookedRows(tx: Transaction, period: Period): Promise<BookedRow[]> {
  return selectBookedRows(tx, period);
}

/** The ledger rows that change the amount lent for these orders. */
export function lentTo(
  tx: Transaction,
  requested: { readonly providerId: string; readonly orderIds: readonly OrderId[] },
): Promise<BookedRow[]> {
  return selectLent(tx, requested);
}

export type { LoanAt } from "./ledger/loan-store.ts";

/** The loans of these providers that are outstanding before a moment, or ended from `endedSince` on; oldest first. */
export function loansAt(
  db: Database,
  requested: { readonly providerIds: readonly string[]; readonly before: Date; readonly endedSince: Date },
): Promise<LoanAt[]> {
  return selectLoansAt(db, requested);
}

/** The ledger rows of these orders with the card processor as debit or credit account, whenever they were booked. */
export function bookedOnCards(
  tx: Transaction,
  requested: { readonly providerId: string; readonly orderIds: readonly OrderId[] },
): Promise<BookedRow[]> {
  return selectOnCards(tx, requested);
}

/** Sums per order, from the order's tables and from the ledger, for orders updated in [from, to) and for `others`. */
export function orderSums(tx: Transaction, period: Period, others: readonly OrderId[]): Promise<OrderSums[]> {
  return selectOrderSums(tx, period, others);
}

/** Ids of a provider's unfinished payments, refunds and refund movements, and of their orders. */
export function underWay(tx: Transaction, providerId: string): Promise<string[]> {
  return selectUnderWay(tx, providerId);
}

/**
 * When a patient of the provider first began to pay; null if none has. A payment whose answer was lost is booked later
 * than its money moved.
 */
export function firstPaymentAt(db: Database, providerId: string): Promise<Date | null> {
  return selectFirstPaymentAt(db, providerId);
}

/**
 * Pesos that cards paid (first and deferred) and got back, and that were paid out, in the last hour. `clocks` selects
 * `id, now` of the providers.
 */
export function movedMoney(db: Database, clocks: RawBuilder<unknown>): Promise<Map<string, number>> {
  return selectMovedMoney(db, clocks);
}

/** What moved today and on each of the `days` before, until the present time of day; days without any are omitted. */
export function movedByDay(db: Database, clocks: RawBuilder<unknown>, days: number): Promise<MovedOnDay[]> {
  return selectMovedByDay(db, clocks, days);
}

/** How many seconds ago each party last confirmed a movement of money; null if it was more than eight days ago. */
export function lastConfirmedMoves(
  db: Database,
  clocks: RawBuilder<unknown>,
): Promise<ReadonlyMap<string, number | null>> {
  return selectLastConfirmed(db, clocks);
}

/** Today and the `days` before, for statements of other rooms that count by day: `id, days_ago, since, until`. */
export function namedDaysUntilNow(clocks: RawBuilder<unknown>, days: number): RawBuilder<unknown> {
  return daysUntilNow(clocks, days);
}
