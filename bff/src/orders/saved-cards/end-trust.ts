import type { Beneficiary } from "../../patients/beneficiary.ts";
import { noteIdentityMatch } from "../../patients/patients.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Transaction } from "../../platform/database/transaction.ts";
import { removeSavedCards } from "./saved-cards.ts";

/**
 * Something shows that who was recognised may not have been the patient: an objection, or a lost chargeback. Their saved
 * cards go, and the registry must match them again.
 */
export async function endTrust(
  tx: Transaction,
  dependencies: { readonly clock: Clock },
  patient: Beneficiary,
  at: Date,
): Promise<void> {
  await noteIdentityMatch(tx, patient, null);
  await removeSavedCards(tx, dependencies, { beneficiaryId: patient.id, id: null, at });
}
