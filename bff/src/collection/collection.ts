import type { Order } from "../contract/orders.ts";
import {
  ACCESS_BLOCKED_DAYS,
  ANNOUNCED_DAYS_BEFORE,
  CHARGE_FROM_HOUR,
  LATEST_COLLECTION_DAY,
} from "../contract/terms.ts";
import { DAY_MS } from "../contract/vocabulary/durations.ts";
import { latestDueDate } from "../orders/orders/instalment-plan.ts";
import { addCalendarDays, type CalendarDay, santiagoDay, santiagoMoment } from "../platform/santiago-time.ts";

/**
 * When the deferred part is collected. Days are calendar days in
 * America/Santiago. All moments here are in the provider's time.
 */

/** What makes the deferred part due. The first of them wins, for ever. */
export const TRIGGER_REASONS = ["approved", "access_blocked", "day_45", "paid_early"] as const;
export type TriggerReason = (typeof TRIGGER_REASONS)[number];

/** The trigger that won, with what shows that it was there. */
export interface Trigger {
  readonly reason: TriggerReason;
  /** When the service learned of it. */
  readonly at: Date;
  readonly evidence: object;
}

/** When a charge may run that is due from `from` on: at once, or at 09:00 if it is earlier in the day. */
export function chargeMoment(from: Date): Date {
  const opens = santiagoMoment(santiagoDay(from), CHARGE_FROM_HOUR);
  return from < opens ? opens : from;
}

/** The moment at which an order without any other trigger becomes due: 09:00 of day 45. */
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
 * For when the charge of day 45 is announced at a moment: for that day, or if it has come, because the collection was
 * stopped or a refund claimed all of it, for some days later.
 */
export function announcedFor(paidAt: Date, at: Date): Date {
  const deadline = deadlineOf(paidAt);
  return at < deadline ? deadline : chargeMoment(new Date(at.getTime() + ANNOUNCED_DAYS_BEFORE * DAY_MS));
}

/** Has access been blocked for long enough, as it was first and last observed? */
export function isBlockedLongEnough(firstObservedAt: Date, lastObservedAt: Date): boolean {
  return lastObservedAt.getTime() >= blockedLongEnoughAt(firstObservedAt).getTime();
}

/** The earliest observation of blocked access that makes the deferred part due. */
export function blockedLongEnoughAt(firstObservedAt: Date): Date {
  return new Date(firstObservedAt.getTime() + ACCESS_BLOCKED_DAYS * DAY_MS);
}

/**
 * Where a collection stands. `scheduled` waits for a trigger, for the hour, or for the next try; `processing` has a charge
 * under way whose end is not known; `stopped` waits for a person, because the patient's bank took money back.
 */
export const COLLECTION_STATES = ["scheduled", "processing", "collected", "failed", "stopped", "cancelled"] as const;
export type CollectionState = (typeof COLLECTION_STATES)[number];

/** Why people must handle it. */
export type FailureReason = "hard_decline" | "tries_exhausted" | "chargeback" | "written_off";

export interface CollectionStanding {
  readonly state: CollectionState;
  readonly dueAt: Date | null;
  readonly trigger: Pick<Trigger, "reason"> | null;
}

const PUBLISHED: Readonly<Record<CollectionState, NonNullable<Order["collection"]>["status"]>> = {
  scheduled: "scheduled",
  processing: "processing",
  collected: "collected",
  failed: "failed",
  // To a partner it is the same: nothing is collected until somebody has looked at it.
  stopped: "failed",
  cancelled: "cancelled",
};

/** What an order shows of its collection. */
export function publishedCollection({ state, dueAt, trigger }: CollectionStanding): NonNullable<Order["collection"]> {
  return { status: PUBLISHED[state], due_at: dueAt?.toISOString() ?? null, reason: trigger?.reason ?? null };
}

/** May a trigger still do something? After the end of a collection there is nothing to make due. */
export function takesTrigger(collection: {
  readonly state: CollectionState;
  readonly failure: FailureReason | null;
}): boolean {
  return !hasEnded(collection);
}

/** Is nothing of it ever charged any more, whoever asks: collected, cancelled, or given up for good by a person? */
export function hasEnded({
  state,
  failure,
}: {
  readonly state: CollectionState;
  readonly failure: FailureReason | null;
}): boolean {
  return state === "collected" || state === "cancelled" || failure === "written_off";
}
