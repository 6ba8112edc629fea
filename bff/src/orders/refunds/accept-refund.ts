import { addClp, type Clp, subtractClp } from "../../contract/vocabulary/clp.ts";
import type { Transaction } from "../../platform/database/transaction.ts";
import type { OrdersDependencies } from "../dependencies.ts";
import type { OrderRecord, RefundRecord } from "../orders/order-record.ts";
import { updateOrder } from "../orders/order-store.ts";
import { type Allocation, allocateRefund, type Movement } from "./refund-allocation.ts";
import { failWaitingRefund, insertMovements } from "./refund-store.ts";

/** What a refund of this order would be made of, if it were accepted now. */
export function planRefund(order: OrderRecord, amount: Clp): Allocation {
  return allocateRefund(order, amount, addClp(order.refundAccepted, amount));
}

/**
 * Claims a refund's amount on the locked order, and the parts that it comes from where that is known. The constraints of
 * the tables refuse whatever would be more than was paid.
 */
export async function claimAmounts(
  tx: Transaction,
  { ids }: Pick<OrdersDependencies, "ids">,
  order: OrderRecord,
  claim: {
    readonly refundId: string;
    readonly amount: Clp;
    readonly movements: readonly Movement[];
    readonly at: Date;
  },
): Promise<void> {
  const { refundId, amount, movements, at } = claim;
  const cancelled = reductionIn(movements);
  const changes = {
    refund_accepted: addClp(order.refundAccepted, amount),
    deferred_cancelled: addClp(order.deferredCancelled, cancelled),
  };
  await updateOrder(tx, order, [order.state], changes, at);
  if (movements.length === 0) return;
  const key = { providerId: order.providerId, orderId: order.orderId, refundId };
  const named = movements.map((movement) => ({ ...movement, id: ids.uuid() }));
  await insertMovements(tx, key, named, at);
}

/**
 * Allocates the refunds that waited for a charge of the locked order, oldest first, now that none is unresolved. One that
 * would return a debit or prepaid charge in part fails, and gives its claim free. Returns the refunds whose turn has come:
 * `settleRefund` runs them, or tells of their failure.
 */
export async function allocateWaitingRefunds(
  tx: Transaction,
  dependencies: Pick<OrdersDependencies, "ids">,
  reload: () => Promise<OrderRecord>,
  at: Date,
): Promise<readonly RefundRecord[]> {
  const decided: RefundRecord[] = [];
  for (;;) {
    const order = await reload();
    const waiting = order.refunds.find((refund) => refund.status === "processing" && !refund.allocated);
    if (waiting === undefined) return decided;
    // Its claim is in the accepted sum already.
    const plan = allocateRefund(order, waiting.amount, order.refundAccepted);
    if (plan.outcome === "wait") return decided;
    decided.push(waiting);
    const before = { ...order, refundAccepted: subtractClp(order.refundAccepted, waiting.amount) };
    if (plan.outcome === "allocated") {
      const { id: refundId, amount } = waiting;
      await claimAmounts(tx, dependencies, before, { refundId, amount, movements: plan.movements, at });
    } else {
      const key = { providerId: order.providerId, orderId: order.orderId, refundId: waiting.id };
      await failWaitingRefund(tx, key, at);
      await updateOrder(tx, order, [order.state], { refund_accepted: before.refundAccepted }, at);
    }
  }
}

/** What movements take off the deferred part. */
export function reductionIn(movements: readonly Movement[]): Clp {
  return addClp(...movements.filter(({ kind }) => kind === "loan_reduction").map(({ amount }) => amount));
}
