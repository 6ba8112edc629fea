import type { RawBuilder } from "kysely";
import { addClp, type Clp, subtractClp, ZERO } from "../contract/vocabulary/clp.ts";
import type { OrderId } from "../contract/vocabulary/identifiers.ts";
import { type Database, inTransaction, type Transaction } from "../platform/database/transaction.ts";
import type { BookedRow, OrderSums, Period } from "./books.ts";
import {
  owedForOrders,
  selectBalances,
  selectCollected,
  selectCollectedOrders,
  selectOwed,
  takenFromOrders,
} from "./ledger/balance-store.ts";
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
import {
  type OwedMovement,
  selectAccountSums,
  selectOwedBefore,
  selectOwedMovements,
} from "./ledger/statement-store.ts";
import { LEDGER_ACCOUNTS, type LedgerAccount } from "./ledger/transfers.ts";

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

export interface Balance {
  readonly account: LedgerAccount;
  /** Debits less credits, in pesos. */
  readonly balance: Clp;
}

/** The balances of all accounts of a provider; they sum to zero. */
export async function balancesOf(db: Database, providerId: string): Promise<Balance[]> {
  const booked = new Map((await selectBalances(db, providerId)).map(({ account, balance }) => [account, balance]));
  const accounts = Object.keys(LEDGER_ACCOUNTS).filter(isAccount);
  return accounts.map((account) => ({ account, balance: booked.get(account) ?? ZERO }));
}

/** An account in a trial balance: debits, credits, and debits less credits. */
export interface TrialBalanceRow extends Balance {
  readonly debit: Clp;
  readonly credit: Clp;
}

/**
 * The trial balance of these providers together, from all transfers booked before a moment. The debits of all accounts
 * equal their credits.
 */
export async function trialBalance(
  db: Database,
  requested: { readonly providerIds: readonly string[]; readonly before: Date },
): Promise<TrialBalanceRow[]> {
  const booked = new Map((await selectAccountSums(db, requested)).map((sums) => [sums.account, sums]));
  return Object.keys(LEDGER_ACCOUNTS)
    .filter(isAccount)
    .map((account) => {
      const { debit, credit } = booked.get(account) ?? { debit: ZERO, credit: ZERO };
      return { account, debit, credit, balance: subtractClp(debit, credit) };
    });
}

function isAccount(name: string): name is LedgerAccount {
  return Object.hasOwn(LEDGER_ACCOUNTS, name);
}

/**
 * The amount owed to the clinic for each order, as SQL for another feature's statement: `provider_id, order_id, owed`.
 */
export function owedByOrder(): RawBuilder<unknown> {
  return owedForOrders;
}

/**
 * Each transfer that reduces the amount owed to the clinic, as SQL for another feature's statement: `provider_id,
 * order_id, at`.
 */
export function takenFromOwed(): RawBuilder<unknown> {
  return takenFromOrders;
}

/** For each of these orders, the amount that was collected for the lender before a moment, by any method. */
export function collectedFor(
  db: Database,
  requested: { readonly providerId: string; readonly orderIds: readonly OrderId[]; readonly before: Date },
): Promise<ReadonlyMap<OrderId, Clp>> {
  return selectCollected(db, requested);
}

/** The provider's orders with any collection for the lender. */
export function ordersCollectedFrom(db: Database, providerId: string): Promise<OrderId[]> {
  return selectCollectedOrders(db, providerId);
}

/** The amount owed to clinics for paid orders (price less refunds), in transfers booked before a moment. */
export function owedFor(
  db: Database,
  requested: { readonly providerId: string; readonly orderIds: readonly OrderId[]; readonly before: Date },
): Promise<ReadonlyMap<OrderId, Clp>> {
  return selectOwed(db, requested);
}

/** The account of a clinic: of a provider itself (`centerId` null), or of one of its centres. Positive: owed to it. */
export interface ClinicAccount {
  readonly centerId: string | null;
  readonly opening: Clp;
  readonly movements: readonly (OwedMovement & { readonly balance: Clp })[];
  readonly closing: Clp;
}

/**
 * The accounts of a provider and its centres in [from, to), as the ledger has them: opening balance, each movement with
 * the balance after it, closing balance. Accounts without balance and movements are left out. Only the first
 * `movementsMax` movements are read, if it is given.
 */
export async function clinicAccounts(
  db: Database,
  period: Period & { readonly movementsMax?: number | null },
): Promise<ClinicAccount[]> {
  const { providerId, from } = period;
  // One snapshot, so that no movement is booked between the two statements.
  const [opened, movements] = await inTransaction(
    db,
    async (tx) => [await selectOwedBefore(tx, { providerId, before: from }), await selectOwedMovements(tx, period)],
    { isolation: "repeatable read" },
  );
  const centerIds = new Set([...opened, ...movements].map(({ centerId }) => centerId));
  const byCenter = Map.groupBy(movements, (movement) => movement.centerId);
  return [...centerIds].map((centerId) => {
    const opening = opened.find((one) => one.centerId === centerId)?.owed ?? ZERO;
    return { centerId, ...runningBalance(opening, byCenter.get(centerId) ?? []) };
  });
}

function runningBalance(opening: Clp, movements: readonly OwedMovement[]): Omit<ClinicAccount, "centerId"> {
  let closing = opening;
  const shown = movements.map((movement) => {
    closing = addClp(closing, movement.amount);
    return { ...movement, balance: closing };
  });
  return { opening, movements: shown, closing };
}
