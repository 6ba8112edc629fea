/** Receives patients' expenses with their files, by form or by URL, and tracks their status. */

import type { ExpenseResponse, ExpenseStatus, ExpenseSubtype, MissingDocument } from "../../contract/expenses.ts";
import type { OrderStatus } from "../../contract/orders.ts";
import { EXPENSE_FILES_MAX } from "../../contract/terms.ts";

/**
 * The documents that an insurer requires besides the receipt and that are missing: a medical order for exams and
 * procedures, a prescription for medicines. The service cannot see what a file shows, so each file after the receipt
 * counts as one document, unless it needs a password. An expense whose files were erased lacks the receipt as well.
 */
export function missingDocuments(
  subtypes: readonly ExpenseSubtype[],
  files: readonly { readonly isLocked: boolean }[],
): MissingDocument[] {
  const wanted: MissingDocument[] = [];
  if (subtypes.includes("exam") || subtypes.includes("procedure")) wanted.push("medical_order");
  if (subtypes.includes("medicine")) wanted.push("prescription");
  const [receipt, ...documents] = files;
  if (receipt === undefined) return ["receipt", ...wanted];
  const missing = wanted.slice(documents.filter(({ isLocked }) => !isLocked).length);
  return receipt.isLocked ? ["unlocked_receipt", ...missing] : missing;
}

const WAITING: ReadonlySet<OrderStatus> = new Set(["pending", "partially_paid"]);
const CLAIMABLE: ReadonlySet<OrderStatus> = new Set(["paid", "partially_refunded"]);

/** Whether an order was paid and not refunded in full, so that a claim for it makes sense. */
export function isClaimable(order: OrderStatus): boolean {
  return CLAIMABLE.has(order);
}

/** The status of an expense before its claim is filed. `order` is null for an expense without an order. */
export function statusBeforeFiling(order: OrderStatus | null, missing: readonly MissingDocument[]): ExpenseStatus {
  if (order === null) return "received";
  if (WAITING.has(order)) return "waiting_order";
  return isClaimable(order) && missing.length > 0 ? "held" : "received";
}

/** The filing status in the response. */
export function submissionStatus(
  status: ExpenseStatus,
  order: OrderStatus | null,
): ExpenseResponse["submission_status"] {
  if (order === null || status === "held") return "not_enqueued";
  if (status === "waiting_order") return "waiting_order";
  return isClaimable(order) ? "queued" : "not_enqueued";
}

/**
 * The status of an expense after documents were added and before its claim is filed. Blocked access stays blocked,
 * because documents do not change it.
 */
export function statusAfterAdding(
  before: ExpenseStatus,
  order: OrderStatus | null,
  missing: readonly MissingDocument[],
): ExpenseStatus {
  return before === "access_blocked" ? before : statusBeforeFiling(order, missing);
}

/** The properties that identify a file as a reprint of a stored receipt. */
interface Receipt {
  readonly receiptId: string | null;
  readonly total: number | null;
  readonly files: readonly { readonly name: string; readonly sha256: string; readonly isLocked: boolean }[];
}

/**
 * The file that replaces an expense's receipt; null if none does. Some programs print a receipt again for each attempt,
 * with different bytes but the same number and total. A file with another name may be a later document, so it never
 * replaces the receipt; while a document is missing, neither does a similar name. The first unlocked file replaces a
 * locked receipt.
 */
export function receiptReprinted<File extends Receipt["files"][number]>(
  expense: Receipt,
  submitted: Omit<Receipt, "files"> & { readonly files: readonly File[] },
  missing: readonly MissingDocument[],
): File | null {
  const { receiptId, total, files } = expense;
  if (files[0]?.isLocked) {
    const isKnown = (sha256: string) => files.some((file) => file.sha256 === sha256);
    return submitted.files.find(({ sha256, isLocked }) => !isLocked && !isKnown(sha256)) ?? null;
  }
  const [printed, receipt] = [submitted.files[0], files[0]];
  if (printed === undefined || receipt === undefined || receiptId === null || total === null) return null;
  if (printed.isLocked) return null;
  if (receiptId !== submitted.receiptId || total !== submitted.total) return null;
  if (files.some(({ sha256 }) => sha256 === printed.sha256)) return null;
  const isLike = (a: string, b: string) => a === b || (missing.length === 0 && withoutDigits(a) === withoutDigits(b));
  return isLike(printed.name, receipt.name) ? printed : null;
}

/** Names of reprinted files differ in a number or time. */
function withoutDigits(name: string): string {
  return name.replaceAll(/\d+/g, "");
}

/** The submitted files that the expense does not have yet, up to its limit. */
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
