/* Refunds are accepted at once. They reduce the loan or return captured money as soon as the gateways answer. */

import type { ErrorAdditions } from "../../contract/errors.ts";
import { type Clp, clp, isClp } from "../../contract/vocabulary/clp.ts";
import { inquiryAt } from "../../gateways/gateway-call.ts";
import { recordAudit } from "../../platform/audit-store.ts";
import { resultWithin } from "../../platform/background-work.ts";
import { inTransaction, type Transaction } from "../../platform/database/transaction.ts";
import { ApiError } from "../../platform/http/api-error.ts";
import { type Lease, leaseFrom } from "../../platform/lease.ts";
import { type Principal, type Provider, providerNow } from "../../platform/provider.ts";
import { orderPayload } from "../../platform/timers/order-payload.ts";
import { scheduleTimer } from "../../platform/timers/timer-store.ts";
import type { OrdersDependencies } from "../dependencies.ts";
import { refundIdOf } from "../derived-ids.ts";
import { findOrder, lockOrder } from "../order-reads.ts";
import { type OrderRecord, type RefundRecord, refundableRest, refusalOf } from "../order-record.ts";
import { type OrderKey, requireFound } from "../order-store.ts";
import { claimAmounts } from "./claim-amounts.ts";
import { planRefund } from "./refund-allocation.ts";
import { insertRefund, type RefundKey } from "./refund-store.ts";
import { type RefundRun, type RunRefundDependencies, runRefund, SETTLE_REFUND_TIMER } from "./run-refund.ts";

type RefundDependencies = RunRefundDependencies & Pick<OrdersDependencies, "background" | "answerWithinMs">;

export interface RefundRequest {
  readonly principal: Principal;
  readonly order: OrderKey;
  /** Null means all that is left. */
  readonly amount: Clp | null;
  readonly reason: string | null;
  readonly refundReference: string | null;
  /** The hash of the request's `Idempotency-Key`. */
  readonly keyHash: string | null;
  /** The provider's time. */
  readonly now: Date;
}

/**
 * Refunds an amount of a paid order, or all that is left. The refund is `processing` while a gateway has not answered
 * or a charge is unresolved. The same `refund_reference` returns the same refund.
 * Throws 400 `refund_amount_invalid`, `refund_amount_exceeds`, `partial_refund_not_supported`, `refund_refused`, 409
 * `order_not_refundable`, 422 `refund_reference_reused` for a reference used with another amount, and
 * `idempotency_key_reused` for a key used with another amount or reference.
 */
export async function refundOrder(dependencies: RefundDependencies, request: RefundRequest): Promise<RefundedOrder> {
  const { key, lease } = await inTransaction(dependencies.db, (tx) => acceptRefund(tx, dependencies, request));
  let isAnsweredProcessing = false;
  if (lease !== null)
    await runInTime(dependencies, request.principal.provider, { key, lease, wasAnswered: () => isAnsweredProcessing });
  const order = await orderToAnswer(dependencies, key, () => {
    isAnsweredProcessing = true;
  });
  return { order, refund: acceptedRefund(order, key) };
}

interface RefundedOrder {
  readonly order: OrderRecord;
  readonly refund: RefundRecord;
}

interface AcceptedRefund {
  readonly key: RefundKey;
  /** The lease under which this process runs it; null for an earlier refund, or one that waits for a charge. */
  readonly lease: Lease | null;
}

/** Accepts a refund, or returns the earlier one that the request repeats. */
async function acceptRefund(
  tx: Transaction,
  dependencies: RefundDependencies,
  request: RefundRequest,
): Promise<AcceptedRefund> {
  const order = await lockOrder(tx, request.order);
  const earlier = findEarlierRefund(order, request);
  if (earlier === null) return storeRefund(tx, dependencies, order, request);
  requireSameRefund(earlier, request);
  return { key: refundKey(order, earlier.id), lease: null };
}

function refundKey({ providerId, orderId }: OrderKey, refundId: string): RefundKey {
  return { providerId, orderId, refundId };
}

/** Runs a refund for as long as a request may take; the run continues after the answer. */
async function runInTime(
  dependencies: RefundDependencies,
  provider: Provider,
  { key, lease, wasAnswered }: Pick<RefundRun, "key" | "wasAnswered"> & { readonly lease: Lease },
): Promise<void> {
  const { clock, background, answerWithinMs, connectors } = dependencies;
  const running = runRefund(dependencies, {
    key,
    now: () => providerNow(provider, clock.now()),
    leaseId: lease.id,
    connectors,
    mayHaveArrived: false,
    wasAnswered,
    endTimer: null,
  });
  await resultWithin(background.track("refund.run_failed", running), answerWithinMs);
}

/**
 * The order with which a refund is answered. A refund still processing is read again under the order's lock. A run that
 * ends it either commits before and is in the answer, or comes after `onProcessing` and publishes an event.
 */
