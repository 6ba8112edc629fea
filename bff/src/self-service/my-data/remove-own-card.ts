import { removeSavedCards } from "../../orders/saved-cards.ts";
import { recordAudit } from "../../platform/audit-store.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import type { RightsAct } from "../see-data.ts";
import type { WithdrawDependencies } from "../withdraw-consent.ts";
import { lockPatient } from "./lock-patient.ts";

/** Removes one of a patient's saved cards. Repeating it, or naming a card that is not theirs, changes nothing. */
export function removeOwnCard({ db, ids, clock }: WithdrawDependencies, act: RightsAct, id: string): Promise<void> {
  return inTransaction(db, async (tx) => {
    const patient = await lockPatient(tx, act.patient);
    if (!(await removeSavedCards(tx, { clock }, { beneficiaryId: patient.id, id, at: act.now }))) return;
    await recordAudit(tx, {
      id: ids.uuid(),
      providerId: act.providerId,
      actor: act.actor,
      credentialId: null,
      act: "patient_data.saved_card_removed",
      subject: { kind: "beneficiary", id: patient.id },
      details: { saved_card: id },
      at: act.now,
    });
  });
}
