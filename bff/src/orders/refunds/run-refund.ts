import { addClp, type Clp, subtractClp } from "../../contract/vocabulary/clp.ts";
import { inTransaction, type Transaction } from "../../platform/database/transaction.ts";
import { type Provider, providerNow } from "../../platform/provider.ts";
import { cancelTimer } from "../../platform/timers/timer-store.ts";
import type { OrdersDependencies } from "../dependencies.ts";
import { recordTransfers } from "../ledger/transfer-store.ts";
import { commissionReturnTransfer, reductionTransfer, returnTransfer, type Transfer } from "../ledger/transfers.ts";
import { moveOrder } from "../orders/move-order.ts";
import { lockOrder, requireOrder, updateOrder } from "../orders/order-store.ts";
import { settle } from "../payments/payment-calls.ts";
import { leaseFrom } from "../payments/run-payment.ts";
import { reductionIn } from "./accept-refund.ts";
import {
  dropMovements,
  endRefund,
  type KeptMovement,
  type RefundKey,
  readMovements,
  releaseRefund,
  writeMovement,
} from "./refund-store.ts";

/** Settles a refund whose process died, whose answer is unknown, or which waits for a charge. Its key is the refund's id. */
export const SETTLE_REFUND_TIMER = "refund.settle";

export type RunRefundDependencies = Pick<
  OrdersDependencies,
  "db" | "clock" | "ids" | "related" | "cardProcessor" | "financingProvider" | "logger"
>;

export interface RefundRun {
  readonly provider: Provider;
  readonly key: RefundKey;
  readonly leaseId: string;
  /** Somebody may have made the call of the next pending movement before. */
  readonly asked: boolean;
  readonly isInquiry: boolean;
  readonly endTimer: (tx: Transaction) => Promise<void>;
}

export function cancelRefundSettling(refundId: string): RefundRun["endTimer"] {
  return async (tx) => void (await cancelTimer(tx, { kind: SETTLE_REFUND_TIMER, key: refundId }));
}

/**
 * Makes the movements of a refund, card first, since a card may refuse and a loan does not. Returns the number of inquiries
 * without an answer, or `null` when the refund has ended or is somebody else's.
 */
export async function runRefund(dependencies: RunRefundDependencies, run: RefundRun): Promise<number | null> {
  const { db, clock } = dependencies;
  let { asked } = run;
  const order = await requireOrder(db, run.key);
  for (const movement of await readMovements(db, run.key)) {
    if (movement.status === "refused") break;
    if (movement.status !== "pending") continue;
    const at = providerNow(run.provider, clock.now());
    const parties = { loanId: order.loanId, chargeId: chargeOf(order.payments, movement) };
    const answer = await makeMovement(dependencies, run.key, movement, { ...parties, asked, at });
    asked = false;
    const answeredAt = providerNow(run.provider, clock.now());
    const lease = leaseFrom(clock.now(), run.leaseId);
    if (answer === null) return releaseRefund(db, run.key, lease, { isInquiry: run.isInquiry, at: answeredAt });
    const isMine = await inTransaction(db, async (tx) => {
      if (!(await writeMovement(tx, run.key, movement, { ...answer, lease, at: answeredAt }))) return false;
      if (answer.status === "done")
        await recordTransfers(tx, dependencies.ids, transfersOf(run.key, movement, answeredAt));
      return true;
    });
    if (!isMine) return null;
    if (answer.status === "refused") break;
  }
  await finishRefund(dependencies, run);
  return null;
}

interface MovementAnswer {
  readonly status: "done" | "refused";
  readonly returnId: string | null;
}

async function makeMovement(
  { cardProcessor, financingProvider }: RunRefundDependencies,
  key: RefundKey,
  movement: KeptMovement,
  given: {
    readonly loanId: string | null;
    readonly chargeId: string | null;
    readonly asked: boolean;
    readonly at: Date;
  },
): Promise<MovementAnswer | null> {
  const { asked, at, loanId, chargeId } = given;
  const call = { providerId: key.providerId, idempotencyKey: `${movement.id}:refund`, at };
  if (movement.kind === "loan_reduction") {
    if (loanId === null) throw new RefundSourceMissing("a paid order has no loan");
    const reduced = await settle(asked && (() => financingProvider.inquireReduction(call)), () =>
      financingProvider.reduceLoan(call, { loanId, amount: movement.amount }),
    );
    return reduced && { status: "done", returnId: null };
  }
  if (chargeId === null) throw new RefundSourceMissing("a captured payment has no charge");
  const amount = addClp(movement.amount, movement.commission);
  const returned = await settle(asked && (() => cardProcessor.inquireReturn(call)), () =>
    cardProcessor.returnCharge(call, { chargeId, amount, orderHash: key.id }),
  );
  if (returned === null) return null;
  return returned.outcome === "returned"
    ? { status: "done", returnId: returned.returnId }
    : { status: "refused", returnId: null };
}

/** Thrown when an order lacks what its refund comes from: a defect. */
class RefundSourceMissing extends Error {
  override readonly name = "RefundSourceMissing";
  readonly code = "refund_source_missing";
}

function chargeOf(payments: readonly { id: string; chargeId: string | null }[], movement: KeptMovement): string | null {
  return payments.find(({ id }) => id === movement.paymentId)?.chargeId ?? null;
}

function transfersOf(key: RefundKey, movement: KeptMovement, at: Date): readonly Transfer[] {
  const { providerId, id: orderId } = key;
  const base = { providerId, orderId, sourceId: movement.id, at };
  if (movement.kind === "loan_reduction") return [reductionTransfer({ ...base, amount: movement.amount })];
  return [
    returnTransfer({ ...base, amount: movement.amount }),
    commissionReturnTransfer({ ...base, amount: movement.commission }),
  ];
}

/**
 * Ends a refund in one transaction: what was given back counts, what was not is free again. A card that refused makes the
 * refund `failed`; what was done before that stays done, and is told.
 */
async function finishRefund(dependencies: RunRefundDependencies, run: RefundRun): Promise<void> {
  const { db, clock, logger } = dependencies;
  const { key } = run;
  const at = providerNow(run.provider, clock.now());
  const status = await inTransaction(db, async (tx) => {
    const order = await lockOrder(tx, key);
    const refund = order.refunds.find(({ id }) => id === key.refundId);
    const movements = await readMovements(tx, key);
    const undone = movements.filter((movement) => movement.status !== "done");
    const ended = undone.length === 0 ? "succeeded" : "failed";
    if (refund === undefined || !(await endRefund(tx, key, { status: ended, leaseId: run.leaseId, at }))) return null;
    if (undone.length > 0) await dropMovements(tx, key, undone, at);
    const done = addClp(...movements.filter((movement) => movement.status === "done").map(({ amount }) => amount));
    const refunded = addClp(order.refunded, done);
    const changes = {
      refunded,
      refund_accepted: subtractClp(order.refundAccepted, subtractClp(refund.amount, done)),
      deferred_cancelled: subtractClp(order.deferredCancelled, reductionIn(undone)),
    };
    const trigger = refundTrigger(order.total, refunded, done);
    if (trigger === null) await updateOrder(tx, order, [order.state], changes, at);
    else await moveOrder(tx, dependencies, order, { trigger, at, changes });
    await run.endTimer(tx);
    return ended;
  });
  if (status === "failed") logger.error("refund.needs_attention", { order_id: key.id, reason: "return_refused" });
}

function refundTrigger(total: Clp, refunded: Clp, done: Clp): "refund_part" | "refund_rest" | null {
  if (done === 0) return null;
  return refunded === total ? "refund_rest" : "refund_part";
}
