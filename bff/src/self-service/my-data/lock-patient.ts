import { objectionEndOf } from "../../checkout/operations.ts";
import type { Beneficiary } from "../../patients/beneficiary.ts";
import { BeneficiaryVanished, lockKnownBeneficiary } from "../../patients/patients.ts";
import type { Database, Transaction } from "../../platform/database/transaction.ts";
import { ApiError } from "../../platform/http/api-error.ts";
import { readErasure } from "./erasure-store.ts";

/**
 * Locks a patient whose right is exercised. Throws 410 `widget_token_used` if they were erased meanwhile, because that
 * ended their links. Throws 400 `patient_code_required` if the record has moved to another address meanwhile, because
 * the requester no longer owns it.
 */
export async function lockPatient(tx: Transaction, patient: Beneficiary): Promise<Beneficiary> {
  try {
    const locked = await lockKnownBeneficiary(tx, patient);
    if ((await readErasure(tx, patient.id))?.state !== "done") return sameOwner(patient, locked);
  } catch (error) {
    // A vanished record means that the patient was erased: its RUT has been replaced by a pseudonym.
    if (!(error instanceof BeneficiaryVanished)) throw error;
  }
  throw new ApiError("widget_token_used");
}

function sameOwner(known: Beneficiary, locked: Beneficiary): Beneficiary {
  if (locked.userId !== known.userId) throw new ApiError("patient_code_required");
  return locked;
}

/**
 * Requires that the time to object to a change of this patient's address is over. A person who moved a RUT with an
 * identity document alone must not read or end anything of the previous owner. Throws 409 `email_change_unsettled`.
 */
export async function requireSettledAddress(db: Database, { id }: Pick<Beneficiary, "id">, now: Date): Promise<void> {
  const end = await objectionEndOf(db, id, now);
  if (end === null) return;
  const seconds = Math.ceil((end.getTime() - now.getTime()) / 1_000);
  throw new ApiError("email_change_unsettled", { retry_after_seconds: Math.max(1, seconds) });
}
