import { eraseReimbursed } from "../collection/patient-data.ts";
import type { OrderId } from "../contract/vocabulary/identifiers.ts";
import type { Database, Transaction } from "../platform/database/transaction.ts";
import {
  type ClaimSummary,
  deleteExpenseFiles,
  type ExpenseSummary,
  emptyClaims,
  emptyExpenses,
  patientClaimKeys,
  selectClaims,
  selectClaimsOfOrders,
  selectExpenses,
} from "./patient-data-store.ts";

export type { ClaimSummary, ExpenseSummary } from "./patient-data-store.ts";

export function patientClaims(db: Database, beneficiaryId: string): Promise<ClaimSummary[]> {
  return selectClaims(db, beneficiaryId);
}

/** The claims of these orders, whichever patient record they belong to. */
export function claimsOfOrders(db: Database, orderIds: readonly OrderId[]): Promise<ClaimSummary[]> {
  return selectClaimsOfOrders(db, orderIds);
}

/** Every expense of a patient with its files, oldest first. */
export function patientExpenses(db: Database, beneficiaryId: string): Promise<ExpenseSummary[]> {
  return selectExpenses(db, beneficiaryId);
}

/**
 * Erases documents, what was read from them, and what insurers have answered and paid. The claim's existence and its
 * approval stay with the order, because the approval made the deferred part due. The reason for which the service itself
 * stopped a claim stays as well, because it says nothing about anybody's health. Returns the names of the files, which
 * the storage still has.
 */
export async function eraseClaims(tx: Transaction, beneficiaryId: string): Promise<string[]> {
  const files = await deleteExpenseFiles(tx, beneficiaryId);
  await emptyExpenses(tx, beneficiaryId);
  await eraseReimbursed(tx, patientClaimKeys(beneficiaryId));
  await emptyClaims(tx, beneficiaryId);
  return files;
}
