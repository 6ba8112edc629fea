import type { DeclineLimit, DeclineReason } from "../contract/errors.ts";
import { addClp, type Clp } from "../contract/vocabulary/clp.ts";
import type { OrderId } from "../contract/vocabulary/identifiers.ts";
import { deferredDue } from "../orders/later-charge.ts";
import { collectableRest, type OrderCard, type OrderRecord } from "../orders/order-record.ts";
import type { BlockedAnnouncement, ChargeAnnouncement } from "./charge/announcement.ts";
import type { DeclinedTry, DunningFacts } from "./charge/dunning.ts";
import type { CollectionState, FailureReason, Trigger } from "./collection.ts";

/** A card that replaced the one that paid, with the data that the processor allows us to store. */
export type CollectionCard = OrderCard;

/** Key of a collection. An order has one collection. */
export interface CollectionKey {
  readonly providerId: string;
  readonly orderId: OrderId;
}

/** One charge of the deferred part. Its id is that of the order's payment. */
export interface CollectionAttempt {
  readonly id: string;
  readonly initiator: "merchant" | "patient";
  /** `not_made`: the call never arrived and was not repeated. */
  readonly state: "charging" | "captured" | "declined" | "not_made";
  readonly cardId: string;
  /** The authentication that its call names; null if the issuer required none. */
  readonly authenticationId: string | null;
  /** The network's id of the mandate that its call names; null if it was not reported, or the patient pays. */
  readonly initialNetworkTransactionId: string | null;
  readonly declineReason: DeclineReason | null;
  readonly declineLimit: DeclineLimit | null;
  readonly hard: boolean;
  /** The number of inquiries about its call so far. */
  readonly inquiries: number;
  readonly startedAt: Date;
  /** When its call was last made; equal to `startedAt` unless the call was repeated. */
  readonly calledAt: Date;
}

/** A collection with its trigger and its attempts, oldest first. */
export interface CollectionRecord extends CollectionKey {
  readonly state: CollectionState;
  readonly paidAt: Date;
  readonly dueAt: Date | null;
  readonly card: CollectionCard | null;
  /** The authentication with which the patient gave the mandate for `card`; null if its issuer did not challenge. */
  readonly cardAuthenticationId: string | null;
  /** The network's id of that mandate; null if it was not reported. */
  readonly cardNetworkTransactionId: string | null;
  /** When the patient gave `card`; null if unknown, or if they gave none. */
  readonly cardGivenAt: Date | null;
  /** When the tries last restarted, with a new card or by an operator. */
  readonly seriesFrom: Date | null;
  readonly failure: FailureReason | null;
  /** The announcement of the next charge by mandate; null if there was none. */
  readonly announcement: ChargeAnnouncement | null;
  readonly blockedAnnouncement: BlockedAnnouncement | null;
  /** The card that may not be charged, because the patient has revoked its mandate. */
  readonly revokedCardId: string | null;
  readonly trigger: Trigger | null;
  readonly attempts: readonly CollectionAttempt[];
}

/** Thrown when a collection, or the card of a paid order, is missing: a defect. */
export class CollectionMissing extends Error {
  override readonly name = "CollectionMissing";
  readonly code = "collection_missing";
}

/** The attempt with an unknown outcome. */
export function openAttemptOf({ attempts }: CollectionRecord): CollectionAttempt | null {
  return attempts.find(({ state }) => state === "charging") ?? null;
}

/** True if a charge by mandate was made or started. */
export function isTriedByMandate({ attempts }: CollectionRecord): boolean {
  return attempts.some(({ initiator, state }) => initiator === "merchant" && state !== "not_made");
}

/** True if the next charge is the first one of day 45, which is announced some days before. */
export function isFirstOfDay45(collection: CollectionRecord): boolean {
  const { trigger } = collection;
  return (trigger === null || trigger.reason === "day_45") && !isTriedByMandate(collection);
}

/** The card to charge: the one that the patient gave last. */
export function cardOf(collection: CollectionRecord, order: OrderRecord): OrderCard {
  const card = collection.card ?? order.card;
  if (card === null) throw new CollectionMissing("A paid order has no card.");
  return card;
}

/** The facts that decide about the next try with the current card. */
export function dunningFacts(collection: CollectionRecord, card: OrderCard): DunningFacts {
  const declined = collection.attempts.filter(({ state }) => state === "declined").map(asTry);
  const { seriesFrom, cardGivenAt: givenAt, revokedCardId } = collection;
  return { declined, cardId: card.id, givenAt, isRevoked: revokedCardId === card.id, seriesFrom };
}

/** True if the patient has revoked the mandate to charge the current card. */
export function isMandateRevoked(collection: CollectionRecord, order: OrderRecord): boolean {
  return dunningFacts(collection, cardOf(collection, order)).isRevoked;
}

/** A try has the date of its last call, which an outage may have delayed by days after the attempt was stored. */
function asTry({ calledAt, initiator, cardId, hard, declineReason: reason }: CollectionAttempt): DeclinedTry {
  return { at: calledAt, initiator, cardId, hard, reason };
}

/** The amount that a charge of the deferred part would take, and its commission; 0 after a write-off. */
export function dueOf(order: OrderRecord): { readonly amount: Clp; readonly commission: Clp } {
  const { price, commission } = deferredDue(order);
  return { amount: addClp(price, commission), commission };
}

/**
 * True if nothing of the deferred part can ever be charged. An unfinished refund does not count, because it may fail
 * and release its claim.
 */
export function isOver(
  order: Pick<OrderRecord, "payments" | "refunds" | "deferred" | "deferredCancelled" | "deferredCollected">,
): boolean {
  const isUnsettled =
    order.payments.some(({ status }) => status === "processing") ||
    order.refunds.some(({ status }) => status === "processing");
  return collectableRest(order) === 0 && !isUnsettled;
}
