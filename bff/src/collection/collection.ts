/*
 * Collection of the deferred part: triggers make it due, the card is charged for it, and declined charges are retried.
 * Days are calendar days in America/Santiago; all moments are in the provider's time.
 */

import type { DeclineLimit, DeclineReason } from "../contract/errors.ts";
import type { Order } from "../contract/orders.ts";
import {
  ACCESS_BLOCKED_DAYS,
  ANNOUNCED_DAYS_BEFORE,
  ANNOUNCED_DAYS_MIN,
  CHARGE_FROM_HOUR,
  LATEST_COLLECTION_DAY,
} from "../contract/terms.ts";
import { addClp, type Clp } from "../contract/vocabulary/clp.ts";
import { DAY_MS } from "../contract/vocabulary/durations.ts";
import type { OrderId } from "../contract/vocabulary/identifiers.ts";
import { deferredDue } from "../orders/order-amounts.ts";
import { collectableRest, type OrderCard, type OrderRecord } from "../orders/order-record.ts";
import { latestDueDate } from "../orders/quote.ts";
import { addCalendarDays, type CalendarDay, santiagoDay, santiagoMoment } from "../platform/santiago-time.ts";
import type { BlockedAnnouncement, ChargeAnnouncement } from "./charge/announcement.ts";

/** The reasons that make the deferred part due. The first one is stored and never replaced. */
export const TRIGGER_REASONS = ["approved", "access_blocked", "day_45", "paid_early"] as const;
export type TriggerReason = (typeof TRIGGER_REASONS)[number];

/** The trigger that made it due, with its evidence. */
export interface Trigger {
  readonly reason: TriggerReason;
  /** When the service learned of it. */
  readonly at: Date;
  readonly evidence: object;
}

/** The earliest time for a charge due at `from`: at once, or at 09:00 if `from` is earlier in the day. */
export function chargeMoment(from: Date): Date {
  const opens = santiagoMoment(santiagoDay(from), CHARGE_FROM_HOUR);
  return from < opens ? opens : from;
}

/** When an order without any other trigger becomes due: 09:00 of day 45. */
export function deadlineOf(paidAt: Date): Date {
  return santiagoMoment(latestDueDate(paidAt), CHARGE_FROM_HOUR);
}

/** When the charge of day 45 is announced. */
export function announcementOf(paidAt: Date): Date {
  return santiagoMoment(announcementDay(paidAt), CHARGE_FROM_HOUR);
}

function announcementDay(paidAt: Date): CalendarDay {
  return addCalendarDays(santiagoDay(paidAt), LATEST_COLLECTION_DAY - ANNOUNCED_DAYS_BEFORE);
}

/**
 * The earliest time that an announcement at `at` may name for the first charge of day 45: the deadline, or some days
 * later once its day has come.
 */
export function announcedDay45(paidAt: Date, at: Date): Date {
  const deadline = deadlineOf(paidAt);
  return santiagoDay(at) < santiagoDay(deadline) ? deadline : announcedCharge(at, ANNOUNCED_DAYS_BEFORE);
}

/**
 * The earliest time that an announcement at `at` may name: at least `days` times 24 hours later, on a later day, and
 * when charges are made.
 */
export function announcedCharge(at: Date, days = ANNOUNCED_DAYS_MIN): Date {
  const nextMorning = santiagoMoment(addCalendarDays(santiagoDay(at), days), CHARGE_FROM_HOUR);
  return chargeMoment(new Date(Math.max(nextMorning.getTime(), at.getTime() + days * DAY_MS)));
}

/** True if access was blocked long enough between the first and the last observation. */
export function isBlockedLongEnough(firstObservedAt: Date, lastObservedAt: Date): boolean {
  return lastObservedAt.getTime() >= blockedLongEnoughAt(firstObservedAt).getTime();
}

/** The earliest observation of blocked access that would make the deferred part due. */
export function blockedLongEnoughAt(firstObservedAt: Date): Date {
  return new Date(firstObservedAt.getTime() + ACCESS_BLOCKED_DAYS * DAY_MS);
}

/**
 * The states of a collection. `scheduled` waits for a trigger, the permitted hour or the next try. `processing` has a
 * charge with an unknown outcome. `stopped` waits for an operator because of a chargeback.
 */
export const COLLECTION_STATES = ["scheduled", "processing", "collected", "failed", "stopped", "cancelled"] as const;
export type CollectionState = (typeof COLLECTION_STATES)[number];

/** Why an operator must handle a collection. */
export type FailureReason = "mandate_revoked" | "hard_decline" | "tries_exhausted" | "chargeback" | "written_off";

/** The state of a collection; `dueAt` is when its next charge is due, in the provider's time. */
export interface CollectionStatus {
  readonly state: CollectionState;
  readonly dueAt: Date | null;
  readonly failure: FailureReason | null;
}

export interface CollectionFacts {
  readonly state: CollectionState;
  readonly dueAt: Date | null;
  readonly trigger: Pick<Trigger, "reason"> | null;
}

const PUBLISHED: Readonly<Record<CollectionState, NonNullable<Order["collection"]>["status"]>> = {
  scheduled: "scheduled",
  processing: "processing",
  collected: "collected",
  failed: "failed",
  // Partners see no difference: nothing is collected until an operator has handled it.
  stopped: "failed",
  cancelled: "cancelled",
};

/** The collection as an order shows it. */
export function publishedCollection({ state, dueAt, trigger }: CollectionFacts): NonNullable<Order["collection"]> {
  return { status: PUBLISHED[state], due_at: dueAt?.toISOString() ?? null, reason: trigger?.reason ?? null };
}

/** True if a trigger may still make the collection due, that is, if the collection has not ended. */
export function acceptsTrigger(collection: {
  readonly state: CollectionState;
  readonly failure: FailureReason | null;
}): boolean {
  return !hasEnded(collection);
}

/** True if nothing more can ever be charged: the collection is collected, cancelled or written off. */
export function hasEnded({
  state,
  failure,
}: {
  readonly state: CollectionState;
  readonly failure: FailureReason | null;
}): boolean {
  return state === "collected" || state === "cancelled" || failure === "written_off";
}

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
  /** The connector that takes its call; null if an earlier version stored it. */
  readonly connector: string | null;
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
  /** When the patient last revoked a mandate. */
  readonly revokedAt: Date | null;
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

/** A charge of the deferred part that was declined. */
export interface DeclinedTry {
  /** When the card was charged. */
  readonly at: Date;
  readonly initiator: "merchant" | "patient";
  readonly cardId: string;
  readonly reason: DeclineReason | null;
  /** True if the card will never work again (stolen, closed). */
  readonly hard: boolean;
}

export interface DunningFacts {
  /** Oldest first. */
  readonly declined: readonly DeclinedTry[];
  /** The card that would be charged. */
  readonly cardId: string;
  /** When the patient gave it. A card given again has a new mandate. Null if with the first payment, or unknown. */
  readonly givenAt: Date | null;
  /** True if the patient has revoked the mandate to charge this card. */
  readonly isRevoked: boolean;
  /**
   * The ten days count from the first try after this moment, when a new card or an operator restarted the series. Null:
   * never restarted.
   */
  readonly seriesFrom: Date | null;
}