async function orderToAnswer(
  { db }: Pick<OrdersDependencies, "db">,
  key: RefundKey,
  onProcessing: () => void,
): Promise<OrderRecord> {
  const isProcessing = ({ refunds }: OrderRecord) =>
    refunds.some(({ id, status }) => id === key.refundId && status === "processing");
  const order = requireFound(await findOrder(db, key));
  if (!isProcessing(order)) return order;
  return inTransaction(db, async (tx) => {
    const held = await lockOrder(tx, key);
    if (isProcessing(held)) onProcessing();
    return held;
  });
}

/**
 * The requested amount, a number or digits as text; null means all that is left. Throws unless it is a positive amount.
 */
export function parseAmount(given: unknown): Clp | null {
  if (given === undefined) return null;
  const amount = typeof given === "string" && /^\d{1,15}$/.test(given) ? Number(given) : given;
  if (!isClp(amount) || amount < 1) throw new ApiError("refund_amount_invalid");
  return clp(amount);
}

/** The earlier refund that has this request's reference or key. */
function findEarlierRefund({ refunds }: OrderRecord, { refundReference, keyHash }: RefundRequest): RefundRecord | null {
  const earlier = refunds.find(
    (refund) =>
      (refundReference !== null && refund.refundReference === refundReference) ||
      (keyHash !== null && refund.keyHash === keyHash),
  );
  return earlier ?? null;
}

/**
 * Checks that a request repeats this refund. The key alone does not prove it, because a refund keeps its key after the
 * stored answer was deleted.
 */
function requireSameRefund(refund: RefundRecord, { amount, refundReference }: RefundRequest): void {
  const isSameAmount = amount === null ? refund.wholeRest : !refund.wholeRest && refund.amount === amount;
  if (refund.refundReference !== refundReference) throw new ApiError("idempotency_key_reused");
  if (!isSameAmount)
    throw new ApiError(refundReference === null ? "idempotency_key_reused" : "refund_reference_reused");
}

/** The amount to refund, of an order that is refundable. */
function refundableAmount(order: OrderRecord, requested: Clp | null): Clp {
  if (requested !== null && requested > order.total) throw new ApiError("refund_amount_exceeds");
  const rest = refundableRest(order);
  const isRefundable = order.state === "paid" || order.state === "partially_refunded";
  if (!isRefundable || rest === 0) throw new ApiError("order_not_refundable");
  const amount = requested ?? rest;
  if (amount > rest) throw new ApiError("refund_amount_exceeds");
  return amount;
}

/** Stores a refund with its claims, and the timer that settles it if this process dies. */
async function storeRefund(
  tx: Transaction,
  dependencies: RefundDependencies,
  order: OrderRecord,
  request: RefundRequest,
): Promise<AcceptedRefund> {
  const { ids, clock, connectors } = dependencies;
  const { principal, reason, refundReference, keyHash, now: at } = request;
  const amount = refundableAmount(order, request.amount);
  const plan = planRefund(order, amount);
  if (plan.outcome === "partial_refund_not_supported") throw new ApiError("partial_refund_not_supported");
  if (plan.outcome === "charge_disputed") throw new ApiError("refund_refused", { reason: plan.outcome });
  const isAllocated = plan.outcome === "allocated";
  const lease = isAllocated ? leaseFrom(clock.now(), ids.uuid()) : null;
  const number = order.refunds.length + 1;
  const refundId = refundIdOf(order.orderId, { refundReference, keyHash, number, amount });
  const key = refundKey(order, refundId);
  await insertRefund(tx, {
    key,
    number,
    amount,
    wholeRest: request.amount === null,
    allocated: isAllocated,
    reason,
    refundReference,
    keyHash,
    createdBy: principal.credentialId,
    lease,
    connectors: lease === null ? null : connectors,
    at,
  });
  const movements = isAllocated ? plan.movements : [];
  await claimAmounts(tx, dependencies, order, { refundId, amount, movements, at });
  await recordAudit(tx, {
    id: ids.uuid(),
    providerId: order.providerId,
    actor: `credential:${principal.credential}`,
    credentialId: principal.credentialId,
    act: "order.refund_accepted",
    subject: { kind: "order", id: order.orderId },
    details: { refund_id: refundId, amount },
    at,
  });
  await scheduleTimer(tx, {
    kind: SETTLE_REFUND_TIMER,
    key: refundId,
    providerId: order.providerId,
    dueAt: inquiryAt(clock.now()),
    payload: orderPayload(order.orderId),
  });
  return { key, lease };
}

/** Thrown when a refund that was just inserted is missing: a defect. */
class RefundMissing extends Error {
  override readonly name = "RefundMissing";
}

/** The refund that a request has accepted. Throws the refusal of a refund that returned nothing. */
function acceptedRefund(order: OrderRecord, { refundId }: RefundKey): RefundRecord {
  const refund = order.refunds.find(({ id }) => id === refundId);
  if (refund === undefined) throw new RefundMissing("a refund that was written is missing");
  const isNothingMoved = !refund.movements.some(({ status }) => status === "done");
  if (refund.status === "failed" && isNothingMoved) throw new ApiError("refund_refused", cardRefused(refund));
  return refund;
}

function cardRefused(refund: RefundRecord): ErrorAdditions {
  const refusal = refusalOf(refund);
  return { reason: "card_refused", ...(refusal !== null && { refused_because: refusal }) };
}
