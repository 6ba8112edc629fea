import type { ExceptionKind } from "./exception-kinds.ts";

/**
 * How soon an operator has to act. `high`: money may be in the wrong place, or a legal period is about to end.
 * `medium`: a patient or a clinic waits for the operator. `low`: neither of them does.
 */
export const SEVERITIES = ["high", "medium", "low"] as const;
export type Severity = (typeof SEVERITIES)[number];

export const SEVERITY_OF: Readonly<Record<ExceptionKind, Severity>> = {
  collection_failed: "medium",
  collection_stopped: "medium",
  collection_written_off: "low",
  chargeback: "high",
  claim_held: "medium",
  claim_to_file: "low",
  claim_to_file_late: "medium",
  claim_to_answer: "low",
  claim_without_access: "medium",
  receipt_missing: "low",
  receipt_unread: "low",
  claim_of_refunded_order: "medium",
  claim_of_partly_refunded_order: "medium",
  money_not_returned: "high",
  transfer_owed: "high",
  tax_document_missing: "medium",
  balance_differs: "high",
  notice_undelivered: "medium",
  notice_not_carried: "medium",
  payout_refused: "medium",
  payout_returned: "medium",
  payee_owes: "low",
  payee_without_account: "medium",
  payee_account_changed: "high",
  difference: "high",
  list_unavailable: "medium",
  rights_request: "medium",
  rights_request_late: "high",
  commission_above_maximum: "medium",
  outcome_unknown: "high",
};

/** The kinds of a severity. */
export function kindsOf(severity: Severity): ExceptionKind[] {
  const kinds = Object.keys(SEVERITY_OF) as ExceptionKind[];
  return kinds.filter((kind) => SEVERITY_OF[kind] === severity);
}
