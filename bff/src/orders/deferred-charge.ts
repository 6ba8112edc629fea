import type { DeclineCause } from "../contract/errors.ts";
import { addClp, type Clp, subtractClp, ZERO } from "../contract/vocabulary/clp.ts";
import { type ChargeVoucher, chargeVoucherOf } from "../contract/vocabulary/voucher.ts";
import type { Clock } from "../platform/clock.ts";
import type { Transaction } from "../platform/database/transaction.ts";
import { type Ids, idFor } from "../platform/ids.ts";
import { orderPayload } from "../platform/timers/order-payload.ts";
import { rescheduleTimer, scheduleTimer } from "../platform/timers/timer-store.ts";
import type { OrdersDependencies } from "./dependencies.ts";
import { deferredChargeId, refundIdOf } from "./derived-ids.ts";
import { recordTransfers } from "./ledger/transfer-store.ts";
import { collectionTransfer, otherwiseTransfer } from "./ledger/transfers.ts";
import { deferredDue } from "./order-amounts.ts";
import { findOrder, lockOrder } from "./order-reads.ts";
import { type OrderCard, type OrderRecord, refundableRest } from "./order-record.ts";
import { type OrderKey, requireFound, updateOrder } from "./order-store.ts";
import { insertDeferredPayment, settleDeferredPayment, writeDispute } from "./payments/deferred-charge-store.ts";
import { insertPaymentOtherwise } from "./payments/payment-store.ts";
import { allocateWaitingRefunds } from "./refunds/allocate-waiting-refunds.ts";
import { claimAmounts } from "./refunds/claim-amounts.ts";
import { allocateLoss } from "./refunds/refund-allocation.ts";
import { insertRefund } from "./refunds/refund-store.ts";
import { SETTLE_REFUND_TIMER } from "./refunds/run-refund.ts";
import { bookCommission } from "./tax-documents/commission-books.ts";

/** The amount that the patient's bank has taken back of one charge, summed over all chargebacks that were not won. */
interface DisputedCharge {
  readonly chargeId: string;
  readonly disputed: Clp;
  /** The part that an operator has marked as lost. */
  readonly lost: Clp;
}

/**
 * Records on an order's charges what the bank has taken back, so that refunds account for it. The sums are absolute, so
 * repeating the call changes nothing. The caller has locked the order.
 */
export async function recordDisputes(
  tx: Transaction,
  key: OrderKey,
  charges: readonly DisputedCharge[],
  at: Date,
): Promise<void> {
  for (const charge of charges) await writeDispute(tx, key, charge, at);
}

/** A charge of the deferred part before its call. The call's idempotency key is derived from `paymentId`. */
export interface DeferredCharge {
  readonly paymentId: string;
  /** Price and commission together. */
  readonly amount: Clp;
  readonly commission: Clp;
  readonly card: OrderCard;
}

type Dependencies = Pick<OrdersDependencies, "ids" | "clock">;

/**
 * Records a charge of the rest of the deferred part, with its commission, to `card` (null: the card of the first
 * instalment). Refunds requested meanwhile wait. Returns null if nothing is left to charge or another charge is
 * unresolved. Call the processor outside the transaction, then `settleDeferredCharge`.
 */
export async function openDeferredCharge(
  tx: Transaction,
  key: OrderKey,
  { card, at }: { readonly card: OrderCard | null; readonly at: Date },
): Promise<DeferredCharge | null> {
  const order = await lockOrder(tx, key);
  const { price, commission } = deferredDue(order);
  const used = card ?? order.card;
  const isBusy = order.payments.some(({ status }) => status === "processing");
  if (price === 0 || used === null || isBusy) return null;
  const number = order.payments.filter(({ kind }) => kind === "deferred").length + 1;
  const paymentId = deferredChargeId(order.orderId, number);
  const charge = { paymentId, amount: addClp(price, commission), commission, card: used };
  await insertDeferredPayment(tx, key, { ...charge, number: order.payments.length + 1 }, at);
  await updateOrder(tx, order, { deferred_collected: addClp(order.deferredCollected, price) }, at);
  return charge;
}

/**
 * The outcome of a deferred charge. After `declined` and `not_made` the charge may be retried. `not_made`: the request
 * never reached the processor and will not be processed later.
 */
export type DeferredOutcome =
  | { readonly outcome: "not_made" }
  | {
      readonly outcome: "captured";
      readonly chargeId: string;
      readonly voucher: ChargeVoucher;
      /**
       * The amount that the bank had already taken back of a charge whose answer came late. Waiting refunds do not use
       * that part.
       */
      readonly disputes: readonly DisputedCharge[];
    }
  | ({ readonly outcome: "declined" } & DeclineCause);

/**
 * Stores the outcome of a deferred charge and allocates the refunds that waited for it. Returns false if the charge was
 * already settled.
 */
