import type { DifferenceKind, ReconciledParty } from "../../contract/reconciliation.ts";
import { addClp, type Clp, subtractClp, ZERO } from "../../contract/vocabulary/clp.ts";
import type { OrderId } from "../../contract/vocabulary/identifiers.ts";
import type { BankTransfer } from "../../gateways/bank/port.ts";
import type { ProcessorMovement } from "../../gateways/card-processor/port.ts";
import type { Loan } from "../../gateways/financing-provider/port.ts";
import type { BookedRow, OrderSums } from "../../orders/ledger/books.ts";

/**
 * The books against the parties' own lists, line by line. Every call carries an idempotency key made
 * from the id of what it was made for, and every row of the ledger has that id in its cause: that is how a line of one is
 * found in the other.
 */

export interface Books {
  /** Of the period, and a day around it: a line may be just beyond the border on one side. */
  readonly rows: readonly BookedRow[];
  /** Of every order that a listed loan belongs to: rows of all time that touch the financing provider as a lender. */
  readonly lent: readonly BookedRow[];
  readonly orders: readonly OrderSums[];
  /** Ids of attempts, movements and payouts whose end is not known yet, and of orders that have one. */
  readonly unresolved: ReadonlySet<string>;
  /** Chargebacks of which a person has said who bears them, by the processor's ids. */
  readonly settledChargebacks: ReadonlySet<string>;
}

/** The parties' lists of the same time; `null`: it could not be had. */
export interface Lists {
  readonly movements: readonly ProcessorMovement[] | null;
  /** Loans do not say when they changed, so that they are listed twice. */
  readonly loans: { readonly inPeriod: readonly Loan[]; readonly around: readonly Loan[] } | null;
  readonly transfers: readonly BankTransfer[] | null;
}

export interface Difference {
  readonly kind: DifferenceKind;
  readonly party: ReconciledParty;
  readonly orderId: OrderId | null;
  readonly reference: string;
  readonly expected: Clp | null;
  readonly found: Clp | null;
  readonly at: Date;
}

/**
 * Everything on which they do not agree and that lies in [from, to); what is still under way is left out. Of the orders, all
 * that are given are compared.
 */
export function compare(books: Books, lists: Lists, period: { readonly from: Date; readonly to: Date }): Difference[] {
  const differences = [
    ...(lists.movements === null ? [] : compareMovements(books, lists.movements)),
    ...(lists.loans === null ? [] : compareLoans(books, lists.loans, period.from)),
    ...(lists.transfers === null ? [] : compareTransfers(books, lists.transfers)),
    ...books.orders.flatMap((order) => compareOrder(books, order)),
  ];
  return differences
    .filter(({ at, party }) => at < period.to && (at >= period.from || party === "ledger"))
    .filter(({ reference }) => !books.unresolved.has(reference))
    .sort((a, b) => a.at.getTime() - b.at.getTime() || a.reference.localeCompare(b.reference));
}

/** The id for which a call was made, and a row was booked. */
function sourceOf(keyOrCause: string, part: 0 | 1): string {
  return keyOrCause.split(":")[part] ?? keyOrCause;
}

interface Line {
  readonly orderId: OrderId | null;
  readonly amount: Clp;
  readonly at: Date;
}

/** Adds lines up that belong to the same thing. */
function sumBy<Item>(items: readonly Item[], read: (item: Item) => Line & { readonly id: string }): Map<string, Line> {
  const lines = new Map<string, Line>();
  for (const item of items) {
    const { id, orderId, amount, at } = read(item);
    const before = lines.get(id);
    lines.set(
      id,
      before === undefined ? { orderId, amount, at } : { ...before, amount: addClp(before.amount, amount) },
    );
  }
  return lines;
}

interface Kinds {
  readonly party: ReconciledParty;
  readonly missing: DifferenceKind;
  readonly notBooked: DifferenceKind;
  readonly amountDiffers: DifferenceKind;
}

/** Both sides, line by line. */
function compareLines(booked: Map<string, Line>, listed: Map<string, Line>, kinds: Kinds): Difference[] {
  const { party } = kinds;
  const ours = [...booked].flatMap(([reference, { orderId, amount, at }]): Difference[] => {
    const found = listed.get(reference)?.amount ?? null;
    if (found === amount) return [];
    const kind = found === null ? kinds.missing : kinds.amountDiffers;
    return [{ kind, party, orderId, reference, expected: amount, found, at }];
  });
  const theirs = [...listed]
    .filter(([reference]) => !booked.has(reference))
    .map(
      ([reference, { orderId, amount, at }]): Difference => ({
        kind: kinds.notBooked,
        party,
        orderId,
        reference,
        expected: null,
        found: amount,
        at,
      }),
    );
  return [...ours, ...theirs];
}

