import { addClp, subtractClp } from "../../contract/vocabulary/clp.ts";
import type { Transaction } from "../../platform/database/transaction.ts";
import type { OrdersDependencies } from "../dependencies.ts";
import type { OrderRecord, RefundRecord } from "../order-record.ts";
import { updateOrder } from "../order-store.ts";
import { claimAmounts } from "./claim-amounts.ts";
import { allocateRefund } from "./refund-allocation.ts";
import { failWaitingRefund } from "./refund-store.ts";

/**
 * Allocates the refunds that waited for a charge of the locked order, oldest first, once no charge is unresolved. Where
 * a debit or prepaid card takes no partial return, that part is owed by bank transfer. A refund that needs a disputed
 * charge fails and releases its claim. Returns the decided refunds; `settleRefund` runs them or reports their failure.
 */
export async function allocateWaitingRefunds(
  tx: Transaction,
  dependencies: Pick<OrdersDependencies, "ids" | "clock">,
  reload: () => Promise<OrderRecord>,
  at: Date,
): Promise<readonly RefundRecord[]> {
  const decided: RefundRecord[] = [];
  for (;;) {
    const order = await reload();
    const waiting = order.refunds.find((refund) => refund.status === "processing" && !refund.allocated);
    if (waiting === undefined) return decided;
    // `refundAccepted` already includes this refund and the waiting ones after it.
    const behind = order.refunds.filter(
      ({ id, status, allocated }) => status === "processing" && !allocated && id !== waiting.id,
    );
    const acceptedAfter = subtractClp(order.refundAccepted, addClp(...behind.map(({ amount }) => amount)));
    const plan = allocateRefund(order, { amount: waiting.amount, acceptedAfter, isPromised: true });
    if (plan.outcome === "wait") return decided;
    decided.push(waiting);
    const before = { ...order, refundAccepted: subtractClp(order.refundAccepted, waiting.amount) };
    if (plan.outcome === "allocated") {
      const { id: refundId, amount } = waiting;
      await claimAmounts(tx, dependencies, before, { refundId, amount, movements: plan.movements, at });
    } else {
      const key = { providerId: order.providerId, orderId: order.orderId, refundId: waiting.id };
      await failWaitingRefund(tx, key, at);
      await updateOrder(tx, order, { refund_accepted: before.refundAccepted }, at);
    }
  }
}
