import { readRut } from "../contract/vocabulary/rut.ts";
import { providerOfTenant } from "../patients/beneficiary.ts";
import { isBlocked } from "../patients/blocked.ts";
import { areClaimsWithdrawn } from "../patients/consents.ts";
import { findBeneficiaryById } from "../patients/patients.ts";
import { type Database, inTransaction, type Transaction } from "../platform/database/transaction.ts";
import { BY_HAND, claimAfter, expenseStatusOf } from "./claim.ts";
import type { AccessTerms } from "./claim-reads.ts";
import { type ClaimRecord, changeClaim } from "./claim-store.ts";
import { lockSubmittedExpense, setExpenseStatus } from "./expenses/expense-progress.ts";

/** The reason of a claim that was stopped because the patient withdrew what it needs. */
export const MANDATE_WITHDRAWN = "mandate_withdrawn";

/**
 * Whether filing and inquiring are forbidden for this patient, because they withdrew a required consent or were erased.
 */
export async function isMandateWithdrawn(
  db: Database,
  { beneficiaryId }: Pick<ClaimRecord, "beneficiaryId">,
): Promise<boolean> {
  const patient = await findBeneficiaryById(db, beneficiaryId);
  if (patient === null || readRut(patient.rut) === null) return true;
  return areClaimsWithdrawn(db, { rut: patient.rut, providerId: providerOfTenant(patient.tenant) });
}

/**
 * Whether the service may inquire about a filed claim. That needs the patient's mandate, and their access where claims
 * are filed with it, except a claim that was filed by hand. Without them the connector would use a withdrawn password,
 * or one of a previous owner of the RUT. False while the patient's data is blocked.
 */
export async function mayFollow(
  db: Database,
  claim: Pick<ClaimRecord, "beneficiaryId" | "connector">,
  { takesInsurerAccess }: AccessTerms,
): Promise<boolean> {
  const patient = await findBeneficiaryById(db, claim.beneficiaryId);
  const needsAccess = takesInsurerAccess && claim.connector !== BY_HAND;
  if (patient === null || (needsAccess && patient.sealedInsurerAccess === null)) return false;
  if (await isBlocked(db, patient)) return false;
  return !(await isMandateWithdrawn(db, claim));
}

/**
 * Stops a claim that must not be filed: before the call (`stop`), or once the call is known not to have arrived
 * (`stop_unsent`).
 */
export function stopUncalled(db: Database, claim: ClaimRecord, stop: Stop): Promise<void> {
  return inTransaction(db, (tx) => stopUnfiled(tx, claim, stop));
}

/**
 * Stops a claim within a transaction. With `stop_unsent` also after a call that was answered without filing anything.
 */
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
