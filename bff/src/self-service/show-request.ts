import type { PatientData } from "../contract/patient-rights.ts";
import { findBeneficiaryById } from "../patients/patients.ts";
import { recordAudit } from "../platform/audit-store.ts";
import type { Clock } from "../platform/clock.ts";
import { type Database, inTransaction } from "../platform/database/transaction.ts";
import type { Ids } from "../platform/ids.ts";
import { providerNow } from "../platform/provider.ts";
import { requireProvider } from "../tenants/providers.ts";
import { type RightsRequest, readRequest } from "./my-data/request-store.ts";
import { answerBy } from "./my-data/rights.ts";

type ShownRequest = NonNullable<PatientData["requests"]>[number];

/** A request as shown to its patient. */
export function requestPart(request: RightsRequest): ShownRequest {
  return {
    id: request.id,
    kind: request.kind,
    about: request.about === "" ? null : request.about,
    words: request.words,
    status: request.state,
    asked_at: request.askedAt.toISOString(),
    answer_by: answerBy(request.askedAt).toISOString(),
    answered_at: request.answeredAt?.toISOString() ?? null,
    answer: request.answer,
  };
}

/**
 * A request with its patient, for the operator who answers it; null if there is none. It counts as a reading of the
 * patient's data.
 */
export function showRequest(
  { db, ids, clock }: { readonly db: Database; readonly ids: Ids; readonly clock: Clock },
  id: string,
  actor: string,
): Promise<(ShownRequest & { readonly rut: string }) | null> {
  return inTransaction(db, async (tx) => {
    const request = await readRequest(tx, id);
    const patient = request === null ? null : await findBeneficiaryById(tx, request.beneficiaryId);
    if (request === null || patient === null) return null;
    const provider = await requireProvider(tx, request.providerId);
    await recordAudit(tx, {
      id: ids.uuid(),
      providerId: provider.id,
      actor,
      credentialId: null,
      act: "patient_data.read",
      subject: { kind: "beneficiary", id: patient.id },
      details: { request: request.id },
      at: providerNow(provider, clock.now()),
    });
    return { ...requestPart(request), rut: patient.rut };
  });
}
