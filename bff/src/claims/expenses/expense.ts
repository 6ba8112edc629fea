/** This folder receives patients' expenses with their files, by form or by URL, and keeps their status. */

import type { ExpenseResponse, ExpenseStatus, ExpenseSubtype, SupportingDocument } from "../../contract/expenses.ts";
import type { OrderStatus } from "../../contract/orders.ts";
import { EXPENSE_FILES_MAX } from "../../contract/terms.ts";

/**
 * The documents that an insurer requires besides the receipt and that are missing: a medical order for exams and
 * procedures, a prescription for medicines. The service cannot tell what a file shows, so each file after the receipt
 * counts as one document. An expense whose files were erased lacks the receipt as well.
 */
export function missingDocuments(subtypes: readonly ExpenseSubtype[], fileCount: number): SupportingDocument[] {
  const wanted: SupportingDocument[] = [];
  if (subtypes.includes("exam") || subtypes.includes("procedure")) wanted.push("medical_order");
  if (subtypes.includes("medicine")) wanted.push("prescription");
  return fileCount === 0 ? ["receipt", ...wanted] : wanted.slice(fileCount - 1);
}

const WAITING: ReadonlySet<OrderStatus> = new Set(["pending", "partially_paid"]);
const CLAIMABLE: ReadonlySet<OrderStatus> = new Set(["paid", "partially_refunded"]);

/** Whether an order was paid and not refunded in full, so that a claim for it makes sense. */
export function isClaimable(order: OrderStatus): boolean {
  return CLAIMABLE.has(order);
}

/** The status of an expense before its claim is filed. `order` is null for an expense without an order. */
export function statusBeforeFiling(order: OrderStatus | null, missing: readonly SupportingDocument[]): ExpenseStatus {
  if (order === null) return "received";
  if (WAITING.has(order)) return "waiting_order";
  return isClaimable(order) && missing.length > 0 ? "held" : "received";
}

/** What the response says about the filing. */
export function submissionStatus(
  status: ExpenseStatus,
  order: OrderStatus | null,
): ExpenseResponse["submission_status"] {
  if (order === null || status === "held") return "not_enqueued";
  if (status === "waiting_order") return "waiting_order";
  return isClaimable(order) ? "queued" : "not_enqueued";
}

/**
 * The status of an expense after documents were added and before its claim is filed. Blocked access stays blocked, since
 * documents do not change that.
 */
export function statusAfterAdding(
  before: ExpenseStatus,
  order: OrderStatus | null,
  missing: readonly SupportingDocument[],
): ExpenseStatus {
  return before === "access_blocked" ? before : statusBeforeFiling(order, missing);
}

/** The submitted files that the expense does not have yet, as far as there is room for them. */
export function filesToAdd<File extends { readonly sha256: string }>(
  existing: readonly { readonly sha256: string }[],
  brought: readonly File[],
): File[] {
  const known = new Set(existing.map(({ sha256 }) => sha256));
  const added: File[] = [];
  for (const file of brought) {
    if (known.has(file.sha256) || known.size >= EXPENSE_FILES_MAX) continue;
    known.add(file.sha256);
    added.push(file);
  }
  return added;
}
