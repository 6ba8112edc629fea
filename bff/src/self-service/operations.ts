import type { PatientData } from "../contract/patient-rights.ts";
import { findBeneficiaryById } from "../patients/patients.ts";
import { recordAudit } from "../platform/audit-store.ts";
import type { Clock } from "../platform/clock.ts";
import { type Database, inTransaction } from "../platform/database/transaction.ts";
import type { ExceptionPart } from "../platform/exceptions.ts";
import type { Ids } from "../platform/ids.ts";
import { providerNow } from "../platform/provider.ts";
import { requireProvider } from "../tenants/providers.ts";
import { answering } from "./my-data/answer-request.ts";
import { type RightsRequest, readRequest } from "./my-data/request-store.ts";
import { answerBy } from "./my-data/rights.ts";
import { requestExceptionQueries } from "./operations-store.ts";

/** Patients' requests that a person must answer. They can only be answered, not dismissed. */
export const requestExceptions = {
  kinds: {
    rights_request: {
      means: "A patient asks to correct, stop or block a use of their data, or to review a refused credit.",
      resolutions: ["grant_request", "refuse_request"],
    },
    rights_request_late: {
      means: "A patient's request under the data law must be answered within days.",
      resolutions: ["grant_request", "refuse_request"],
    },
  },
  resolutions: {
    grant_request: {
      means: "it was done as the patient asks; the note is mailed to them",
      notTogether: true,
      resolve: answering("granted"),
    },
    refuse_request: {
      means: "it is not done; the note says why, and is mailed to the patient",
      notTogether: true,
      resolve: answering("refused"),
    },
  },
  queries: requestExceptionQueries,
} as const satisfies ExceptionPart;

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
