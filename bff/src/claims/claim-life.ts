import { blockedLongEnoughAt } from "../collection/collection.ts";
import { CLAIM_ASKED_FROM_HOUR, CLAIM_ASKED_LAST } from "../contract/terms.ts";
import { DAY_MS, HOUR_MS } from "../contract/vocabulary/durations.ts";
import { addCalendarDays, type CalendarDay, santiagoDay, santiagoMoment } from "../platform/santiago-time.ts";
import type { ClaimTrigger } from "./claim.ts";

/**
 * What each answer of the insurer means for a filed claim. Blocked access is counted from its first observation until the
 * insurer gives another answer, or until the service may no longer ask. A portal that is down or does not answer shows
 * neither that access is blocked nor that it works.
 */

/** After this usual time for an answer, the insurer is asked once a day, at the day's last poll. */
export const FREQUENT_POLLS_DAYS = 60;
/** After this the insurer is not asked any more: insurers do not answer later. */
export const POLLED_DAYS_MAX = 365;

/** A connector forgets a password when nobody has asked about its claims for 7 days (`docs/gateways.md`): a day less. */
const UNASKED_MAX_MS = 6 * DAY_MS;

/** Whether the insurer may have forgotten the access to a claim, of which it was asked at `askedAt` last; null: not known. */
export function mayBeForgotten(askedAt: Date | null, now: Date): boolean {
  return askedAt !== null && now.getTime() - askedAt.getTime() > UNASKED_MAX_MS;
}

/** What the insurer answers when it is asked about a filed claim. */
export type ClaimAnswer = "waiting" | "approved" | "rejected" | "access_blocked" | "portal_down" | "unknown";

export interface ClaimNews {
  /** The transition that the answer causes; `null`: none. */
  readonly trigger: Extract<ClaimTrigger, "approve" | "reject"> | null;
  /** Since when access has been blocked without a break; `null`: it is not blocked. */
  readonly blockedSince: Date | null;
  /** When to ask again; `null`: never. */
  readonly nextPollAt: Date | null;
}

export interface BlockedAccess {
  readonly blockedSince: Date | null;
  readonly unfollowedAt: Date | null;
}

/**
 * Since when access has been blocked without a break, if that counts; otherwise `null`. It does not count if the service
 * has since been without permission to ask, because access may have worked in that time.
 */
export function blockedCountedSince({ blockedSince, unfollowedAt }: BlockedAccess): Date | null {
  const isCounted = blockedSince !== null && (unfollowedAt === null || blockedSince > unfollowedAt);
  return isCounted ? blockedSince : null;
}

/** What an answer at `now` means for a claim that was filed at `filedAt`. */
export function judgeAnswer(
  { filedAt, ...access }: BlockedAccess & { readonly filedAt: Date },
  answer: ClaimAnswer,
  now: Date,
): ClaimNews {
  switch (answer) {
    case "approved":
      return { trigger: "approve", blockedSince: null, nextPollAt: null };
    case "rejected":
      return { trigger: "reject", blockedSince: null, nextPollAt: null };
    case "access_blocked":
      return ask(filedAt, blockedCountedSince(access) ?? now, now);
    case "waiting":
      return ask(filedAt, null, now);
    case "portal_down":
    case "unknown":
      return ask(filedAt, access.blockedSince, now);
  }
}

function ask(filedAt: Date, blockedSince: Date | null, now: Date): ClaimNews {
  return { trigger: null, blockedSince, nextPollAt: nextPollAt(filedAt, blockedSince, now) };
}

/**
 * When to check again whether the service may ask about a filed claim: the patient has withdrawn what asking needs and
 * may accept it again. `null`: never.
 */
export function unfollowedSyncAt(filedAt: Date, now: Date): Date | null {
  return now.getTime() - filedAt.getTime() >= POLLED_DAYS_MAX * DAY_MS ? null : new Date(now.getTime() + DAY_MS);
}

/**
 * The regular next poll, or the moment at which blocked access makes the deferred part due, if that is earlier. `null`:
 * never.
 */
function nextPollAt(filedAt: Date, blockedSince: Date | null, now: Date): Date | null {
  const days = (now.getTime() - filedAt.getTime()) / DAY_MS;
  if (days >= POLLED_DAYS_MAX) return null;
  const byRhythm = days >= FREQUENT_POLLS_DAYS ? nextLastPoll(now) : nextHourlyPoll(now);
  const due = blockedSince === null ? null : blockedLongEnoughAt(blockedSince);
  return due !== null && due > now && due < byRhythm ? due : byRhythm;
}

/** In an hour, but no later than the last poll of the day, and not before the first one of the morning. */
export function nextHourlyPoll(now: Date): Date {
  const day = santiagoDay(now);
  const first = santiagoMoment(day, CLAIM_ASKED_FROM_HOUR);
  if (now < first) return first;
  const last = lastPollOf(day);
  if (now >= last) return santiagoMoment(addCalendarDays(day, 1), CLAIM_ASKED_FROM_HOUR);
  return new Date(Math.min(now.getTime() + HOUR_MS, last.getTime()));
}

/** The first poll at or after a moment, of a claim that is asked about from the morning of that day on. */
export function firstPollFrom(moment: Date): Date {
  const first = santiagoMoment(santiagoDay(moment), CLAIM_ASKED_FROM_HOUR);
  let poll = first;
  while (poll < moment) poll = nextHourlyPoll(poll);
  return poll;
}

function nextLastPoll(now: Date): Date {
  const day = santiagoDay(now);
  const last = lastPollOf(day);
  return now < last ? last : lastPollOf(addCalendarDays(day, 1));
}

function lastPollOf(day: CalendarDay): Date {
  return santiagoMoment(day, CLAIM_ASKED_LAST.hour, CLAIM_ASKED_LAST.minute);
}