export async function settleDeferredCharge(
  tx: Transaction,
  dependencies: Dependencies,
  key: OrderKey,
  { paymentId, result, at }: { readonly paymentId: string; readonly result: DeferredOutcome; readonly at: Date },
): Promise<boolean> {
  const order = await lockOrder(tx, key);
  const payment = order.payments.find(({ id, status }) => id === paymentId && status === "processing");
  if (payment === undefined) return false;
  await settleDeferredPayment(tx, key, { paymentId, result: keptOf(result, payment.card), at });
  const price = subtractClp(payment.amount, payment.commission);
  if (result.outcome === "captured") {
    await recordDisputes(tx, key, result.disputes, at);
    const movement = { providerId: key.providerId, orderId: key.orderId, sourceId: paymentId, at };
    await recordTransfers(tx, dependencies.ids, [collectionTransfer({ ...movement, amount: price })]);
    const commission = { sourceId: paymentId, amount: payment.commission, at, from: "card_processor" } as const;
    await bookCommission(tx, dependencies, order, commission);
  } else {
    await updateOrder(tx, order, { deferred_collected: subtractClp(order.deferredCollected, price) }, at);
  }
  await runWaitingRefunds(tx, dependencies, key, at);
  return true;
}

function keptOf(result: DeferredOutcome, card: OrderCard): DeferredOutcome {
  return result.outcome === "captured" ? { ...result, voucher: chargeVoucherOf(result.voucher, card) } : result;
}

/**
 * Marks the deferred part as not to be charged again automatically, so that operators handle it; the order stays
 * `paid`.
 */
export async function giveUpDeferred(tx: Transaction, order: OrderRecord, at: Date): Promise<void> {
  await updateOrder(tx, order, { deferred_failed_at: at }, at);
}

/** Marks the deferred part as never to be charged again. */
export async function writeOffDeferred(tx: Transaction, order: OrderRecord, at: Date): Promise<void> {
  const changes = { deferred_failed_at: order.deferredFailedAt ?? at, deferred_written_off_at: at };
  await updateOrder(tx, order, changes, at);
}

/** Reverts `writeOffDeferred`, because the patient has paid after all. */
export async function reopenDeferred(tx: Transaction, order: OrderRecord, at: Date): Promise<void> {
  await updateOrder(tx, order, { deferred_written_off_at: null }, at);
}

/** Reverts `giveUpDeferred`, because an operator or a new card allows another attempt. */
export async function resumeDeferred(tx: Transaction, order: OrderRecord, at: Date): Promise<void> {
  await updateOrder(tx, order, { deferred_failed_at: null }, at);
}

async function runWaitingRefunds(tx: Transaction, dependencies: Dependencies, key: OrderKey, at: Date): Promise<void> {
  const decided = await allocateWaitingRefunds(
    tx,
    dependencies,
    async () => requireFound(await findOrder(tx, key)),
    at,
  );
  for (const { id } of decided) {
    const dueAt = dependencies.clock.now();
    const { providerId } = key;
    await rescheduleTimer(tx, {
      kind: SETTLE_REFUND_TIMER,
      key: id,
      providerId,
      dueAt,
      payload: orderPayload(key.orderId),
    });
  }
}

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

/** Placeholder for the caller of a refund that no clinic requested. */
const OPERATOR = "00000000-0000-0000-0000-000000000000";

/**
 * Refunds the amount that the patient's bank took back for good and no refund has claimed, with its commission. The
 * refund's timer ends and reports it. Returns the price; 0 if there was nothing to refund.
 */
export async function refundLoss(
  tx: Transaction,
  { ids, clock }: { readonly ids: Ids; readonly clock: Clock },
  key: OrderKey,
  at: Date,
): Promise<Clp> {
  const order = await lockOrder(tx, key);
  const loss = { rest: refundableRest(order), accepted: order.refundAccepted };
  const { price: amount, movements } = allocateLoss(order, loss);
  if (amount === 0) return ZERO;
  const number = order.refunds.length + 1;
  const refundId = refundIdOf(key.orderId, { refundReference: null, keyHash: null, number, amount });
  await insertRefund(tx, {
    key: { ...key, refundId },
    number,
    amount,
    wholeRest: false,
    allocated: true,
    reason: "chargeback",
    refundReference: null,
    keyHash: null,
    createdBy: OPERATOR,
    lease: null,
    connectors: null,
    at,
  });
  await claimAmounts(tx, { ids, clock }, order, { refundId, amount, movements, at });
  await scheduleTimer(tx, {
    kind: SETTLE_REFUND_TIMER,
    key: refundId,
    providerId: key.providerId,
    dueAt: clock.now(),
    payload: orderPayload(key.orderId),
  });
  return amount;
}
