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

/** Every claim of a patient. */
export function patientClaims(db: Database, beneficiaryId: string): Promise<ClaimSummary[]> {
  return selectClaims(db, beneficiaryId);
}

/** The claims of orders, whoever's record they hang on. */
export function claimsOfOrders(db: Database, orderIds: readonly OrderId[]): Promise<ClaimSummary[]> {
  return selectClaimsOfOrders(db, orderIds);
}

/** Every expense of a patient with its files, oldest first. */
export function patientExpenses(db: Database, beneficiaryId: string): Promise<ExpenseSummary[]> {
  return selectExpenses(db, beneficiaryId);
}

/**
 * Erases documents and what stood on them, and what insurers have said and paid. That there was a claim, and whether and when
 * it was approved, stays with the order: that made the deferred part due. Why we stopped one ourselves says nothing of
 * anybody's health. Returns the names of the files, which the storage still has.
 */
export async function eraseClaims(tx: Transaction, beneficiaryId: string): Promise<string[]> {
  const files = await deleteExpenseFiles(tx, beneficiaryId);
  await emptyExpenses(tx, beneficiaryId);
  await eraseReimbursed(tx, patientClaimKeys(beneficiaryId));
  await emptyClaims(tx, beneficiaryId);
  return files;
}
