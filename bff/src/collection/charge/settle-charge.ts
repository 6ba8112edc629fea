import { spendTokensOfOrder } from "../../checkout/open-widget-token.ts";
import { causeOf } from "../../contract/errors.ts";
import { type Clp, subtractClp } from "../../contract/vocabulary/clp.ts";
import type { ChargeOutcome } from "../../gateways/card-processor.ts";
import type { Answered } from "../../gateways/gateway-call.ts";
import { type DeferredOutcome, settleDeferredCharge } from "../../orders/deferred-charge.ts";
import { lockOrder } from "../../orders/order-reads.ts";
import type { OrderRecord } from "../../orders/order-record.ts";
import type { Transaction } from "../../platform/database/transaction.ts";
import { cancelTimer } from "../../platform/timers/timer-store.ts";
import { hasOpenChargeback, selectDisputed } from "../chargeback-store.ts";
import {
  type CollectionKey,
  type CollectionRecord,
  type CollectionStatus,
  cardOf,
  deadlineOf,
  dueOf,
  dunningFacts,
} from "../collection.ts";
import { type AfterDecline, publishCollectionEvent } from "../collection-events.ts";
import {
  insertTrigger,
  requireCollection,
  settleAttempt,
  updateCollection,
  writeAnnouncement,
} from "../collection-store.ts";
import { ANNOUNCE_TIMER, DEADLINE_TIMER } from "../collection-timers.ts";
import type { CollectionDependencies } from "../dependencies.ts";
import { fallInArrears, reportLoanEnd } from "../loan-reports/report-loan.ts";
import { removeUnneededCards } from "../remove-cards.ts";
import { isPatientBlocked } from "../trigger-charge.ts";
import { nextCharge, STOPPED, statusOf } from "./collection-status.ts";
import { isNeverTriedAgain } from "./dunning.ts";
import type { OpenCharge } from "./open-charge.ts";

/** Ends a collection whose deferred part was paid. Returns its status. */
export async function endAsCollected(
  tx: Transaction,
  dependencies: Pick<CollectionDependencies, "clock">,
  collection: CollectionRecord,
  { paymentId, price, at }: { readonly paymentId: string; readonly price: Clp; readonly at: Date },
): Promise<CollectionStatus> {
  const key: CollectionKey = { providerId: collection.providerId, orderId: collection.orderId };
  const status: CollectionStatus = { state: "collected", dueAt: null, failure: null };
  // Without a trigger, the patient's request made it due.
  if (collection.trigger === null)
    await insertTrigger(tx, key, { reason: "paid_early", at, evidence: { payment_id: paymentId } });
  await updateCollection(tx, key, status, at);
  await removeUnneededCards(tx, dependencies, key, at);
  for (const kind of [DEADLINE_TIMER, ANNOUNCE_TIMER]) await cancelTimer(tx, { kind, key: key.orderId });
  // The links sent earlier can no longer change anything.
  await spendTokensOfOrder(tx, { ...key, at });
  await reportLoanEnd(tx, dependencies, key, { end: "collected", amount: price, at });
  return status;
}

export type ChargeAnswer = Answered<ChargeOutcome>;

/**
 * Stores the processor's answer to a charge once, with all consequences: ledger, waiting refunds and the next try.
 * Returns the collection's status, also if another worker stored the answer first.
 */
export async function settleCharge(
  tx: Transaction,
  dependencies: Pick<CollectionDependencies, "clock" | "ids">,
  charge: OpenCharge,
  answer: ChargeAnswer,
  at: Date,
): Promise<CollectionStatus> {
  const { key } = charge;
  await lockOrder(tx, key);
  const before = await requireCollection(tx, key);
  const settled = { paymentId: charge.attemptId, result: await resultOf(tx, key, answer), at };
  if (!(await settleDeferredCharge(tx, dependencies, key, settled))) return before;
  const order = await lockOrder(tx, key);
  return answer.outcome === "captured"
    ? collected(tx, dependencies, charge, before, at)
    : declined(tx, dependencies, charge, answer, order, at);
}

