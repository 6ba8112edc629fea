import { addClp, type Clp, subtractClp } from "../../contract/vocabulary/clp.ts";
import { type Voucher, voucherOf } from "../../contract/vocabulary/voucher.ts";
import type { ReturnOutcome } from "../../gateways/card-processor.ts";
import type { ReductionOutcome } from "../../gateways/financing-provider.ts";
import { type Answered, inquiryAt } from "../../gateways/gateway-call.ts";
import { listedReduction, listedReturn } from "../../gateways/listed-calls.ts";
import {
  type AttemptCalls,
  acceptedReturn,
  type KeyedCall,
  type RanAttempt,
  runCall,
} from "../../gateways/run-call.ts";
import { inTransaction, type Transaction } from "../../platform/database/transaction.ts";
import { leaseFrom } from "../../platform/lease.ts";
import { cancelTimer } from "../../platform/timers/timer-store.ts";
import type { AttemptConnectors, OrdersDependencies } from "../dependencies.ts";
import { recordTransfers } from "../ledger/transfer-store.ts";
import { reductionTransfer, returnTransfer } from "../ledger/transfers.ts";
import { moveOrder } from "../lifecycle/move-order.ts";
import { publishOrderNews } from "../order-events.ts";
import { findOrder, lockOrder } from "../order-reads.ts";
import { type KeptMovement, type OrderRecord, refusalOf } from "../order-record.ts";
import { requireFound, updateOrder } from "../order-store.ts";
import { bookCommissionBack } from "../tax-documents/commission-books.ts";
import { reductionIn } from "./claim-amounts.ts";
import {
  dropMovements,
  endRefund,
  type RefundKey,
  readMovements,
  releaseRefund,
  writeAcceptedReturn,
  writeMovement,
} from "./refund-store.ts";

/**
 * Kind of the timer that settles a refund whose process died, whose outcome is unknown, or that waits for a charge. Its
 * key is the refund's id.
 */
export const SETTLE_REFUND_TIMER = "refund.settle";

export type RunRefundDependencies = Pick<
  OrdersDependencies,
  "db" | "clock" | "ids" | "related" | "cardProcessor" | "financingProvider" | "connectors" | "logger" | "within"
>;

export interface RefundRun {
  readonly key: RefundKey;
  /** The provider's time, which is read again after each call. */
  readonly now: () => Date;
  readonly leaseId: string;
  readonly connectors: AttemptConnectors;
  /** True if the call of the next pending movement may have been made before. Then it begins with an inquiry. */
  readonly mayHaveArrived: boolean;
  /**
   * True once the refund was answered `processing`, so that its failure must be published. Called under the order's
   * lock.
   */
  readonly wasAnswered: () => boolean;
  /**
   * Ends the timer that the caller holds, in the transaction that ends the refund. Null for a request, which does not
   * hold the timer; then the timer is cancelled.
   */
  readonly endTimer: ((tx: Transaction) => Promise<void>) | null;
}

type Movements = readonly KeptMovement[];
type MovementAnswer = Answered<ReductionOutcome> | Answered<ReturnOutcome>;

/** Makes the movements of a refund and ends it. Cards come first, because a card may refuse and a loan does not. */
export async function runRefund(dependencies: RunRefundDependencies, run: RefundRun): Promise<RanAttempt<Movements>> {
  const { db, clock } = dependencies;
  const { key, now, mayHaveArrived } = run;
  const order = requireFound(await findOrder(db, key));
  const calls: AttemptCalls<Movements, MovementAnswer> = {
    nextCall: (movements) => {
      const movement = nextMovement(movements);
      const { connectors } = run;
      const since = requestedAt(order, key);
      return movement && movementCall(dependencies, order, { movement, connectors, since, at: now() });
    },
    accepts: {
      isTaken: ({ outcome }) => outcome === "pending",
      wasTaken: (movements) => nextMovement(movements)?.isTaken === true,
    },
    settle: (tx, movements, answer) => settleMovement(tx, dependencies, run, { movements, answer, at: now() }),
    release: (_, { wasInquired }) => {
      const lease = leaseFrom(clock.now(), run.leaseId);
      return releaseRefund(db, key, lease, { isInquiry: wasInquired, at: now() });
    },
  };
  const ran = await runCall(db, calls, { attempt: await readMovements(db, key), mayHaveArrived });
  if (ran.outcome === "ran") await finishRefund(dependencies, run);
  return ran;
}

