import { addClp, type Clp, minClp, subtractClp, ZERO } from "../../contract/vocabulary/clp.ts";
import type { OrderId } from "../../contract/vocabulary/identifiers.ts";
import type { BankTransfer } from "../../gateways/bank.ts";
import type { ProcessorMovement, Settlement } from "../../gateways/card-processor.ts";
import type { Loan } from "../../gateways/financing-provider.ts";
import type { IssuedDocument } from "../../gateways/tax-documents.ts";
import type { BookedRow, OrderSums, TaxedRow } from "../../orders/books.ts";
import { compareLines, type Difference, type Line, lineName, sourceOf, sumBy } from "../compare-lines.ts";
import { compareSettled, compareSettlements, type SettledBooks } from "./compare-settlements.ts";

/**
 * Compares the books with the gateways' own lists, line by line. The idempotency key of every call starts with the id
 * of its attempt, movement or payout, and every ledger row has the same id in its cause. This id matches the lines of
 * both sides.
 */

export interface Books {
  /**
   * The rows of the period and of one day on either side, because the other side may date a line just outside the
   * period.
   */
  readonly rows: readonly BookedRow[];
  /** All rows with the financing provider as lender, of every order with a listed loan, whatever their date. */
  readonly lent: readonly BookedRow[];
  readonly orders: readonly OrderSums[];
  /** The rows of commissions that need a tax document, for the same period as `rows`. */
  readonly taxed: readonly TaxedRow[];
  /**
   * Ids of attempts, movements and payouts with an unknown outcome, and of their orders. Also the lines of one party,
   * named by `lineName`, that an operator is having corrected.
   */
  readonly unresolved: ReadonlySet<string>;
  /** The processor's ids of chargebacks whose loss an operator has assigned to the service or the clinic. */
  readonly settledChargebacks: ReadonlySet<string>;
  /** Charges that the books never had and an operator had returned. Both lines are known, and neither is booked. */
  readonly returnedCharges: readonly ReturnedCharge[];
  /** Payouts that the bank sent back, by the bank's date. */
  readonly returnedPayouts: readonly { readonly id: string; readonly amount: Clp; readonly returnedAt: Date }[];
  readonly settled: SettledBooks;
}

/** A charge that the books do not have, and its return. */
export interface ReturnedCharge {
  /** The id of the return. */
  readonly id: string;
  /** The reconciliation's name for the charge. */
  readonly reference: string;
  readonly orderId: OrderId | null;
  readonly amount: Clp;
  readonly chargedAt: Date;
  readonly returnedAt: Date;
}

/** The gateways' lists of the same period; null if a list was unavailable. */
export interface Lists {
  readonly movements: readonly ProcessorMovement[] | null;
  readonly settlements: readonly Settlement[] | null;
  /** Loans of the period, and of one day around it, because the list does not say when they changed. */
  readonly loans: { readonly inPeriod: readonly Loan[]; readonly around: readonly Loan[] } | null;
  readonly transfers: readonly BankTransfer[] | null;
  readonly documents: readonly IssuedDocument[] | null;
}

/**
 * All differences in [from, to), except those with an unknown outcome. The given orders are all compared, whatever
 * their date.
 */
export function compare(books: Books, lists: Lists, period: { readonly from: Date; readonly to: Date }): Difference[] {
  const differences = [
    ...(lists.movements === null ? [] : compareMovements(books, lists.movements)),
    ...(lists.loans === null ? [] : compareLoans(books, lists.loans, period.from)),
    ...(lists.transfers === null ? [] : compareTransfers(books, lists.transfers)),
    ...(lists.documents === null ? [] : compareDocuments(books, lists.documents)),
    ...(lists.settlements === null ? [] : compareSettlements(books.settled, lists.settlements)),
    ...compareSettled(books.settled, lists.settlements),
    ...books.orders.flatMap((order) => compareOrder(books, order)),
  ];
  return differences
    .filter(({ at, party }) => at < period.to && (at >= period.from || party === "ledger"))
    .filter(
      ({ party, reference }) => !books.unresolved.has(reference) && !books.unresolved.has(lineName(party, reference)),
    )
    .sort((a, b) => a.at.getTime() - b.at.getTime() || a.reference.localeCompare(b.reference));
}

function compareMovements(books: Books, movements: readonly ProcessorMovement[]): Difference[] {
  const sides = [
    {
      kind: "charge",
      side: "debit",
      named: { missing: "charge_missing", notBooked: "charge_not_booked", amountDiffers: "charge_amount_differs" },
    },
    {
      kind: "return",
      side: "credit",
      named: { missing: "return_missing", notBooked: "return_not_booked", amountDiffers: "return_amount_differs" },
    },
  ] as const;
  const lines = sides.flatMap(({ kind, side, named }) => {
    // A chargeback is not a return: the processor lists it as a separate movement.
    const rows = books.rows.filter((row) => row[side] === "card_processor" && row.debit !== "chargeback_loss");
    const known = [
      ...rows.map((row) => ({ ...row, id: sourceOf(row.cause, 1) })),
      ...books.returnedCharges.map((returned) => returnedLine(returned, kind)),
    ];
    const booked = sumBy(known, (line) => line);
    const listed = sumBy(
      movements.filter((movement) => movement.kind === kind),
      ({ idempotencyKey, orderHash: orderId, amount, at }) => ({
        id: sourceOf(idempotencyKey, 0),
        orderId,
        amount,
        at,
      }),
    );
    return compareLines(booked, listed, { party: "card_processor", ...named });
  });
  return [...lines, ...movements.flatMap((movement) => chargeback(books, movement))];
}