function compareMovements(books: Books, movements: readonly ProcessorMovement[]): Difference[] {
  const sides = [
    { kind: "charge", side: "debit", name: "charge" },
    { kind: "return", side: "credit", name: "return" },
  ] as const;
  const lines = sides.flatMap(({ kind, side, name }) => {
    const booked = sumBy(
      // What a bank has taken back was returned by nobody.
      books.rows.filter((row) => row[side] === "card_processor" && row.debit !== "chargeback_loss"),
      (row) => ({ ...row, id: sourceOf(row.cause, 1) }),
    );
    const listed = sumBy(
      movements.filter((movement) => movement.kind === kind),
      ({ idempotencyKey, orderId, amount, at }) => ({
        id: sourceOf(idempotencyKey, 0),
        orderId,
        amount,
        at,
      }),
    );
    return compareLines(booked, listed, {
      party: "card_processor",
      missing: `${name}_missing`,
      notBooked: `${name}_not_booked`,
      amountDiffers: `${name}_amount_differs`,
    });
  });
  return [...lines, ...movements.flatMap((movement) => chargeback(books, movement))];
}

/** Money that a bank has taken back is in nobody's books, until a person has said who bears it. */
function chargeback({ settledChargebacks }: Books, movement: ProcessorMovement): Difference[] {
  const { id, kind, orderId, amount: found, at } = movement;
  if (kind !== "chargeback" || settledChargebacks.has(id)) return [];
  return [{ kind: "chargeback", party: "card_processor", orderId, reference: id, expected: null, found, at }];
}

function compareLoans(books: Books, loans: NonNullable<Lists["loans"]>, at: Date): Difference[] {
  const party = "financing_provider";
  const listed = new Set(loans.around.map(({ idempotencyKey }) => sourceOf(idempotencyKey, 0)));
  const differing = loans.inPeriod.flatMap((loan): Difference[] => {
    const reference = sourceOf(loan.idempotencyKey, 0);
    const row = books.lent.find(({ cause }) => cause === `loan:${reference}`);
    const expected = row === undefined ? null : subtractClp(row.amount, reducedOf(books, loan.orderId));
    const found = isLent(loan) ? loan.amount : ZERO;
    if ((expected ?? ZERO) === found || books.unresolved.has(loan.orderId)) return [];
    const kind = row === undefined ? "loan_not_booked" : "loan_amount_differs";
    return [{ kind, party, orderId: loan.orderId, reference, expected, found, at }];
  });
  const missing = books.rows
    .filter(({ debit, cause }) => debit === party && !listed.has(sourceOf(cause, 1)))
    .map(({ orderId, cause, amount: expected, at: bookedAt }): Difference => {
      const reference = sourceOf(cause, 1);
      return { kind: "loan_missing", party, orderId, reference, expected, found: null, at: bookedAt };
    });
  return [...differing, ...missing];
}

/** What of an order's loan has been taken back, by the books. */
function reducedOf({ lent }: Books, orderId: OrderId): Clp {
  const reductions = lent.filter((row) => row.orderId === orderId && row.cause.startsWith("reduction:"));
  return addClp(...reductions.map(({ amount }) => amount));
}

function isLent({ status }: Loan): boolean {
  return status === "confirmed" || status === "settled";
}

function compareTransfers({ rows }: Books, transfers: readonly BankTransfer[]): Difference[] {
  const touching = rows.filter(({ debit, credit }) => credit === "bank" || debit === "bank");
  const booked = sumBy(touching, (row) => ({
    id: sourceOf(row.cause, 1),
    // A payout is of many orders.
    orderId: null,
    amount: row.credit === "bank" ? row.amount : subtractClp(ZERO, row.amount),
    at: row.at,
  }));
  const listed = sumBy(transfers, ({ idempotencyKey, amount, at }) => {
    return { id: sourceOf(idempotencyKey, 0), orderId: null, amount, at };
  });
  return compareLines(booked, listed, {
    party: "bank",
    missing: "payout_missing",
    notBooked: "payout_not_booked",
    amountDiffers: "payout_amount_differs",
  });
}

function compareOrder({ unresolved }: Books, order: OrderSums): Difference[] {
  const { orderId, updatedAt: at, price, bookedPrice, collected, bookedCollected } = order;
  if (unresolved.has(orderId)) return [];
  const sums = [
    { kind: "order_price_differs" as const, expected: price, found: bookedPrice },
    { kind: "order_collection_differs" as const, expected: collected, found: bookedCollected },
  ];
  return sums
    .filter(({ expected, found }) => expected !== found)
    .map((sum) => ({ ...sum, party: "ledger" as const, orderId, reference: orderId, at }));
}
