import { blockedLongEnoughAt } from "../collection/collection.ts";
import { DAY_MS, HOUR_MS } from "../contract/vocabulary/durations.ts";
import type { ClaimTrigger } from "./claim.ts";

/**
 * What a filed claim's insurer says, and what it means. Access that is blocked is counted from when it
 * was first observed, until something else than blocked access is observed, or nobody may ask any more; a portal that is
 * down, or does not answer, says nothing of either.
 */

/** How often a filed claim is asked about: four times in a working day, and at every full day since it was filed. */
export const POLL_MS = 4 * HOUR_MS;
/** After the usual time for an answer it is asked about once a day. */
export const FREQUENT_POLLS_DAYS = 60;
/** And given up after this; insurers answer no later. */
export const POLLED_DAYS_MAX = 365;
/** When the insurer did not answer at all. */
export const UNHEARD_POLL_MS = HOUR_MS;

/** The answers of the insurer's port to "how stands it?", by name. */
export type ClaimAnswer = "waiting" | "approved" | "rejected" | "access_blocked" | "portal_down" | "unknown";

export interface ClaimNews {
  /** The transition that it makes, if any. */
  readonly trigger: Extract<ClaimTrigger, "approve" | "reject"> | null;
  /** Since when access has been blocked without a break; `null`: it is not. */
  readonly blockedSince: Date | null;
  /** When to ask again; `null`: never. */
  readonly nextPollAt: Date | null;
}

/** What is known of a claim's blocked access. */
export interface BlockedAccess {
  readonly blockedSince: Date | null;
  readonly unfollowedAt: Date | null;
}

/**
 * Since when access has been blocked without a break, as far as it counts: while a claim was not followed, because its patient
 * had withdrawn what that needs, nobody knows whether there was a break.
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
      return ask(filedAt, blockedCountedSince(access) ?? now, now, POLL_MS);
    case "waiting":
      return ask(filedAt, null, now, POLL_MS);
    case "portal_down":
    case "unknown":
      return ask(filedAt, access.blockedSince, now, UNHEARD_POLL_MS);
  }
}

function ask(filedAt: Date, blockedSince: Date | null, now: Date, delayMs: number): ClaimNews {
  return { trigger: null, blockedSince, nextPollAt: nextPollAt(filedAt, blockedSince, now, delayMs) };
}

/**
 * When a filed claim that may not be asked about, because its patient has withdrawn what that needs, is looked at again: they
 * may have accepted it again. `null`: never.
 */
export function unfollowedSyncAt(filedAt: Date, now: Date): Date | null {
  return now.getTime() - filedAt.getTime() >= POLLED_DAYS_MAX * DAY_MS ? null : new Date(now.getTime() + DAY_MS);
}

/** By the rhythm, but never past the moment at which blocked access makes the deferred part due. */
function nextPollAt(filedAt: Date, blockedSince: Date | null, now: Date, delayMs: number): Date | null {
  const days = (now.getTime() - filedAt.getTime()) / DAY_MS;
  if (days >= POLLED_DAYS_MAX) return null;
  const byRhythm = now.getTime() + (days >= FREQUENT_POLLS_DAYS ? DAY_MS : delayMs);
  const due = blockedSince === null ? null : blockedLongEnoughAt(blockedSince).getTime();
  return new Date(due !== null && due > now.getTime() ? Math.min(byRhythm, due) : byRhythm);
}