async function resultOf(tx: Transaction, key: CollectionKey, answer: ChargeAnswer): Promise<DeferredOutcome> {
  const { outcome } = answer;
  if (outcome === "declined") return { outcome, ...causeOf(answer) };
  const { chargeId, amount: _, outcome: __, ...voucher } = answer;
  return { outcome, chargeId, voucher, disputes: await selectDisputed(tx, key) };
}

async function collected(
  tx: Transaction,
  { ids, clock }: Pick<CollectionDependencies, "clock" | "ids">,
  { key, attemptId, amount, commission }: OpenCharge,
  before: CollectionRecord,
  at: Date,
): Promise<CollectionStatus> {
  await settleAttempt(tx, key, attemptId, { state: "captured" }, at);
  const paid = { paymentId: attemptId, price: subtractClp(amount, commission), at };
  const status = await endAsCollected(tx, { clock }, before, paid);
  const payload = { order_hash: key.orderId, attempt_id: attemptId, amount, commission };
  await publishCollectionEvent(tx, ids, key, { kind: "collection.captured", payload }, at);
  return status;
}

async function declined(
  tx: Transaction,
  dependencies: Pick<CollectionDependencies, "clock" | "ids">,
  { key, attemptId, amount }: OpenCharge,
  answer: Extract<ChargeAnswer, { outcome: "declined" }>,
  order: OrderRecord,
  at: Date,
): Promise<CollectionStatus> {
  const cause = causeOf(answer);
  await settleAttempt(tx, key, attemptId, { state: "declined", ...cause, hard: answer.hard }, at);
  const collection = await requireCollection(tx, key);
  const { status, next } = await afterDecline(tx, key, { collection, order, at });
  await updateCollection(tx, key, status, at);
  const due_at = status.dueAt?.toISOString() ?? null;
  const ahead = { next, next_try_at: next === "tried_again" ? due_at : null, due_at };
  const payload = { order_hash: key.orderId, attempt_id: attemptId, amount, ...cause, ...ahead };
  await publishCollectionEvent(tx, dependencies.ids, key, { kind: "collection.declined", payload }, at);
  if (status.state === "failed") await fallInArrears(tx, dependencies, order, at);
  return status;
}

/**
 * The status after a declined charge, and the next charge as announced to the patient by the mail about the decline.
 * `given_up` only if this card is never retried. Not while a refund that may fail claims the rest, while a chargeback
 * waits for an operator, or while an operator may restart the tries.
 */
async function afterDecline(
  tx: Transaction,
  key: CollectionKey,
  { collection, order, at }: { readonly collection: CollectionRecord; readonly order: OrderRecord; readonly at: Date },
): Promise<{ readonly status: CollectionStatus; readonly next: AfterDecline }> {
  const isBlocked = await isPatientBlocked(tx, order);
  const charge = nextCharge({ collection, order, isBlocked, at });
  const isOver = charge.outcome === "give_up" && isNeverTriedAgain(dunningFacts(collection, cardOf(collection, order)));
  if (await hasOpenChargeback(tx, key)) return { status: STOPPED, next: isOver ? "given_up" : "paused" };
  if (collection.trigger === null)
    return {
      status: { state: "scheduled", dueAt: deadlineOf(collection.paidAt), failure: null },
      next: isOver ? "given_up" : charge.outcome === "held" ? "paused" : "as_before",
    };
  if (charge.outcome === "give_up") return { status: statusOf(charge), next: isOver ? "given_up" : "paused" };
  if (charge.outcome === "held") return { status: statusOf(charge), next: "paused" };
  const announcement = {
    chargeAt: charge.at,
    amount: dueOf(order).amount,
    by: "notification",
    notifiedAt: null,
  } as const;
  await writeAnnouncement(tx, key, announcement);
  return { status: statusOf(charge), next: "tried_again" };
}
