import { bookedRows } from "../../orders/book-reads.ts";
import type { BookedRow } from "../../orders/books.ts";
import { type Database, inTransaction } from "../../platform/database/transaction.ts";
import type { MadePayout, PayoutItem } from "../../settlement/payout.ts";
import { payoutItems } from "../../settlement/payout-views.ts";

/** The rows of a provider's ledger between two moments, oldest first. */
export async function bookedEntries(
  db: Database,
  requested: { readonly providerId: string; readonly from: Date; readonly to: Date },
) {
  const rows = await inTransaction(db, (tx) => bookedRows(tx, requested));
  return rows.toSorted((a, b) => a.at.getTime() - b.at.getTime() || a.cause.localeCompare(b.cause)).map(entryOf);
}

/** One row, in the order of the columns. */
function entryOf({ at, debit, credit, amount, cause, orderId }: BookedRow) {
  return { at: at.toISOString(), debit, credit, amount, cause, order: orderId };
}

/** In the order of the columns. */
export function payoutView({
  id,
  payeeId,
  day,
  amount,
  state,
  refusal,
  transferId,
  settledAt,
  returnedAt,
}: MadePayout) {
  const settled_at = settledAt?.toISOString() ?? null;
  const returned_at = returnedAt?.toISOString() ?? null;
  return { payout: id, payee: payeeId, day, amount, state, refusal, transfer: transferId, settled_at, returned_at };
}

/** The part of a payout that belongs to one order. */
export function payoutItemView({ orderId, net, fee, feeVat }: PayoutItem) {
  return { order: orderId, net, fee, fee_vat: feeVat };
}

/** Some payouts order by order, with the amounts paid and in transit for each payee. */
export async function statementOf(db: Database, payouts: readonly MadePayout[]) {
  const parts = await Promise.all(
    payouts.map(async (payout) =>
      (await payoutItems(db, payout)).map((item) => ({
        day: payout.day,
        payout: payout.id,
        payee: payout.payeeId,
        state: payout.state,
        ...payoutItemView(item),
      })),
    ),
  );
  const items = parts.flat();
  return { items, totals: totalsOf(items) };
}

interface Counted extends ReturnType<typeof payoutItemView> {
  readonly payee: string;
  readonly state: MadePayout["state"];
}

/**
 * The amounts paid and in transit for each payee. A payout that the bank refused or returned was not paid; its orders
 * are in a later payout again.
 */
function totalsOf(items: readonly Counted[]) {
  return [...new Set(items.map(({ payee }) => payee))].flatMap((payee) =>
    (["paid", "pending", "sending"] as const).flatMap((state) => {
      const counted = items.filter((item) => item.payee === payee && item.state === state);
      const total = (part: "net" | "fee" | "fee_vat") => sum(counted.map((item) => item[part]));
      const totals = { payee, state, net: total("net"), fee: total("fee"), fee_vat: total("fee_vat") };
      return counted.length === 0 ? [] : [totals];
    }),
  );
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0);
}
