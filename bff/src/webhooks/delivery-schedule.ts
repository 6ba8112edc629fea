import { WEBHOOK_DELAYS_SECONDS } from "../contract/terms.ts";

/** The kind of the timers that wait for a delivery's next attempt. */
export const retryKind = "webhooks.retry";

/** Why an attempt failed, in our words. `internal`: it could not be made, through no fault of the receiver's. */
export type AttemptFailure = "timeout" | "network" | "redirect" | "status" | "url_refused" | "internal";

/** How an attempt went. */
export type AttemptOutcome =
  | { readonly outcome: "succeeded"; readonly status: number }
  | { readonly outcome: "failed"; readonly failure: AttemptFailure; readonly status: number | null };

/** What an HTTP status means for a delivery: only 2xx is success, and a redirect is a failure of its own. */
export function judgeStatus(status: number): AttemptOutcome {
  if (status >= 200 && status <= 299) return { outcome: "succeeded", status };
  return { outcome: "failed", failure: status >= 300 && status <= 399 ? "redirect" : "status", status };
}

/**
 * When the next attempt is due after so many failures, counted from the end of the last one; null when there is none
 * left.
 */
export function nextAttemptAt(failures: number, endedAt: Date): Date | null {
  const seconds = WEBHOOK_DELAYS_SECONDS[failures - 1];
  return seconds === undefined ? null : new Date(endedAt.getTime() + seconds * 1_000);
}
