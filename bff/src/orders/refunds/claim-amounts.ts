import { addClp, type Clp } from "../../contract/vocabulary/clp.ts";
import type { Transaction } from "../../platform/database/transaction.ts";
import type { OrdersDependencies } from "../dependencies.ts";
import { movementId } from "../derived-ids.ts";
import { recordTransfers } from "../ledger/transfer-store.ts";
import { owedTransfer, recoveryTransfer, type Transfer } from "../ledger/transfers.ts";
import type { Movement, OrderRecord } from "../order-record.ts";
import { type OrderKey, updateOrder } from "../order-store.ts";
import { bookCommissionBack } from "../tax-documents/commission-books.ts";
import { insertMovements, type NewMovement } from "./refund-store.ts";

/**
 * Claims a refund's amount on the locked order, and its movements if they are known. Movements without a call are
 * completed and booked at once. Table constraints reject claims beyond the amount paid.
 */
export async function claimAmounts(
  tx: Transaction,
  dependencies: Pick<OrdersDependencies, "ids" | "clock">,
  order: OrderRecord,
  {
    refundId,
    amount,
    movements,
    at,
  }: {
    readonly refundId: string;
    readonly amount: Clp;
    readonly movements: readonly Movement[];
    readonly at: Date;
  },
): Promise<void> {
  const changes = {
    refund_accepted: addClp(order.refundAccepted, amount),
    deferred_cancelled: addClp(order.deferredCancelled, reductionIn(movements)),
  };
  await updateOrder(tx, order, changes, at);
  if (movements.length === 0) return;
  const key = { providerId: order.providerId, orderId: order.orderId, refundId };
  const inserted = movements.map((movement) => newMovement(movement, movementId(refundId, movement)));
  await insertMovements(tx, key, inserted, at);
  const transfers = inserted.flatMap((movement) => transfersAtOnce(key, movement, at));
  await recordTransfers(tx, dependencies.ids, transfers);
  for (const { id: sourceId, kind, commission, paymentId } of inserted) {
    const to = COMMISSION_AT_ONCE[kind];
    if (to !== null)
      await bookCommissionBack(tx, dependencies, order, { sourceId, amount: commission, at, to, of: paymentId });
  }
}

/** The account that receives the commission of a movement without a call. */
const COMMISSION_AT_ONCE = {
  loss_recovery: "chargeback_loss",
  bank_transfer: "transfers_owed",
  loan_reduction: null,
  card_return: null,
} as const;

function newMovement(movement: Movement, id: string): NewMovement {
  // A reduction of only the commission leaves the loan as it is.
  const reducesLoan = movement.kind === "loan_reduction" && movement.amount > 0;
  const isCalled = reducesLoan || movement.kind === "card_return";
  return { ...movement, id, status: isCalled ? "pending" : "done" };
}

function transfersAtOnce(
  { providerId, orderId }: OrderKey,
  { id: sourceId, kind, amount }: NewMovement,
  at: Date,
): readonly Transfer[] {
  const movement = { providerId, orderId, sourceId, amount, at };
  switch (kind) {
    case "loss_recovery":
      return [recoveryTransfer(movement)];
    case "bank_transfer":
      return [owedTransfer(movement)];
    case "loan_reduction":
    case "card_return":
      return [];
  }
}

/** The amount by which movements reduce the deferred part. */
export function reductionIn(movements: readonly Movement[]): Clp {
  return addClp(...movements.filter(({ kind }) => kind === "loan_reduction").map(({ amount }) => amount));
}