/** One of the two lines of a returned charge. */
function returnedLine(returned: ReturnedCharge, kind: "charge" | "return"): Line & { readonly id: string } {
  const { id, reference, orderId, amount, chargedAt, returnedAt } = returned;
  return kind === "charge"
    ? { id: reference, orderId, amount, at: chargedAt }
    : { id, orderId, amount, at: returnedAt };
}

/** A chargeback is a difference until an operator has recorded who bears the loss, because it is only booked then. */
function chargeback({ settledChargebacks }: Books, movement: ProcessorMovement): Difference[] {
  const { id, kind, orderHash: orderId, amount: found, at } = movement;
  if (kind !== "chargeback" || settledChargebacks.has(id)) return [];
  return [{ kind: "chargeback", party: "card_processor", orderId, reference: id, expected: null, found, at }];
}

function compareLoans(books: Books, loans: NonNullable<Lists["loans"]>, at: Date): Difference[] {
  const party = "financing_provider";
  const listed = new Set(loans.around.map(({ idempotencyKey }) => sourceOf(idempotencyKey, 0)));
  const differing = loans.inPeriod.flatMap((loan): Difference[] => {
    const reference = sourceOf(loan.idempotencyKey, 0);
    const row = books.lent.find(({ cause }) => cause === `loan:${reference}`);
    const expected = row === undefined ? null : subtractClp(row.amount, reducedOf(books, loan.orderHash));
    const found = isLent(loan) ? loan.amount : ZERO;
    if ((expected ?? ZERO) === found || books.unresolved.has(loan.orderHash)) return [];
    const kind = row === undefined ? "loan_not_booked" : "loan_amount_differs";
    return [{ kind, party, orderId: loan.orderHash, reference, expected, found, at }];
  });
  const missing = books.rows
    .filter(({ cause }) => cause.startsWith("loan:") && !listed.has(sourceOf(cause, 1)))
    .map(({ orderId, cause, amount: expected, at: bookedAt }): Difference => {
      const reference = sourceOf(cause, 1);
      return { kind: "loan_missing", party, orderId, reference, expected, found: null, at: bookedAt };
    });
  return [...differing, ...missing];
}

/** The amount of an order's loan that was taken back, according to the books. */
function reducedOf({ lent }: Books, orderId: OrderId): Clp {
  const reductions = lent.filter((row) => row.orderId === orderId && row.cause.startsWith("reduction:"));
  return addClp(...reductions.map(({ amount }) => amount));
}

/** Whether the lender has paid the loan out. */
export function isLent({ status }: Loan): boolean {
  return status === "confirmed" || status === "settled";
}

/** The reference of the return of a payout. */
export function returnOf(payoutId: string): string {
  return `${payoutId}:return`;
}

function compareTransfers({ rows, returnedPayouts }: Books, transfers: readonly BankTransfer[]): Difference[] {
  // Returns are compared by the bank's date: the ledger has them on the day on which the service learned of them.
  const touching = rows.filter(
    ({ debit, credit, cause }) => (credit === "bank" || debit === "bank") && !cause.split(":")[0]?.endsWith("-return"),
  );
  const made = sumBy(touching, (row) => ({
    id: sourceOf(row.cause, 1),
    // A payout belongs to many orders.
    orderId: null,
    amount: row.credit === "bank" ? row.amount : subtractClp(ZERO, row.amount),
    at: row.at,
  }));
  const returned = returnedPayouts.map(({ id, amount, returnedAt: at }): [string, Line] => [
    returnOf(id),
    { orderId: null, amount, at },
  ]);
  const listed = sumBy(transfers, ({ idempotencyKey, kind, amount, at }) => {
    const id = sourceOf(idempotencyKey, 0);
    return { id: kind === "return" ? returnOf(id) : id, orderId: null, amount, at };
  });
  return compareLines(new Map([...made, ...returned]), listed, {
    party: "bank",
    missing: "payout_missing",
    notBooked: "payout_not_booked",
    amountDiffers: "payout_amount_differs",
  });
}

/** Checks that every paid commission has its boleta, and every returned one its nota de crédito, VAT included. */
function compareDocuments({ taxed }: Books, documents: readonly IssuedDocument[]): Difference[] {
  const booked = sumBy(taxed, (row) => ({ ...row, id: sourceOf(row.cause, 1) }));
  const valid = documents.filter(({ rejected }) => rejected !== true);
  const listed = sumBy(valid, ({ idempotencyKey, amount, at }) => {
    return { id: sourceOf(idempotencyKey, 0), orderId: null, amount, at };
  });
  return compareLines(booked, listed, {
    party: "tax_documents",
    missing: "commission_without_document",
    notBooked: "document_without_commission",
    amountDiffers: "document_amount_differs",
  });
}

function compareOrder({ unresolved }: Books, order: OrderSums): Difference[] {
  const { orderId, updatedAt: at, price, bookedPrice, collected, bookedCollected } = order;
  if (unresolved.has(orderId)) return [];
  const { patientExcess, commissionKept, commissionDue } = order;
  const sums = [
    { kind: "order_price_differs" as const, expected: price, found: bookedPrice },
    { kind: "order_collection_differs" as const, expected: collected, found: bookedCollected },
    { kind: "patient_holds_too_much" as const, expected: ZERO, found: patientExcess },
    {
      kind: "commission_held" as const,
      expected: minClp(commissionKept, commissionDue),
      found: commissionKept,
    },
  ];
  return sums
    .filter(({ expected, found }) => expected !== found)
    .map((sum) => ({ ...sum, party: "ledger" as const, orderId, reference: orderId, at }));
}
