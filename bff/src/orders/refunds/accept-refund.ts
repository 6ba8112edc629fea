import { addClp, type Clp, subtractClp } from "../../contract/vocabulary/clp.ts";
import type { Transaction } from "../../platform/database/transaction.ts";
import type { OrdersDependencies } from "../dependencies.ts";
import type { OrderRecord, RefundRecord } from "../orders/order-record.ts";
import { updateOrder } from "../orders/order-store.ts";
import { type Allocation, allocateRefund, type Movement } from "./refund-allocation.ts";
import { failWaitingRefund, insertMovements } from "./refund-store.ts";

/** How a refund of this order would be allocated if it were accepted now. */
export function planRefund(order: OrderRecord, amount: Clp): Allocation {
  return allocateRefund(order, amount, addClp(order.refundAccepted, amount));
}

/**
 * Claims a refund's amount on the locked order, and its movements if they are known. Constraints of the tables reject
 * claims beyond what was paid.
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
 * Allocates the refunds that waited for a charge of the locked order, oldest first, once no charge is unresolved. A
 * refund that would return a debit or prepaid charge only in part fails and releases its claim. Returns the refunds
 * that were decided; `settleRefund` then runs them or reports their failure.
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
    // `refundAccepted` already includes the waiting refund.
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

/** The amount by which movements reduce the deferred part. */
export function reductionIn(movements: readonly Movement[]): Clp {
  return addClp(...movements.filter(({ kind }) => kind === "loan_reduction").map(({ amount }) => amount));
}
