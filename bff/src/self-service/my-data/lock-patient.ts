import type { Beneficiary } from "../../patients/beneficiary.ts";
import { BeneficiaryVanished, lockKnownBeneficiary } from "../../patients/patients.ts";
import type { Transaction } from "../../platform/database/transaction.ts";
import { ApiError } from "../../platform/http/api-error.ts";
import { readErasure } from "./erasure-store.ts";

/**
 * Locks a patient whose right is exercised. Throws 410 `widget_token_used` for one who was erased meanwhile: their links have
 * ended with them; and 400 `patient_code_required` where the record has gone to another address meanwhile: whoever asks is
 * not its owner any more.
 */
export async function lockPatient(tx: Transaction, patient: Beneficiary): Promise<Beneficiary> {
  try {
    const locked = await lockKnownBeneficiary(tx, patient);
    if ((await readErasure(tx, patient.id))?.state !== "done") return sameOwner(patient, locked);
  } catch (error) {
    // The RUT under which the record was found is not its own any more.
    if (!(error instanceof BeneficiaryVanished)) throw error;
  }
  throw new ApiError("widget_token_used");
}

function sameOwner(known: Beneficiary, locked: Beneficiary): Beneficiary {
  if (locked.userId !== known.userId) throw new ApiError("patient_code_required");
  return locked;
}
