import { maskRut } from "../../contract/vocabulary/rut.ts";
import { type NotifyPatientDependencies, notifyPatient } from "../../notifications/notify-patient.ts";
import { endTrust } from "../../orders/saved-cards.ts";
import type { Beneficiary } from "../../patients/beneficiary.ts";
import { assignToUser, findAndLockBeneficiaryById } from "../../patients/patients.ts";
import { recordAudit } from "../../platform/audit-store.ts";
import { type Database, inTransaction, type Transaction } from "../../platform/database/transaction.ts";
import { ApiError } from "../../platform/http/api-error.ts";
import { type OpenedWidgetToken, requireLive, spendToken } from "../open-widget-token.ts";
import { forgetProvenVisits } from "../tokens/proven-visits.ts";
import { type EmailChange, lockEmailChange, replaceRecoveries, writeObjection } from "./recovery-store.ts";

export interface ObjectToEmailChangeDependencies extends NotifyPatientDependencies {
  readonly db: Database;
}

/**
 * Undoes an e-mail change by the link sent to the old address, whose reader owned the RUT before the change. Also
 * undoes later changes of the same patient. The link works once. Throws the 410s of an ended link.
 */
export async function objectToEmailChange(
  dependencies: ObjectToEmailChangeDependencies,
  opened: OpenedWidgetToken,
): Promise<void> {
  requireLive(opened);
  const { id, beneficiaryId } = opened.token;
  await inTransaction(dependencies.db, async (tx) => {
    // Lock the patient first, as answering a code does, so that a concurrent change is undone too.
    const patient = beneficiaryId === null ? null : await findAndLockBeneficiaryById(tx, beneficiaryId);
    await spendToken(tx, id, opened.now);
    const change = await lockEmailChange(tx, id);
    // An objection to an earlier change has already undone this one, or the patient was erased.
    if (change === null || patient === null) throw new ApiError("widget_token_used");
    await undo(dependencies, tx, opened, { change, patient });
  });
}

async function undo(
  dependencies: ObjectToEmailChangeDependencies,
  tx: Transaction,
  { provider, now }: OpenedWidgetToken,
  { change, patient }: { readonly change: EmailChange; readonly patient: Beneficiary },
): Promise<void> {
  await writeObjection(tx, change, now);
  await replaceRecoveries(tx, change.beneficiaryId);
  await assignToUser(tx, patient, { userId: change.oldUserId, at: now });
  await forgetProvenVisits(tx, patient.id);
  await endTrust(tx, dependencies, patient, now);
  await recordAudit(tx, {
    id: dependencies.ids.uuid(),
    providerId: provider.id,
    actor: "patient",
    credentialId: null,
    act: "beneficiary.email_change_undone",
    subject: { kind: "beneficiary", id: change.beneficiaryId },
    details: { email_change: change.id },
    at: now,
  });
  await notifyPatient(dependencies, tx, {
    provider,
    cause: `email_change_undone:${change.id}`,
    to: patient.email,
    rut: patient.rut,
    beneficiaryId: patient.id,
    notification: { kind: "email_change_undone", maskedRut: maskRut(patient.rut) },
  });
}
