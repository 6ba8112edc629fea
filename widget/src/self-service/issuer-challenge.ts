import type { Problem } from "../api/problem.ts";

/** Whether the issuer's challenge is still to be shown, or its outcome is unknown. */
export function isAsking({ status }: { readonly status: string }): boolean {
  return status === "requires_action" || status === "processing";
}

/** Whether the patient failed the issuer's challenge: nothing was charged, and no mail is sent about it. */
export function isNotConfirmed(problem: Problem | null): boolean {
  const reason = problem?.kind === "refused" ? problem.additions.decline_reason : undefined;
  return reason === "authentication_failed" || reason === "authentication_abandoned";
}
