import { addClp, type Clp } from "../contract/vocabulary/clp.ts";
import type { Transaction } from "../platform/database/transaction.ts";
import { idFor } from "../platform/ids.ts";
import type { OrdersDependencies } from "./dependencies.ts";
import { deferredDue } from "./later-charge.ts";
import { recordTransfers } from "./ledger/transfer-store.ts";
import { otherwiseTransfer } from "./ledger/transfers.ts";
import { lockOrder } from "./order-reads.ts";
import { type OrderKey, updateOrder } from "./order-store.ts";
import { insertPaymentOtherwise } from "./payments/payment-store.ts";
import { bookCommission } from "./tax-documents/commission-books.ts";

export interface PaidOtherwiseAs {
  readonly amount: Clp;
  /** Evidence that the money arrived, without personal data. */
  readonly evidence: string;
  /** `operator:<name>` */
  readonly actor: string;
  /** In the provider's time. */
  readonly at: Date;
}

export type BookedOtherwise =
  | { readonly outcome: "booked"; readonly paymentId: string; readonly amount: Clp; readonly commission: Clp }
  | { readonly outcome: "nothing_due" }
  /** A charge of the order has no outcome yet, and may take the same money. */
  | { readonly outcome: "charge_under_way" }
  | { readonly outcome: "amount_differs"; readonly due: Clp };

/**
 * Books that the patient paid the due deferred part, commission included, by another method than card. After that
 * nothing is left to charge.
 */
export async function payOtherwise(
  tx: Transaction,
  dependencies: Pick<OrdersDependencies, "ids" | "clock">,
  key: OrderKey,
  { amount, ...paid }: PaidOtherwiseAs,
): Promise<BookedOtherwise> {
  const order = await lockOrder(tx, key);
  const { price, commission } = deferredDue(order);
  const due = addClp(price, commission);
  if (order.payments.some(({ status }) => status === "processing")) return { outcome: "charge_under_way" };
  if (price === 0) return { outcome: "nothing_due" };
  if (amount !== due) return { outcome: "amount_differs", due };
  const paymentId = idFor(`${order.orderId}:otherwise`);
  await insertPaymentOtherwise(tx, key, { ...paid, id: paymentId, amount, commission });
  const changes = { deferred_collected: addClp(order.deferredCollected, price), deferred_failed_at: null };
  await updateOrder(tx, order, changes, paid.at);
  const movement = { providerId: key.providerId, orderId: key.orderId, sourceId: paymentId, at: paid.at };
  await recordTransfers(tx, dependencies.ids, [otherwiseTransfer({ ...movement, amount: price })]);
  const { at } = paid;
  await bookCommission(tx, dependencies, order, {
    sourceId: paymentId,
    amount: commission,
    at,
    from: "paid_otherwise",
  });
  return { outcome: "booked", paymentId, amount, commission };
}
