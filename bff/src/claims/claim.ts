/**
 * Receives patients' expenses, files them with insurers as claims, and follows each claim until the insurer answers.
 */

import type { ExpenseStatus } from "../contract/expenses.ts";
import { HOUR_MS, MINUTE_MS } from "../contract/vocabulary/durations.ts";

/**
 * The states of a claim. `ready`: complete. `filing`: a call is in progress or its answer was lost. `access_missing`:
 * the patient has never given access to the insurer. `access_blocked`: the insurer refuses the access. `held`: a
 * document is missing. `stopped`: before the filing, the order was refunded in full, the patient withdrew a required
 * consent, or an operator ended it.
 */
export const CLAIM_STATES = [
  "ready",
  "filing",
  "filed",
  "approved",
  "rejected",
  "held",
  "access_missing",
  "access_blocked",
  "stopped",
] as const;
export type ClaimState = (typeof CLAIM_STATES)[number];

/** What a claim records as its connector if operators file it by hand. */
export const BY_HAND = "by-hand";

export const CLAIM_TRIGGERS = [
  "call",
  "file",
  "miss_access",
  "block_access",
  "lack_document",
  "find_portal_down",
  "give_access",
  "complete_documents",
  "stop",
  "stop_unsent",
  "approve",
  "reject",
  "withdraw",
] as const;
export type ClaimTrigger = (typeof CLAIM_TRIGGERS)[number];

interface Transition {
  readonly from: ClaimState;
  readonly trigger: ClaimTrigger;
  readonly to: ClaimState;
}

/** Every transition of a claim; no other is allowed. */
export const CLAIM_TRANSITIONS: readonly Transition[] = [
  { from: "ready", trigger: "call", to: "filing" },
  { from: "access_blocked", trigger: "call", to: "filing" },
  { from: "filing", trigger: "file", to: "filed" },
  { from: "filing", trigger: "miss_access", to: "access_missing" },
  { from: "filing", trigger: "block_access", to: "access_blocked" },
  { from: "filing", trigger: "lack_document", to: "held" },
  { from: "filing", trigger: "find_portal_down", to: "ready" },
  // The call never arrived or has filed nothing, and must not be repeated.
  { from: "filing", trigger: "stop_unsent", to: "stopped" },
  { from: "access_missing", trigger: "give_access", to: "ready" },
  { from: "access_blocked", trigger: "give_access", to: "ready" },
  { from: "held", trigger: "complete_documents", to: "ready" },
  { from: "ready", trigger: "stop", to: "stopped" },
  { from: "held", trigger: "stop", to: "stopped" },
  { from: "access_missing", trigger: "stop", to: "stopped" },
  { from: "access_blocked", trigger: "stop", to: "stopped" },
  { from: "filed", trigger: "approve", to: "approved" },
  { from: "filed", trigger: "reject", to: "rejected" },
  { from: "filed", trigger: "withdraw", to: "stopped" },
];

/** The state after a trigger; `null` if the claim's state does not allow it. */
export function claimAfter(from: ClaimState, trigger: ClaimTrigger): ClaimState | null {
  return CLAIM_TRANSITIONS.find((transition) => transition.from === from && transition.trigger === trigger)?.to ?? null;
}

/**
 * The expense's published status. An expense whose claim only lacks access stays received, because the expense itself
 * is fine.
 */
const EXPENSE_STATUS: Readonly<Record<ClaimState, ExpenseStatus>> = {
  ready: "received",
  filing: "received",
  filed: "filed",
  approved: "approved",
  rejected: "rejected",
  held: "held",
  access_missing: "received",
  access_blocked: "access_blocked",
  stopped: "received",
};

export function expenseStatusOf(state: ClaimState): ExpenseStatus {
  return EXPENSE_STATUS[state];
}

const BLOCKED_RETRY_MS = 6 * HOUR_MS;

/** The delay before retrying a portal that is down for everyone: from 15 minutes to four hours. */
export function portalDownDelayMs(attempt: number): number {
  return Math.min(15 * MINUTE_MS * 2 ** Math.min(attempt - 1, 10), 4 * HOUR_MS);
}

/** The effect of the insurer's answer to a filing on the claim. */
export interface FilingVerdict {
  readonly trigger: ClaimTrigger;
  /** Why the claim waits; null if it does not. */
  readonly reason: string | null;
  /** When to retry if nothing changes; null for only after a change, or never. */
  readonly retryAfterMs: number | null;
}

/** The idempotency key of a claim's present filing. */
export function filingKey({ id, attempt }: { readonly id: string; readonly attempt: number }): string {
  return `${id}:${attempt}`;
}

/** Covers every definite answer of the insurer's gateway. Never pass an unknown outcome. */
export function classifyFiling(
  filing:
    | { readonly outcome: "filed" | "access_missing" | "access_blocked" | "portal_down" }
    | { readonly outcome: "held"; readonly missing: readonly string[] },
  attempt: number,
): FilingVerdict {
  switch (filing.outcome) {
    case "filed":
      return { trigger: "file", reason: null, retryAfterMs: null };
    case "access_missing":
      return { trigger: "miss_access", reason: "access_missing", retryAfterMs: null };
    case "access_blocked":
      return { trigger: "block_access", reason: "access_blocked", retryAfterMs: BLOCKED_RETRY_MS };
    case "portal_down":
      return { trigger: "find_portal_down", reason: "portal_down", retryAfterMs: portalDownDelayMs(attempt) };
    case "held":
      return { trigger: "lack_document", reason: filing.missing.join(","), retryAfterMs: null };
  }
}
