import { blockedLongEnoughAt } from "../collection/collection.ts";
import { CLAIM_ASKED_FROM_HOUR, CLAIM_ASKED_LAST_FROM, CLAIM_ASKED_LAST_UNTIL } from "../contract/terms.ts";
import { DAY_MS, HOUR_MS } from "../contract/vocabulary/durations.ts";
import { addCalendarDays, type CalendarDay, santiagoDay, santiagoMoment } from "../platform/santiago-time.ts";
import { spreadFrom } from "../platform/spread.ts";
import type { ClaimTrigger } from "./claim.ts";
import { POLLED_DAYS_MAX } from "./filing-facts.ts";

/**
 * What each answer of the insurer means for a filed claim. Blocked access counts from its first observation until the
 * insurer gives another answer, or until the service may no longer inquire. A portal that is down or silent proves
 * neither that access is blocked nor that it works.
 */

/** After this usual answer time, the insurer is asked once a day, at the day's last poll. */
export const FREQUENT_POLLS_DAYS = 60;

/**
 * A connector forgets a password after 7 days without an inquiry about its claims (`docs/reference/gateways.md`). This
 * limit is one day shorter.
 */
const UNASKED_MAX_MS = 6 * DAY_MS;

/** Whether the insurer may have forgotten the access of a claim. `askedAt`: the last inquiry; null if unknown. */
export function mayBeForgotten(askedAt: Date | null, now: Date): boolean {
  return askedAt !== null && now.getTime() - askedAt.getTime() > UNASKED_MAX_MS;
}

/** The insurer's answer to an inquiry about a filed claim. */
export type ClaimAnswer = "waiting" | "approved" | "rejected" | "access_blocked" | "portal_down" | "unknown";

export interface ClaimNews {
  /** The transition caused by the answer; null if there is none. */
  readonly trigger: Extract<ClaimTrigger, "approve" | "reject"> | null;
  /** Since when access has been blocked without interruption; null if it is not blocked. */
  readonly blockedSince: Date | null;
  /** When to inquire again; null for never. */
  readonly nextPollAt: Date | null;
}

export interface BlockedAccess {
  readonly blockedSince: Date | null;
  readonly unfollowedAt: Date | null;
}

/**
 * Since when access has been blocked without interruption; otherwise null. Also null if the service has since lost
 * permission to inquire, because access may have worked during that time.
 */
export function blockedCountedSince({ blockedSince, unfollowedAt }: BlockedAccess): Date | null {
  const isCounted = blockedSince !== null && (unfollowedAt === null || blockedSince > unfollowedAt);
  return isCounted ? blockedSince : null;
}

/** A filed claim. Its id spreads its inquiries over the hour. */
export interface FiledClaim {
  readonly id: string;
  readonly filedAt: Date;
}

/** The effect of an answer at `now` on a claim filed at `filedAt`. */
export function classifyAnswer(
  { id, filedAt, ...access }: BlockedAccess & FiledClaim,
  answer: ClaimAnswer,
  now: Date,
): ClaimNews {
  const claim = { id, filedAt };
  switch (answer) {
    case "approved":
      return { trigger: "approve", blockedSince: null, nextPollAt: null };
    case "rejected":
      return { trigger: "reject", blockedSince: null, nextPollAt: null };
    case "access_blocked":
      return inquire(claim, blockedCountedSince(access) ?? now, now);
    case "waiting":
      return inquire(claim, null, now);
    case "portal_down":
    case "unknown":
      return inquire(claim, access.blockedSince, now);
  }
}

function inquire(claim: FiledClaim, blockedSince: Date | null, now: Date): ClaimNews {
  return { trigger: null, blockedSince, nextPollAt: nextPollAt(claim, blockedSince, now) };
}

/**
 * When to check again whether the service may inquire about a filed claim. The patient has withdrawn a required consent
 * and may give it again. Null for never.
 */
export function unfollowedSyncAt(filedAt: Date, now: Date): Date | null {
  return now.getTime() - filedAt.getTime() >= POLLED_DAYS_MAX * DAY_MS ? null : new Date(now.getTime() + DAY_MS);
}

/**
 * The next regular poll, or the moment at which blocked access makes the deferred part due, if that is earlier. Null
 * for never.
 */
function nextPollAt({ id, filedAt }: FiledClaim, blockedSince: Date | null, now: Date): Date | null {
  const days = (now.getTime() - filedAt.getTime()) / DAY_MS;
  if (days >= POLLED_DAYS_MAX) return null;
  const byRhythm = days >= FREQUENT_POLLS_DAYS ? nextLastPoll(id, now) : nextHourlyPoll(id, now);
  const due = blockedSince === null ? null : blockedLongEnoughAt(blockedSince);
  return due !== null && due > now && due < byRhythm ? due : byRhythm;
}

/** The next poll of a claim after `now`: hourly at the claim's own minute, and once more late in the evening. */
export function nextHourlyPoll(id: string, now: Date): Date {
  const day = santiagoDay(now);
  const first = firstPollOf(day, id);
  if (now < first) return first;
  const last = lastPollOf(day, id);
  if (now >= last) return firstPollOf(addCalendarDays(day, 1), id);
  const hours = Math.floor((now.getTime() - first.getTime()) / HOUR_MS) + 1;
  return new Date(Math.min(first.getTime() + hours * HOUR_MS, last.getTime()));
}

/** The first regular poll of a claim at or after a moment. */
export function firstPollFrom(id: string, moment: Date): Date {
  return nextHourlyPoll(id, new Date(moment.getTime() - 1));
}

function nextLastPoll(id: string, now: Date): Date {
  const day = santiagoDay(now);
  const last = lastPollOf(day, id);
  return now < last ? last : lastPollOf(addCalendarDays(day, 1), id);
}

function firstPollOf(day: CalendarDay, id: string): Date {
  return spreadFrom(santiagoMoment(day, CLAIM_ASKED_FROM_HOUR), id, HOUR_MS);
}

function lastPollOf(day: CalendarDay, id: string): Date {
  const from = santiagoMoment(day, CLAIM_ASKED_LAST_FROM.hour, CLAIM_ASKED_LAST_FROM.minute);
  const until = santiagoMoment(day, CLAIM_ASKED_LAST_UNTIL.hour, CLAIM_ASKED_LAST_UNTIL.minute);
  return spreadFrom(from, id, until.getTime() - from.getTime());
}
