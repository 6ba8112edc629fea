import type { Problem } from "../api/problem.ts";

/** True for the answer of a call by a link after which the card's issuer has still to ask, or to be asked. */
export function isAsking({ status }: { readonly status: string }): boolean {
  return status === "requires_action" || status === "processing";
}

/** True for a card whose patient did not pass the issuer's challenge: nothing was charged, and no mail tells of it. */
export function isNotConfirmed(problem: Problem | null): boolean {
  const reason = problem?.kind === "refused" ? problem.additions.decline_reason : undefined;
  return reason === "authentication_failed" || reason === "authentication_abandoned";
}
