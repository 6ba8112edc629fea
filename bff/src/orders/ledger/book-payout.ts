import { type Clp, clp } from "../../contract/vocabulary/clp.ts";
import type { OrderId } from "../../contract/vocabulary/identifiers.ts";
import type { Transaction } from "../../platform/database/transaction.ts";
import type { Ids } from "../../platform/ids.ts";
import { recordTransfers } from "./transfer-store.ts";
import type { Transfer } from "./transfers.ts";

export interface PaidOut {
  readonly providerId: string;
  readonly payoutId: string;
  /** What is paid: what clinics are owed for their orders, or what was collected for the lender. */
  readonly of: "clinics" | "lender";
  /** In the provider's time. */
  readonly at: Date;
  readonly items: readonly { readonly orderId: OrderId; readonly net: Clp; readonly fee: Clp }[];
}

/**
 * Books a payout that the bank has made, order by order: the amount paid and the fee kept. An item made negative by a
 * later refund is booked in the opposite direction, so that all rows of a payout sum to its amount.
 */
export async function bookPayout(tx: Transaction, ids: Ids, paid: PaidOut): Promise<void> {
  await recordTransfers(tx, ids, payoutTransfers(paid));
}

/** The transfers of a payout; exported for the test that sums them. */
export function payoutTransfers({ providerId, payoutId, of, at, items }: PaidOut): Transfer[] {
  const [owed, cause] = of === "lender" ? (["remitted", "remittance"] as const) : (["order", "payout"] as const);
  return items.flatMap(({ orderId, net, fee }) =>
    [
      { to: "bank" as const, cause: `${cause}:${payoutId}:${orderId}`, amount: net },
      { to: "payout_fee" as const, cause: `payout-fee:${payoutId}:${orderId}`, amount: fee },
    ]
      .filter(({ amount }) => amount !== 0)
      .map(({ to, amount, ...booked }) => ({
        providerId,
        orderId,
        ...(amount > 0 ? { debit: owed, credit: to } : { debit: to, credit: owed }),
        amount: clp(Math.abs(amount)),
        cause: booked.cause,
        at,
      })),
  );
}
