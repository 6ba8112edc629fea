import type { ExpenseResponse, ExpenseStatus, ExpenseSubtype, SupportingDocument } from "../../contract/expenses.ts";
import type { OrderStatus } from "../../contract/orders.ts";
import { EXPENSE_FILES_MAX } from "../../contract/terms.ts";

/**
 * The documents that an insurer wants beside the receipt and that are not there (domain: a medical order for exams and
 * procedures, a prescription for medicines). What a file shows cannot be told from here, so that each file after the
 * receipt counts as one document. An expense whose files were erased lacks even the receipt.
 */
export function missingDocuments(subtypes: readonly ExpenseSubtype[], fileCount: number): SupportingDocument[] {
  const wanted: SupportingDocument[] = [];
  if (subtypes.includes("exam") || subtypes.includes("procedure")) wanted.push("medical_order");
  if (subtypes.includes("medicine")) wanted.push("prescription");
  return fileCount === 0 ? ["receipt", ...wanted] : wanted.slice(fileCount - 1);
}

const WAITING: ReadonlySet<OrderStatus> = new Set(["pending", "partially_paid"]);
const CLAIMABLE: ReadonlySet<OrderStatus> = new Set(["paid", "partially_refunded"]);

/** Has the order been paid and not been given back in full, so that a claim for it makes sense? */
export function isClaimable(order: OrderStatus): boolean {
  return CLAIMABLE.has(order);
}

/** Where an expense stands before its claim is filed. `order` is null for a plain expense. */
export function statusBeforeFiling(order: OrderStatus | null, missing: readonly SupportingDocument[]): ExpenseStatus {
  if (order === null) return "received";
  if (WAITING.has(order)) return "waiting_order";
  return isClaimable(order) && missing.length > 0 ? "held" : "received";
}

/** What the submitter is told about the filing. */
export function submissionStatus(
  status: ExpenseStatus,
  order: OrderStatus | null,
): ExpenseResponse["submission_status"] {
  if (order === null || status === "held") return "not_enqueued";
  if (status === "waiting_order") return "waiting_order";
  return isClaimable(order) ? "queued" : "not_enqueued";
}

/** Where an expense stands whose claim has not been filed, once more has come of it. Documents open no access to the insurer. */
export function statusAfterAdding(
  before: ExpenseStatus,
  order: OrderStatus | null,
  missing: readonly SupportingDocument[],
): ExpenseStatus {
  return before === "access_blocked" ? before : statusBeforeFiling(order, missing);
}

/** Of the files that a submission brings, those that the expense does not have yet and still has room for. */
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