/** The next movement to make; null if all are made, or the card refused one, which stops the rest. */
function nextMovement(movements: Movements): KeptMovement | null {
  if (movements.some(({ status }) => status === "refused")) return null;
  return movements.find(({ status }) => status === "pending") ?? null;
}

function movementCall(
  { cardProcessor, financingProvider }: RunRefundDependencies,
  order: OrderRecord,
  {
    movement,
    connectors,
    since,
    at,
  }: {
    readonly movement: KeptMovement;
    readonly connectors: AttemptConnectors;
    readonly since: Date;
    readonly at: Date;
  },
): KeyedCall<MovementAnswer> {
  const isReduction = movement.kind === "loan_reduction";
  const connector = isReduction ? connectors.financingProvider : connectors.cardProcessor;
  const under = { providerId: order.providerId, idempotencyKey: `${movement.id}:refund`, at, connector };
  const { loanId } = order;
  if (isReduction) {
    if (loanId === null) throw new RefundSourceMissing("a paid order has no loan");
    return {
      under,
      inquire: () => financingProvider.inquireReduction(under),
      call: () => financingProvider.reduceLoan(under, { loanId, amount: movement.amount }),
      listed: listedReduction(financingProvider, under, since, {
        loanId,
        amount: movement.amount,
        // The loan is reduced by all claims of refunds that are settled or in progress.
        remaining: subtractClp(order.deferred, order.deferredCancelled),
      }),
    };
  }
  const chargeId = chargeOf(order.payments, movement);
  if (chargeId === null) throw new RefundSourceMissing("a captured payment has no charge");
  const amount = addClp(movement.amount, movement.commission);
  return {
    under,
    inquire: () => cardProcessor.inquireReturn(under),
    call: () => cardProcessor.returnCharge(under, { chargeId, amount, orderHash: order.orderId }),
    listed: listedReturn(cardProcessor, under, since),
  };
}

function requestedAt({ refunds }: OrderRecord, { refundId }: RefundKey): Date {
  const refund = refunds.find(({ id }) => id === refundId);
  if (refund === undefined) throw new RefundSourceMissing("the refund that runs is missing from its order");
  return refund.createdAt;
}

interface Settling {
  readonly movements: Movements;
  readonly answer: MovementAnswer;
  readonly at: Date;
}

/** Stores the outcome of a movement; null if the caller no longer holds the lease. */
async function settleMovement(
  tx: Transaction,
  dependencies: RunRefundDependencies,
  { key, leaseId, endTimer }: RefundRun,
  { movements, answer, at }: Settling,
): Promise<Movements | null> {
  const made = nextMovement(movements);
  if (made === null) return null;
  const written = (changed: Partial<Pick<KeptMovement, "status" | "isTaken" | "refusal">>) =>
    movements.map((movement) => (movement.id === made.id ? { ...movement, ...changed } : movement));
  const { clock } = dependencies;
  if (answer.outcome === "pending") {
    // A request's timer is set for a lost answer. After an accepted return the first inquiry comes later.
    const dueAt = inquiryAt(clock.now(), { isTaken: true });
    const timer = endTimer === null ? { kind: SETTLE_REFUND_TIMER, key: key.refundId, dueAt } : null;
    const isMine = await writeAcceptedReturn(tx, key, made, { ...acceptedReturn(answer, at), leaseId, timer });
    return isMine ? written({ isTaken: true }) : null;
  }
  const status = answer.outcome === "refused" ? "refused" : "done";
  const refusal = answer.outcome === "refused" ? (answer.reason ?? null) : null;
  const returnId = answer.outcome === "returned" ? answer.returnId : null;
  const lease = leaseFrom(clock.now(), leaseId);
  // Lock the order before its payments, as all writers do; otherwise two refunds of one order could deadlock.
  const order = await lockOrder(tx, key);
  const voucher = answer.outcome === "returned" ? keptOf(answer, order, made) : {};
  if (!(await writeMovement(tx, key, made, { status, returnId, refusal, voucher, lease, at }))) return null;
  if (status === "done") {
    const { providerId, orderId } = key;
    const transfer = made.kind === "loan_reduction" ? reductionTransfer : returnTransfer;
    const moved = transfer({ providerId, orderId, sourceId: made.id, amount: made.amount, at });
    await recordTransfers(tx, dependencies.ids, [moved]);
    await bookCommissionReturn(tx, dependencies, order, made, at);
  }
  return written({ status, refusal });
}

