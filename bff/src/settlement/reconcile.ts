import { settledChargebacks } from "../collection/operations.ts";
import type { ReconciledParty } from "../contract/reconciliation.ts";
import { CARD_SETTLED_WITHIN_DAYS } from "../contract/terms.ts";
import type { Clp } from "../contract/vocabulary/clp.ts";
import { DAY_MS } from "../contract/vocabulary/durations.ts";
import type { OrderId } from "../contract/vocabulary/identifiers.ts";
import type { Bank, BankTransfer } from "../gateways/bank.ts";
import type { CardProcessor } from "../gateways/card-processor.ts";
import type { FinancingProvider } from "../gateways/financing-provider.ts";
import { GatewayUnavailable } from "../gateways/gateway-call.ts";
import type { IssuedDocument, TaxDocuments } from "../gateways/tax-documents.ts";
import { bookedOnCards, bookedRows, lentTo, orderSums, underWay } from "../orders/book-reads.ts";
import type { Period } from "../orders/books.ts";
import { documentsUnderWay, taxedRows, withdrawRejectedDocuments } from "../orders/owe-document.ts";
import type { Clock } from "../platform/clock.ts";
import { type Database, inTransaction, type Transaction } from "../platform/database/transaction.ts";
import type { Ids } from "../platform/ids.ts";
import { santiagoDay } from "../platform/santiago-time.ts";
import {
  bookSettlements,
  firstSettledAt,
  listSettlements,
  settledMovements,
  settledSources,
} from "./booked-settlements.ts";
import { type Difference, lineName, sourceOf } from "./compare-lines.ts";
import { selectPaidPayouts, selectReturnedPayouts } from "./payout-store.ts";
import { bookReturnedPayouts } from "./payouts/return-payout.ts";
import { selectChargesBeingReturned, selectReturnedCharges } from "./reconciliation/charge-return-store.ts";
import { type Books, compare, type Lists, returnOf } from "./reconciliation/compare.ts";
import type { SettledBooks } from "./reconciliation/compare-settlements.ts";
import { selectLoansBeingCancelled } from "./reconciliation/loan-cancellation-store.ts";
import { keepRun, selectPayoutsUnderWay } from "./reconciliation/reconciliation-store.ts";

/** Compares the books with the gateways' own lists and stores the differences. */

export interface ReconcileDependencies {
  readonly db: Database;
  readonly cardProcessor: Pick<CardProcessor, "listMovements" | "listSettlements">;
  readonly financingProvider: Pick<FinancingProvider, "listLoans">;
  readonly bank: Pick<Bank, "listTransfers">;
  readonly taxDocuments: Pick<TaxDocuments, "listDocuments">;
}

export interface Reconciled {
  readonly differences: readonly Difference[];
  readonly unavailable: readonly ReconciledParty[];
  /** Tax documents that the tax authority rejected after they were issued. */
  readonly rejected: readonly IssuedDocument[];
  /** Ids and lines excluded because their outcome is unknown. */
  readonly unresolved: ReadonlySet<string>;
  readonly compared: {
    readonly orders: number;
    readonly cardMovements: number;
    readonly loans: number;
    readonly bankTransfers: number;
    readonly taxDocuments: number;
    readonly ledgerTransfers: number;
  };
}

/** How far beyond the period lines are read, because the two sides may date the same line differently. */
const MARGIN_MS = DAY_MS;

/**
 * Compares a provider's orders, its ledger and the gateways' own lists in [from, to), and returns each difference.
 * `now` is the provider's time; rows booked after the lists were read are excluded. An unavailable list is reported and
 * skipped. `others`: orders compared with the ledger whatever their date.
 */
