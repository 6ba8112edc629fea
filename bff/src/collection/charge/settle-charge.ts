import { spendTokensOfOrder } from "../../checkout/tokens/open-widget-token.ts";
import { causeOf } from "../../contract/errors.ts";
import { type Clp, subtractClp } from "../../contract/vocabulary/clp.ts";
import type { ChargeOutcome } from "../../gateways/card-processor/port.ts";
import type { Answered } from "../../gateways/gateway-call.ts";
import { holdOrder } from "../../orders/orders/order-reads.ts";
import { collectableRest, type OrderCard, type OrderRecord } from "../../orders/orders/order-record.ts";
import { type DeferredOutcome, settleDeferredCharge } from "../../orders/payments/deferred-charge.ts";
import type { Transaction } from "../../platform/database/transaction.ts";
import { cancelTimer } from "../../platform/timers/timer-store.ts";
import { removeUnneededCards } from "../cards/remove-cards.ts";
import { hasOpenChargeback, selectDisputed } from "../chargeback-store.ts";
import { announcedFor, type CollectionState, deadlineOf, type FailureReason } from "../collection.ts";
import { type AfterDecline, publishCollectionEvent } from "../collection-events.ts";
import {
  type CollectionAttempt,
  type CollectionKey,
  type CollectionRecord,
  dunningFacts,
  isFirstOfDay45,
  isOver,
} from "../collection-record.ts";
import { insertTrigger, lockCollection, settleAttempt, updateCollection } from "../collection-store.ts";
import { ANNOUNCE_TIMER, DEADLINE_TIMER } from "../collection-timers.ts";
import type { CollectionDependencies } from "../dependencies.ts";
import { fallInArrears, reportLoanEnd, reportRefundedLoan } from "../loan-reports/report-loan.ts";
import { announceCharge } from "./announce-charge.ts";
import { nextTry } from "./dunning.ts";

/** A stored charge of the deferred part, which may have been sent to the processor. */
export interface OpenCharge {
  readonly key: CollectionKey;
  readonly attemptId: string;
  readonly amount: Clp;
  readonly commission: Clp;
  readonly cardId: string;
  readonly initiator: CollectionAttempt["initiator"];
  /** The authentication of this payment or, by the mandate, of the mandate for a card that was given later. */
  readonly authenticationId: string | null;
  /**
   * By the mandate: the first charge of the same card, with which the patient gave it; null for a card that was given
   * later.
   */
  readonly initialChargeId: string | null;
  /** By the mandate: the network's name of that charge, or of the authentication; null where none was told. */
  readonly initialNetworkTransactionId: string | null;
}

export type ChargeAnswer = Answered<ChargeOutcome>;

/** The state of a collection; `dueAt` is when its next charge is due, in the provider's time. */
export interface Standing {
  readonly state: CollectionState;
  readonly dueAt: Date | null;
  readonly failure: FailureReason | null;
}

/** Thrown when a collection, or the card of a paid order, is missing: a defect. */
export class CollectionMissing extends Error {
  override readonly name = "CollectionMissing";
  readonly code = "collection_missing";
}

/**
 * Stores the processor's answer to a charge once, with all its consequences: ledger, waiting refunds and the next try.
 * Returns the collection's standing, also if another worker stored the answer first.
 */
export async function settleCharge(
  tx: Transaction,
  dependencies: Pick<CollectionDependencies, "clock" | "ids">,
  charge: OpenCharge,
  answer: ChargeAnswer,
  at: Date,
): Promise<Standing> {
  const { key } = charge;
  const orderKey = key;
  await holdOrder(tx, orderKey);
  const before = await requireCollection(tx, key);
  const settled = { paymentId: charge.attemptId, result: await resultOf(tx, key, answer), at };
  if (!(await settleDeferredCharge(tx, dependencies, orderKey, settled))) return before;
  const order = await holdOrder(tx, orderKey);
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
): Promise<Standing> {
  await settleAttempt(tx, key, attemptId, { state: "captured" }, at);
  const paid = { paymentId: attemptId, price: subtractClp(amount, commission), at };
  const standing = await endAsCollected(tx, { clock }, before, paid);
  const payload = { order_hash: key.orderId, attempt_id: attemptId, amount, commission };
  await publishCollectionEvent(tx, ids, key, { kind: "collection.captured", payload }, at);
  return standing;
}

/** Ends a collection whose deferred part was paid. Returns its standing. */
export async function endAsCollected(
  tx: Transaction,
  dependencies: Pick<CollectionDependencies, "clock">,
  collection: CollectionRecord,
  { paymentId, price, at }: { readonly paymentId: string; readonly price: Clp; readonly at: Date },
): Promise<Standing> {
  const key: CollectionKey = { providerId: collection.providerId, orderId: collection.orderId };
  const standing: Standing = { state: "collected", dueAt: null, failure: null };
  // Without a trigger, the patient's own wish is what made it due.
  if (collection.trigger === null)
    await insertTrigger(tx, key, { reason: "paid_early", at, evidence: { payment_id: paymentId } });
  await updateCollection(tx, key, standing, at);
  await removeUnneededCards(tx, dependencies, key, at);
  for (const kind of [DEADLINE_TIMER, ANNOUNCE_TIMER]) await cancelTimer(tx, { kind, key: key.orderId });
  // The links that were sent can no longer change anything.
  await spendTokensOfOrder(tx, { ...key, at });
  await reportLoanEnd(tx, dependencies, key, { end: "collected", amount: price, at });
  return standing;
}

