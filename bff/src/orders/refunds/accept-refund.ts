import { addClp, type Clp, subtractClp } from "../../contract/vocabulary/clp.ts";
import type { Transaction } from "../../platform/database/transaction.ts";
import type { OrdersDependencies } from "../dependencies.ts";
import { recordTransfers } from "../ledger/transfer-store.ts";
import { owedTransfer, recoveryTransfer, type Transfer } from "../ledger/transfers.ts";
import type { KeptMovement, Movement, OrderRecord, RefundRecord } from "../orders/order-record.ts";
import { type OrderKey, updateOrder } from "../orders/order-store.ts";
import { bookCommissionBack } from "../tax-documents/commission-books.ts";
import { type Allocation, allocateRefund } from "./refund-allocation.ts";
import { movementId } from "./refund-id.ts";
import { failWaitingRefund, insertMovements } from "./refund-store.ts";

/** How a refund of this order would be allocated if it were accepted now. */
export function planRefund(order: OrderRecord, amount: Clp): Allocation {
  return allocateRefund(order, { amount, acceptedAfter: addClp(order.refundAccepted, amount), isPromised: false });
}

/**
 * Claims a refund's amount on the locked order, and its movements if they are known. What needs no call is done and booked
 * at once. Constraints of the tables reject claims beyond what was paid.
 */
export async function claimAmounts(
  tx: Transaction,
  dependencies: Pick<OrdersDependencies, "ids" | "clock">,
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
  const named = movements.map((movement) => keptMovement(movement, movementId(refundId, movement)));
  await insertMovements(tx, key, named, at);
  await recordTransfers(
    tx,
    dependencies.ids,
    named.flatMap((movement) => transfersAtOnce(key, movement, at)),
  );
  for (const { id: sourceId, kind, commission, paymentId } of named) {
    const to = COMMISSION_AT_ONCE[kind];
    if (to !== null)
      await bookCommissionBack(tx, dependencies, order, { sourceId, amount: commission, at, to, of: paymentId });
  }
}

/** Where the commission of a movement that needs no call goes. */
const COMMISSION_AT_ONCE = {
  loss_recovery: "chargeback_loss",
  bank_transfer: "transfers_owed",
  loan_reduction: null,
  card_return: null,
} as const;

function keptMovement(movement: Movement, id: string): KeptMovement {
  const isCalled = movement.kind === "loan_reduction" || movement.kind === "card_return";
  return { ...movement, id, status: isCalled ? "pending" : "done", isTaken: false, refusal: null };
}

function transfersAtOnce(key: OrderKey, movement: KeptMovement, at: Date): readonly Transfer[] {
  const { providerId, orderId } = key;
  const price = { providerId, orderId, sourceId: movement.id, at, amount: movement.amount };
  switch (movement.kind) {
    case "loss_recovery":
      return [recoveryTransfer(price)];
    case "bank_transfer":
      return [owedTransfer(price)];
    case "loan_reduction":
    case "card_return":
      return [];
  }
}

/**
 * Allocates the refunds that waited for a charge of the locked order, oldest first, once no charge is unresolved. What
 * a debit or prepaid card does not take back in part is owed by bank transfer. A refund that needs a disputed charge fails
 * and releases its claim. Returns the refunds
 * that were decided; `settleRefund` then runs them or reports their failure.
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
    // `refundAccepted` already includes this refund and those that wait behind it.
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
      await updateOrder(tx, order, [order.state], { refund_accepted: before.refundAccepted }, at);
    }
  }
}

/** The amount by which movements reduce the deferred part. */
export function reductionIn(movements: readonly Movement[]): Clp {
  return addClp(...movements.filter(({ kind }) => kind === "loan_reduction").map(({ amount }) => amount));
}