export async function reconcile(
  dependencies: ReconcileDependencies,
  period: Period,
  now: Date,
  others: readonly OrderId[] = [],
): Promise<Reconciled> {
  const from = new Date(period.from.getTime() - MARGIN_MS);
  // The period includes the current millisecond.
  const until = new Date(Math.min(period.to.getTime() + MARGIN_MS, now.getTime() + 1));
  const around = { providerId: period.providerId, from, to: until };
  const { lists, unavailable } = await readLists(dependencies, period, around);
  // One snapshot, read after the lists, so that every listed item is already booked or known to be unresolved.
  const books = await inTransaction(dependencies.db, (tx) => readBooks(tx, { period, around, lists, others }), {
    isolation: "repeatable read",
  });
  const differences = compare(books, lists, { from: period.from, to: until < period.to ? until : period.to });
  return {
    differences,
    unavailable: [...new Set(unavailable)],
    rejected: lists.documents?.filter(({ rejected }) => rejected === true) ?? [],
    unresolved: books.unresolved,
    compared: {
      orders: books.orders.length,
      cardMovements: lists.movements?.length ?? 0,
      loans: lists.loans?.inPeriod.length ?? 0,
      bankTransfers: lists.transfers?.length ?? 0,
      taxDocuments: lists.documents?.length ?? 0,
      ledgerTransfers: books.rows.length,
    },
  };
}

async function readLists(
  { cardProcessor, financingProvider, bank, taxDocuments }: ReconcileDependencies,
  period: Period,
  { providerId, from, to }: Period,
): Promise<{ lists: Lists; unavailable: ReconciledParty[] }> {
  const unavailable: ReconciledParty[] = [];
  const orNull = async <List>(party: ReconciledParty, read: () => Promise<List>): Promise<List | null> => {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof GatewayUnavailable)) throw error;
      unavailable.push(party);
      return null;
    }
  };
  const lists = {
    // The lists include the current moment: our clock and a gateway's may differ by the duration of a call.
    movements: await orNull("card_processor", () => cardProcessor.listMovements(providerId, from, after(to))),
    settlements: await orNull("card_processor", () => cardProcessor.listSettlements(providerId, settledFrom(from), to)),
    loans: await orNull("financing_provider", async () => ({
      inPeriod: await financingProvider.listLoans(providerId, period.from, period.to),
      around: await financingProvider.listLoans(providerId, from, after(to)),
    })),
    transfers: await orNull("bank", () => bank.listTransfers(providerId, from, after(to))),
    documents: await orNull("tax_documents", () => taxDocuments.listDocuments(providerId, from, after(to))),
  };
  return { lists, unavailable };
}

/** The start from which settlements are listed: that of the earliest settlement due in the period. */
function settledFrom(from: Date): Date {
  return new Date(from.getTime() - CARD_SETTLED_WITHIN_DAYS * DAY_MS);
}

function after(to: Date): Date {
  return new Date(to.getTime() + MARGIN_MS);
}

async function readBooks(
  tx: Transaction,
  {
    period,
    around,
    lists,
    others,
  }: {
    readonly period: Period;
    readonly around: Period;
    readonly lists: Lists;
    readonly others: readonly OrderId[];
  },
): Promise<Books> {
  const { providerId } = period;
  const orderIds = [...new Set((lists.loans?.inPeriod ?? []).map(({ orderHash: orderId }) => orderId))];
  return {
    rows: await bookedRows(tx, around),
    lent: await lentTo(tx, { providerId, orderIds }),
    orders: await orderSums(tx, period, others),
    taxed: await taxedRows(tx, around),
    unresolved: new Set([
      ...(await underWay(tx, providerId)),
      ...(await selectPayoutsUnderWay(tx, providerId)).flatMap((id) => [id, returnOf(id)]),
      ...(await documentsUnderWay(tx, providerId)),
      ...(await selectChargesBeingReturned(tx, providerId)).map((id) => lineName("card_processor", id)),
      ...(await selectLoansBeingCancelled(tx, providerId)).map((id) => lineName("financing_provider", id)),
    ]),
    settledChargebacks: await settledChargebacks(tx, providerId),
    returnedCharges: await selectReturnedCharges(tx, around),
    returnedPayouts: [
      ...(await selectReturnedPayouts(tx, around)),
      ...(await partlyReturnedPayouts(tx, providerId, lists.transfers ?? [])),
    ],
    settled: await readSettled(tx, { period, around }),
  };
}

/**
 * Payouts of which the bank lists a return, and which are still paid: the return is not of the whole amount. It is
 * compared with a return of the whole.
 */
