import { blockedLongEnoughAt } from "../collection/collection.ts";
import { DAY_MS, HOUR_MS } from "../contract/vocabulary/durations.ts";
import type { ClaimTrigger } from "./claim.ts";

/**
 * What each answer of the insurer means for a filed claim. Blocked access is counted from its first observation until the
 * insurer gives another answer, or until the service may no longer ask. A portal that is down or does not answer shows
 * neither that access is blocked nor that it works.
 */

/** How often the insurer is asked about a filed claim. */
export const POLL_MS = 4 * HOUR_MS;
/** After this usual time for an answer, the insurer is asked once a day. */
export const FREQUENT_POLLS_DAYS = 60;
/** After this the insurer is not asked any more: insurers do not answer later. */
export const POLLED_DAYS_MAX = 365;
/** When to ask again after the insurer's portal was down or did not answer. */
export const UNHEARD_POLL_MS = HOUR_MS;

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
function nextPollAt(filedAt: Date, blockedSince: Date | null, now: Date, delayMs: number): Date | null {
  const days = (now.getTime() - filedAt.getTime()) / DAY_MS;
  if (days >= POLLED_DAYS_MAX) return null;
  const byRhythm = now.getTime() + (days >= FREQUENT_POLLS_DAYS ? DAY_MS : delayMs);
  const due = blockedSince === null ? null : blockedLongEnoughAt(blockedSince).getTime();
  return new Date(due !== null && due > now.getTime() ? Math.min(byRhythm, due) : byRhythm);
}
