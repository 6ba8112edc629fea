import { INSURERS } from "../contract/onboarding.ts";
import { type TellPatientDependencies, tellPatient } from "../notices/tell-patient.ts";
import { isPseudonym } from "../people/beneficiary.ts";
import { findBeneficiaryById } from "../people/people.ts";
import type { Database, Transaction } from "../platform/database/transaction.ts";
import type { Provider } from "../providers/provider.ts";
import type { ClaimRecord } from "./claim-store.ts";

export interface TellFiledDependencies extends TellPatientDependencies {
  readonly findProvider: (db: Database, id: string) => Promise<Provider | null>;
}

/** Tells the patient that a claim has been filed, in the transaction in which that is written; nobody who was erased. */
export async function tellFiled(
  dependencies: TellFiledDependencies,
  tx: Transaction,
  claim: Pick<ClaimRecord, "id" | "providerId" | "beneficiaryId" | "orderId">,
): Promise<void> {
  const patient = await findBeneficiaryById(tx, claim.beneficiaryId);
  const provider = await dependencies.findProvider(tx, claim.providerId);
  if (patient === null || isPseudonym(patient) || provider === null) return;
  await tellPatient(dependencies, tx, {
    provider,
    cause: `claim_filed:${claim.id}`,
    to: patient.email,
    telephone: { rut: patient.rut, number: patient.phoneNumber },
    orderId: claim.orderId,
    beneficiaryId: patient.id,
    notice: {
      kind: "claim_filed",
      firstName: patient.firstName,
      clinic: provider.name,
      insurer: INSURERS[patient.insurer],
    },
  });
}
