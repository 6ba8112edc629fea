import { WEBHOOK_DELAYS_SECONDS } from "../contract/terms.ts";
import type { WebhookAttempt } from "../contract/webhooks.ts";

/** Kind of the timers that wait for a delivery's next attempt. */
export const retryKind = "webhooks.retry";

/** Why an attempt failed. */
export type AttemptFailure = NonNullable<WebhookAttempt["failure"]>;

/** How an attempt went. */
export type AttemptOutcome =
  | { readonly outcome: "succeeded"; readonly status: number }
  | { readonly outcome: "failed"; readonly failure: AttemptFailure; readonly status: number | null };

/** The outcome for an HTTP status: only 2xx is success, and a redirect is a separate kind of failure. */
export function classifyStatus(status: number): AttemptOutcome {
  if (status >= 200 && status <= 299) return { outcome: "succeeded", status };
  return { outcome: "failed", failure: status >= 300 && status <= 399 ? "redirect" : "status", status };
}

/**
 * When the next attempt is due after this many failures, counted from the end of the last attempt; null if none is
 * left.
 */
export function nextAttemptAt(failures: number, endedAt: Date): Date | null {
  const seconds = WEBHOOK_DELAYS_SECONDS[failures - 1];
  return seconds === undefined ? null : new Date(endedAt.getTime() + seconds * 1_000);
}
