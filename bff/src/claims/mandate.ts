import { readRut } from "../contract/vocabulary/rut.ts";
import { areClaimsWithdrawn } from "../patients/consents/consents.ts";
import { findBeneficiaryById } from "../patients/patients.ts";
import { providerOfTenant } from "../patients/tenant.ts";
import { type Database, inTransaction, type Transaction } from "../platform/database/transaction.ts";
import { claimAfter, expenseStatusOf } from "./claim.ts";
import { type ClaimRecord, changeClaim } from "./claim-store.ts";
import { lockSubmittedExpense, setExpenseStatus } from "./expenses/expense-progress.ts";

/** Why a claim was stopped by its patient. */
export const MANDATE_WITHDRAWN = "mandate_withdrawn";

/** May nothing be filed or asked for this patient? They have withdrawn what a claim needs, or had themselves erased. */
export async function isMandateWithdrawn(
  db: Database,
  { beneficiaryId }: Pick<ClaimRecord, "beneficiaryId">,
): Promise<boolean> {
  const patient = await findBeneficiaryById(db, beneficiaryId);
  if (patient === null || readRut(patient.rut) === null) return true;
  return areClaimsWithdrawn(db, { rut: patient.rut, providerId: providerOfTenant(patient.tenant) });
}

/**
 * May the insurer be asked about this patient's filed claims? Not without their mandate, and not without their access: the
 * connector would enter the portal with a password that they have taken back, or that was another's before them.
 */
export async function mayFollow(db: Database, claim: Pick<ClaimRecord, "beneficiaryId">): Promise<boolean> {
  const patient = await findBeneficiaryById(db, claim.beneficiaryId);
  return patient?.sealedInsurerAccess != null && !(await isMandateWithdrawn(db, claim));
}

/**
 * Stops a claim whose call is not to be made: before it (`stop`), or once it is known that it never arrived (`stop_unsent`).
 */
export function stopUncalled(db: Database, claim: ClaimRecord, stop: Stop): Promise<void> {
  return inTransaction(db, (tx) => stopUnfiled(tx, claim, stop));
}

/** The same within a transaction, also for a call that was answered and has filed nothing. */
export async function stopUnfiled(tx: Transaction, claim: ClaimRecord, { trigger, reason, at }: Stop): Promise<void> {
  const state = claimAfter(claim.state, trigger);
  if (state === null) return;
  const expense = await lockSubmittedExpense(tx, claim);
  if (!(await changeClaim(tx, claim, { state, at, reason })) || expense === null) return;
  await setExpenseStatus(tx, expense, { to: expenseStatusOf(state), at });
}

interface Stop {
  readonly trigger: "stop" | "stop_unsent";
  readonly reason: string;
  readonly at: Date;
}