/** Thrown when an order lacks the charge or loan that its refund comes from: a defect. */
class RefundSourceMissing extends Error {
  override readonly name = "RefundSourceMissing";
  readonly code = "refund_source_missing";
}

function chargeOf(payments: readonly { id: string; chargeId: string | null }[], movement: KeptMovement): string | null {
  return payments.find(({ id }) => id === movement.paymentId)?.chargeId ?? null;
}

/** The storable part of a return's voucher, by the card that it went back to. */
function keptOf(voucher: Voucher, { payments }: OrderRecord, { paymentId }: KeptMovement): Voucher {
  const payment = payments.find(({ id }) => id === paymentId);
  return payment === undefined ? {} : voucherOf(voucher, payment.card);
}

async function bookCommissionReturn(
  tx: Transaction,
  dependencies: RunRefundDependencies,
  order: OrderRecord,
  { kind, id: sourceId, commission: amount, paymentId: of }: KeptMovement,
  at: Date,
): Promise<void> {
  if (kind === "loan_reduction") return;
  await bookCommissionBack(tx, dependencies, order, { sourceId, amount, at, to: "card_processor", of });
}

/**
 * Ends a refund in one transaction: the returned amount counts as refunded; a reserved amount that was not returned can
 * be refunded again. After a refused return the refund is `failed`, but earlier movements remain and are published. The
 * failure is published if the refund was answered `processing`.
 */
async function finishRefund(dependencies: RunRefundDependencies, run: RefundRun): Promise<void> {
  const { db, logger } = dependencies;
  const { key } = run;
  const at = run.now();
  const finished = await inTransaction(db, async (tx) => {
    const order = await lockOrder(tx, key);
    const refund = order.refunds.find(({ id }) => id === key.refundId);
    const movements = await readMovements(tx, key);
    const undone = movements.filter((movement) => movement.status !== "done");
    const ended = undone.length === 0 ? "succeeded" : "failed";
    if (refund === undefined || !(await endRefund(tx, key, { status: ended, leaseId: run.leaseId, at }))) return null;
    if (undone.length > 0) await dropMovements(tx, key, undone, at);
    const done = addClp(...movements.filter((movement) => movement.status === "done").map(({ amount }) => amount));
    const refunded = addClp(order.refunded, done);
    const released = reductionIn(undone);
    const changes = {
      refunded,
      refund_accepted: subtractClp(order.refundAccepted, subtractClp(refund.amount, done)),
      deferred_cancelled: subtractClp(order.deferredCancelled, released),
    };
    const trigger = refundTrigger(order.total, refunded, done);
    if (trigger === null) {
      await updateOrder(tx, order, changes, at);
      const { createdAt: requestedAt } = refund;
      const failed = { ...key, requestedAt, released, wasAnswered: run.wasAnswered(), at };
      await dependencies.within(tx, { kind: "refund_without_return", ...failed });
    } else await moveOrder(tx, dependencies, order, { trigger, at, changes, refundId: key.refundId });
    if (ended === "failed" && run.wasAnswered()) await publishFailedRefund(tx, dependencies, key, at);
    if (run.endTimer === null) await cancelTimer(tx, { kind: SETTLE_REFUND_TIMER, key: key.refundId });
    else await run.endTimer(tx);
    return { status: ended, refusal: refusalOf({ movements }) };
  });
  if (finished?.status === "failed")
    logger.error("refund.needs_attention", {
      order_id: key.orderId,
      reason: "return_refused",
      refused_because: finished.refusal ?? undefined,
    });
}

function refundTrigger(total: Clp, refunded: Clp, done: Clp): "refund_part" | "refund_rest" | null {
  if (done === 0) return null;
  return refunded === total ? "refund_rest" : "refund_part";
}

/**
 * Publishes the failure of a refund that was answered `processing`, because its clinic may have informed the patient.
 * Once per refund, in the transaction that ends all work on it. `at` is in the provider's time.
 */
export async function publishFailedRefund(
  tx: Transaction,
  { ids, related }: Pick<OrdersDependencies, "ids" | "related">,
  { refundId, ...key }: RefundKey,
  at: Date,
): Promise<void> {
  const order = await lockOrder(tx, key);
  const expense = await related.expenseOf(tx, order.providerId, order.orderId);
  const collection = await related.collectionOf(tx, order);
  await publishOrderNews(tx, ids, order, {
    kind: "order.refund_failed",
    refundId,
    related: { expense, collection },
    at,
  });
}