async function declined(
  tx: Transaction,
  dependencies: Pick<CollectionDependencies, "clock" | "ids">,
  { key, attemptId, amount }: OpenCharge,
  answer: Extract<ChargeAnswer, { outcome: "declined" }>,
  order: OrderRecord,
  at: Date,
): Promise<Standing> {
  const cause = causeOf(answer);
  await settleAttempt(tx, key, attemptId, { state: "declined", ...cause, hard: answer.hard }, at);
  const collection = await requireCollection(tx, key);
  const standing = (await hasOpenChargeback(tx, key))
    ? STOPPED
    : await standingWithoutCharge(tx, dependencies, { collection, order, at });
  await updateCollection(tx, key, standing, at);
  if (standing.state === "failed") await fallInArrears(tx, dependencies, order, at);
  if (standing.state === "cancelled") {
    await reportRefundedLoan(tx, dependencies, order, at);
    await removeUnneededCards(tx, dependencies, key, at);
  }
  const next = afterDecline(collection, standing, { order, at });
  const due_at = standing.dueAt?.toISOString() ?? null;
  const ahead = { next, next_try_at: next === "tried_again" ? due_at : null, due_at };
  const payload = { order_hash: key.orderId, attempt_id: attemptId, amount, ...cause, ...ahead };
  await publishCollectionEvent(tx, dependencies.ids, key, { kind: "collection.declined", payload }, at);
  return standing;
}

/**
 * What the patient is told after a declined charge that left the collection at `standing`. `given_up` is used only if
 * this card is really not tried again: not while a refund that may still fail claims all that is left, not while a
 * chargeback waits for an operator, and not if the patient asked for a charge that is not due yet.
 */
export function afterDecline(
  collection: CollectionRecord,
  standing: Standing,
  { order, at }: { readonly order: OrderRecord; readonly at: Date },
): AfterDecline {
  if (collectableRest(order) === 0) return "paused";
  const isCardGivenUp = nextTry(dunningFacts(collection, cardOf(collection, order)), at).outcome === "give_up";
  if (isCardGivenUp || standing.state === "failed") return "given_up";
  if (standing.state !== "scheduled") return "paused";
  return collection.trigger === null ? "as_before" : "tried_again";
}

/** The standing while a chargeback waits for an operator: nothing is charged. */
export const STOPPED: Standing = { state: "stopped", dueAt: null, failure: "chargeback" };

/**
 * The standing after a charge that took nothing. If no trigger has made the collection due, it keeps waiting for day 45
 * as if the patient had not asked.
 */
export async function standingWithoutCharge(
  tx: Transaction,
  dependencies: Pick<CollectionDependencies, "ids">,
  { collection, order, at }: Charging,
): Promise<Standing> {
  if (isOver(order)) return { state: "cancelled", dueAt: null, failure: null };
  if (collection.trigger === null) return { state: "scheduled", dueAt: deadlineOf(collection.paidAt), failure: null };
  return standingOfDueCharge(tx, dependencies, { collection, order, at });
}

interface Charging {
  readonly collection: CollectionRecord;
  readonly order: OrderRecord;
  readonly at: Date;
}

/**
 * The standing of a collection that a trigger has made due. The first charge of day 45 waits for the announced moment;
 * if it was never announced to the patient, it is announced now.
 */
export async function standingOfDueCharge(
  tx: Transaction,
  dependencies: Pick<CollectionDependencies, "ids">,
  { collection, order, at }: Charging,
): Promise<Standing> {
  const card = cardOf(collection, order);
  const isAnnounced = collection.announcedFor !== null;
  // While a refund claims everything that is left, nothing can be charged or announced until the refund has failed.
  const isNothingToAnnounce = !isAnnounced && (collectableRest(order) === 0 || isMandateRevoked(collection, order));
  if (!isFirstOfDay45(collection) || isNothingToAnnounce) return standingOfNextTry(collection, card, at);
  const from = collection.announcedFor ?? announcedFor(collection.paidAt, at);
  const standing = standingOfNextTry(collection, card, from > at ? from : at);
  if (!isAnnounced && standing.dueAt !== null)
    await announceCharge(tx, dependencies, collection, { order, dueAt: standing.dueAt, at });
  return standing;
}

/** When the deferred part is tried next, or why it is not tried again. */
export function standingOfNextTry(collection: CollectionRecord, card: OrderCard, at: Date): Standing {
  const next = nextTry(dunningFacts(collection, card), at);
  return next.outcome === "try"
    ? { state: "scheduled", dueAt: next.at, failure: null }
    : { state: "failed", dueAt: null, failure: next.reason };
}

/** The card to charge: the one that the patient gave last. */
export function cardOf(collection: CollectionRecord, order: OrderRecord): OrderCard {
  const card = collection.card ?? order.card;
  if (card === null) throw new CollectionMissing("A paid order has no card.");
  return card;
}

/** True if the patient has revoked the mandate to charge the present card. */
export function isMandateRevoked(collection: CollectionRecord, order: OrderRecord): boolean {
  return dunningFacts(collection, cardOf(collection, order)).isRevoked;
}

export async function requireCollection(tx: Transaction, key: CollectionKey): Promise<CollectionRecord> {
  const collection = await lockCollection(tx, key);
  if (collection === null) throw new CollectionMissing("A collection that something hangs on is not there.");
  return collection;
}
