import type { TwoPeopleOutcome } from "../approvals/two-people.ts";
import type { ShownRequest } from "../approved-acts/approve-request.ts";

export function approvalView(shown: ShownRequest) {
  const { id, act, subject, provider, request, askedBy, askedAt, lapsesAt, mayApprove } = shown;
  return {
    approval: id,
    act,
    subject,
    provider,
    request,
    requested_by: askedBy,
    requested_at: askedAt.toISOString(),
    lapses_at: lapsesAt.toISOString(),
    may_approve: mayApprove,
  };
}

/** The outcome of an act that needs two operators. */
export function twoPeopleView(outcome: TwoPeopleOutcome) {
  return outcome.isDone
    ? { is_done: true as const, outcome: outcome.outcome, secret: outcome.secret }
    : { is_done: false as const, approval: outcome.requestId };
}
