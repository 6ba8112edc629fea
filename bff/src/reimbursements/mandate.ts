import { areClaimsWithdrawn } from "../consents/consents.ts";
import { readRut } from "../contract/vocabulary/rut.ts";
import { lockSubmittedExpense, setExpenseStatus } from "../expenses/expense-progress.ts";
import { findBeneficiaryById } from "../people/people.ts";
import { providerOfTenant } from "../people/tenant.ts";
import { type Database, inTransaction } from "../platform/database/transaction.ts";
import { claimAfter, expenseStatusOf } from "./claim.ts";
import { type ClaimRecord, changeClaim } from "./claim-store.ts";

/** Why a claim was stopped by its patient. */
export const MANDATE_WITHDRAWN = "mandate_withdrawn";

/** May nothing be filed or asked for this patient? They have withdrawn what a claim needs, or had themselves erased. */
export async function isMandateWithdrawn(db: Database, { beneficiaryId }: ClaimRecord): Promise<boolean> {
  const patient = await findBeneficiaryById(db, beneficiaryId);
  if (patient === null || readRut(patient.rut) === null) return true;
  return areClaimsWithdrawn(db, { rut: patient.rut, providerId: providerOfTenant(patient.tenant) });
}

/**
 * Stops a claim whose call is not to be made: before it (`stop`), or once it is known that it never arrived (`stop_unsent`).
 */
export async function stopUncalled(
  db: Database,
  claim: ClaimRecord,
  { trigger, reason, at }: { readonly trigger: "stop" | "stop_unsent"; readonly reason: string; readonly at: Date },
): Promise<void> {
  const state = claimAfter(claim.state, trigger);
  if (state === null) return;
  await inTransaction(db, async (tx) => {
    const expense = await lockSubmittedExpense(tx, claim);
    if (!(await changeClaim(tx, claim, { state, at, reason })) || expense === null) return;
    await setExpenseStatus(tx, expense, { to: expenseStatusOf(state), at });
  });
}