async function partlyReturnedPayouts(
  tx: Transaction,
  providerId: string,
  transfers: readonly BankTransfer[],
): Promise<Books["returnedPayouts"]> {
  const returns = transfers.filter(({ kind }) => kind === "return");
  const ids = returns.map(({ idempotencyKey }) => sourceOf(idempotencyKey, 0));
  const amounts = ids.length === 0 ? new Map<string, Clp>() : await selectPaidPayouts(tx, { providerId, ids });
  return returns.flatMap(({ idempotencyKey, at: returnedAt }) => {
    const id = sourceOf(idempotencyKey, 0);
    const amount = amounts.get(id);
    return amount === undefined ? [] : [{ id, amount, returnedAt }];
  });
}

/** The settled movements of the period, and those that should have been settled in it and were not. */
async function readSettled(
  tx: Transaction,
  { period, around }: { readonly period: Period; readonly around: Period },
): Promise<SettledBooks> {
  const { providerId } = period;
  const movements = await settledMovements(tx, around);
  const orderIds = [...new Set(movements.flatMap(({ orderId }) => orderId ?? []))];
  return {
    settlements: await listSettlements(tx, around),
    movements,
    rows: await bookedOnCards(tx, { providerId, orderIds }),
    overdue: await readOverdue(tx, period),
  };
}

/**
 * Rows whose settlement is overdue. Charges captured before the processor's first reported settlement are not expected
 * in one.
 */
async function readOverdue(tx: Transaction, { providerId, from, to }: Period): Promise<SettledBooks["overdue"]> {
  const since = await firstSettledAt(tx, providerId);
  if (since === null) return [];
  const rows = (await bookedRows(tx, { providerId, from: settledFrom(from), to: settledFrom(to) })).filter(
    ({ debit, credit, at }) =>
      at >= since && (debit === "card_processor" || credit === "card_processor") && debit !== "chargeback_loss",
  );
  const settled = await settledSources(tx, { providerId, sources: rows.map(({ cause }) => sourceOf(cause, 1)) });
  return rows
    .filter(({ cause }) => !settled.has(sourceOf(cause, 1)))
    .map((row) => ({ row, dueAt: new Date(row.at.getTime() + CARD_SETTLED_WITHIN_DAYS * DAY_MS) }));
}

export interface BookAndReconcileDependencies extends ReconcileDependencies {
  readonly ids: Ids;
  readonly clock: Clock;
}

/**
 * Books the card processor's settlements of a period and the payouts that came back in it, and then reconciles it. Tax
 * documents that were rejected after they were issued are due again. If a list was unavailable, the period does not
 * count as compared, so that a later run books what it has.
 */
export async function bookAndReconcile(
  dependencies: BookAndReconcileDependencies,
  period: Period,
  now: Date,
  others: readonly OrderId[] = [],
): Promise<Reconciled> {
  const until = { ...period, to: period.to < now ? period.to : now };
  const unbooked = [
    ...(await ifUnavailable("card_processor", () => bookSettlements(dependencies, until, now))),
    ...(await ifUnavailable("bank", () => bookReturnedPayouts(dependencies, until, now))),
  ];
  const found = await reconcile(dependencies, period, now, others);
  if (found.rejected.length > 0)
    await inTransaction(dependencies.db, (tx) => withdrawRejectedDocuments(tx, period.providerId, found.rejected));
  return { ...found, unavailable: [...new Set([...found.unavailable, ...unbooked])] };
}

/** The party whose list was unavailable, if it was. */
async function ifUnavailable(party: ReconciledParty, book: () => Promise<void>): Promise<ReconciledParty[]> {
  try {
    await book();
    return [];
  } catch (error) {
    if (!(error instanceof GatewayUnavailable)) throw error;
    return [party];
  }
}

/**
 * Books settlements and compares all of a provider's books since a moment, in the provider's time. Stores the
 * differences as exceptions.
 */
export async function reconcileSince(
  dependencies: BookAndReconcileDependencies,
  { providerId, from, now }: { readonly providerId: string; readonly from: Date; readonly now: Date },
): Promise<Reconciled> {
  // The period includes the current millisecond.
  const period = { from, to: new Date(now.getTime() + 1) };
  const found = await bookAndReconcile(dependencies, { providerId, ...period }, now);
  const { differences, unavailable } = found;
  const run = { providerId, day: santiagoDay(now), at: now, periods: [period], differences, unavailable };
  await inTransaction(dependencies.db, (tx) => keepRun(tx, { ...run, unresolved: [...found.unresolved] }));
  return found;
}
