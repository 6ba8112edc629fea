import { maskRut } from "../contract/vocabulary/rut.ts";
import { type TellPatientDependencies, tellPatient } from "../notices/tell-patient.ts";
import { findBeneficiaryById, giveToUser } from "../people/people.ts";
import { recordAudit } from "../platform/audit-store.ts";
import { type Database, inTransaction, type Transaction } from "../platform/database/transaction.ts";
import { ApiError } from "../platform/http/api-error.ts";
import { type OpenedWidgetToken, requireLive, spendToken } from "../widget-tokens/open-widget-token.ts";
import { lockEmailChange, replaceRecoveries, writeObjection } from "./recovery-store.ts";

export interface ObjectToEmailChangeDependencies extends TellPatientDependencies {
  readonly db: Database;
}

/**
 * Undoes a change of e-mail, by the link that the old address was sent: whoever reads that mailbox was the owner. Later
 * changes of the same patient fall with it. The link works once. Throws `ApiError`: the 410s.
 */
export async function objectToEmailChange(
  dependencies: ObjectToEmailChangeDependencies,
  opened: OpenedWidgetToken,
): Promise<void> {
  requireLive(opened);
  await inTransaction(dependencies.db, async (tx) => {
    await spendToken(tx, opened.token.id, opened.now);
    const change = await lockEmailChange(tx, opened.token.id);
    // An objection to an earlier change has undone this one.
    if (change === null) throw new ApiError("widget_token_used");
    await undo(dependencies, tx, opened, change);
  });
}

async function undo(
  dependencies: ObjectToEmailChangeDependencies,
  tx: Transaction,
  { provider, now }: OpenedWidgetToken,
  change: NonNullable<Awaited<ReturnType<typeof lockEmailChange>>>,
): Promise<void> {
  const patient = await findBeneficiaryById(tx, change.beneficiaryId);
  if (patient === null) throw new ApiError("widget_token_used");
  await writeObjection(tx, change, now);
  await replaceRecoveries(tx, change.beneficiaryId);
  await giveToUser(tx, patient, { userId: change.oldUserId, at: now });
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
  await tellPatient(dependencies, tx, {
    provider,
    cause: `email_change_undone:${change.id}`,
    to: patient.email,
    beneficiaryId: patient.id,
    notice: { kind: "email_change_undone", maskedRut: maskRut(patient.rut) },
  });
}
