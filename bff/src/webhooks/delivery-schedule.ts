import { WEBHOOK_DELAYS_SECONDS, WEBHOOK_TIMEOUT_SECONDS } from "../contract/terms.ts";
import type { WebhookAttempt } from "../contract/webhooks.ts";

/** Kind of the timers that wait for a delivery's next attempt. */
export const retryKind = "webhooks.retry";

/** Why an attempt failed. */
export type AttemptFailure = NonNullable<WebhookAttempt["failure"]>;

/** The outcome of an attempt. */
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

const EXPLANATIONS: Readonly<Record<Exclude<AttemptFailure, "status">, string>> = {
  timeout: `The endpoint did not answer within ${WEBHOOK_TIMEOUT_SECONDS} seconds. Answer 2xx first, and process the event afterwards.`,
  dns: "The name in the endpoint's address could not be resolved (DNS).",
  refused: "The connection was refused: nothing listens at the endpoint's address and port.",
  tls: "No secure connection was established (TLS): the certificate has expired, is for another name, or its chain is incomplete.",
  network: "The connection was lost before an answer arrived.",
  redirect: "The endpoint answered with a redirect, which is not followed. Register the address that it leads to.",
  url_refused: "The endpoint's address is not public, or is not https.",
  internal: "The service could not make the attempt, which is not the endpoint's fault.",
};

/** Why an attempt failed, for the partner's developer. */
export function explain(failure: AttemptFailure, status: number | null): string {
  if (failure !== "status") return EXPLANATIONS[failure];
  const whose = status !== null && status < 500 ? "it refuses the webhook" : "it failed itself";
  return `The endpoint answered ${status ?? "without 2xx"}: ${whose}. \`answer\` has the beginning of its body.`;
}
