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
