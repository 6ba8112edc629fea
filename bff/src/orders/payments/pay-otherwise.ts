import { addClp, type Clp } from "../../contract/vocabulary/clp.ts";
import type { Transaction } from "../../platform/database/transaction.ts";
import { type Ids, idFor } from "../../platform/ids.ts";
import { recordTransfers } from "../ledger/transfer-store.ts";
import { otherwiseCommissionTransfer, otherwiseTransfer } from "../ledger/transfers.ts";
import { deferredDue } from "../orders/later-charge.ts";
import { lockOrder, type OrderKey, updateOrder } from "../orders/order-store.ts";
import { insertPaymentOtherwise } from "./paid-otherwise-store.ts";

export interface PaidOtherwiseAs {
  readonly amount: Clp;
  /** How it is known that the money came, without personal data. */
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
 * Books that the patient has paid what is due of the deferred part, commission included, in another way than by card.
 * From then on nothing of it is left to charge.
 */
export async function payOtherwise(
  tx: Transaction,
  ids: Ids,
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
  await updateOrder(tx, key, [order.state], changes, paid.at);
  const movement = { providerId: key.providerId, orderId: key.orderId, sourceId: paymentId, at: paid.at };
  await recordTransfers(tx, ids, [
    otherwiseTransfer({ ...movement, amount: price }),
    otherwiseCommissionTransfer({ ...movement, amount: commission }),
  ]);
  return { outcome: "booked", paymentId, amount, commission };
}
