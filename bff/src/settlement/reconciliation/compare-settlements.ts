import type { Clp } from "../../contract/vocabulary/clp.ts";
import type { Settlement } from "../../gateways/card-processor.ts";
import type { BookedRow } from "../../orders/books.ts";
import { compareLines, type Difference, type Line, sourceOf, sumBy } from "../compare-lines.ts";
import { addsUp, type BookedSettlement, bookedLine, type SettledMovement } from "../settlement.ts";

/** The books' view of settlements. */
export interface SettledBooks {
  readonly settlements: readonly BookedSettlement[];
  /** The settled amount of each charge and return that a settlement of the period settles. */
  readonly movements: readonly SettledMovement[];
  /** The card processor's rows for every order of these movements. */
  readonly rows: readonly BookedRow[];
  /** Rows that should have been settled within the period but were not, with their due dates. */
  readonly overdue: readonly { readonly row: BookedRow; readonly dueAt: Date }[];
}

const party = "card_processor";

/**
 * Compares the settlements that the processor reports with the booked ones. A new one that adds up is no difference,
 * because the next daily run books it.
 */
export function compareSettlements(books: SettledBooks, listed: readonly Settlement[]): Difference[] {
  const booked = new Map(books.settlements.map((one): [string, Line] => [one.id, lineOf(one.amount, one.paidAt)]));
  const reported = listed.filter((one) => booked.has(one.id) || !addsUp(one));
  return compareLines(booked, new Map(reported.map((one): [string, Line] => [one.id, lineOf(one.amount, one.at)])), {
    party,
    missing: "settlement_missing",
    notBooked: "settlement_not_booked",
    amountDiffers: "settlement_amount_differs",
  });
}

function lineOf(amount: Clp, at: Date): Line {
  return { orderId: null, amount, at };
}

/**
 * Compares the settled amount of each charge and return with the captured or returned amount. Items in no book are left
 * to the comparison with the list of movements. Items of a listed settlement are not overdue, because the next daily
 * run books it.
 */
export function compareSettled(
  { movements, rows, overdue }: SettledBooks,
  listed: readonly Settlement[] | null,
): Difference[] {
  const booked = { charge: bookedOn(rows, "debit"), return: bookedOn(rows, "credit") };
  const differing = movements.flatMap(({ source, kind, orderId, amount: found, at }): Difference[] => {
    const expected = booked[kind].get(source)?.amount ?? found;
    if (expected === found) return [];
    return [{ kind: "settled_differs", party, orderId, reference: source, expected, found, at }];
  });
  const lines = (listed ?? []).filter(addsUp).flatMap((settlement) => settlement.lines);
  const reported = new Set(lines.map((line) => bookedLine(line).source));
  const left = overdue.filter(({ row }) => !reported.has(sourceOf(row.cause, 1)));
  const unsettled = sumBy(left, ({ row: { orderId, amount, cause }, dueAt: at }) => {
    return { id: sourceOf(cause, 1), orderId, amount, at };
  });
  const late = [...unsettled].map(([reference, { orderId, amount: expected, at }]): Difference => {
    return { kind: "not_settled", party, orderId, reference, expected, found: null, at };
  });
  return [...differing, ...late];
}

/** The amount charged, or returned, under each id. */
function bookedOn(rows: readonly BookedRow[], side: "debit" | "credit"): ReadonlyMap<string, Line> {
  return sumBy(
    rows.filter((row) => row[side] === "card_processor"),
    ({ cause, orderId, amount, at }) => ({ id: sourceOf(cause, 1), orderId, amount, at }),
  );
}
