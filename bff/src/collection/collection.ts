/*
 * Collection of the deferred part: triggers make it due, the card is charged for it, and declined charges are retried.
 * Days are calendar days in America/Santiago; all moments are in the provider's time.
 */

import type { Order } from "../contract/orders.ts";
import {
  ACCESS_BLOCKED_DAYS,
  ANNOUNCED_DAYS_BEFORE,
  ANNOUNCED_DAYS_MIN,
  CHARGE_FROM_HOUR,
  LATEST_COLLECTION_DAY,
} from "../contract/terms.ts";
import { DAY_MS } from "../contract/vocabulary/durations.ts";
import { latestDueDate } from "../orders/instalment-plan.ts";
import { addCalendarDays, type CalendarDay, santiagoDay, santiagoMoment } from "../platform/santiago-time.ts";

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
