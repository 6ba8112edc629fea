import type { Database } from "../../platform/database/transaction.ts";
import type { PayoutItem } from "../../settlement/payouts/payout.ts";
import type { MadePayout } from "../../settlement/payouts/payout-store.ts";
import { payoutItems } from "../../settlement/payouts/read-payouts.ts";

/** In the order of the columns. */
export function payoutView({ id, payeeId, day, amount, state, refusal, transferId, settledAt }: MadePayout) {
  const settled_at = settledAt?.toISOString() ?? null;
  return { payout: id, payee: payeeId, day, amount, state, refusal, transfer: transferId, settled_at };
}

/** What of a payout belongs to one order. */
export function payoutItemView({ orderId, net, fee }: PayoutItem) {
  return { order: orderId, net, fee };
}

/** Some payouts order by order, with what each payee was paid and what is on its way. */
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

interface Counted extends Pick<PayoutItem, "net" | "fee"> {
  readonly payee: string;
  readonly state: MadePayout["state"];
}

/** What each payee was paid, and what is on its way. What the bank refused was not paid; its orders are in a later payout again. */
function totalsOf(items: readonly Counted[]) {
  return [...new Set(items.map(({ payee }) => payee))].flatMap((payee) =>
    (["paid", "sending"] as const).flatMap((state) => {
      const counted = items.filter((item) => item.payee === payee && item.state === state);
      const [net, fee] = [sum(counted.map((item) => item.net)), sum(counted.map((item) => item.fee))];
      return counted.length === 0 ? [] : [{ payee, state, net, fee }];
    }),
  );
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0);
}
