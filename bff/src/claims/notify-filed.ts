import { INSURERS } from "../contract/onboarding.ts";
import { type NotifyPatientDependencies, notifyPatient } from "../notifications/notify-patient.ts";
import { isPseudonym } from "../patients/beneficiary.ts";
import { findBeneficiaryById } from "../patients/patients.ts";
import type { Transaction } from "../platform/database/transaction.ts";
import { requireProvider } from "../tenants/provider-reads.ts";
import type { ClaimRecord } from "./claim-store.ts";

/**
 * Notifies the patient that a claim has been filed, in the transaction that records it; never a patient who was erased.
 */
export async function notifyFiled(
  dependencies: NotifyPatientDependencies,
  tx: Transaction,
  claim: Pick<ClaimRecord, "id" | "providerId" | "beneficiaryId" | "orderId">,
): Promise<void> {
  const patient = await findBeneficiaryById(tx, claim.beneficiaryId);
  if (patient === null || isPseudonym(patient)) return;
  const provider = await requireProvider(tx, claim.providerId);
  await notifyPatient(dependencies, tx, {
    provider,
    cause: `claim_filed:${claim.id}`,
    to: patient.email,
    rut: patient.rut,
    telephone: patient.phoneNumber,
    orderId: claim.orderId,
    beneficiaryId: patient.id,
    notification: {
      kind: "claim_filed",
      firstName: patient.firstName,
      clinic: provider.name,
      insurer: INSURERS[patient.insurer],
    },
  });
}
