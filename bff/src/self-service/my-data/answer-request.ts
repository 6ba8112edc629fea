import { correctedFieldSchema } from "../../contract/patient-rights.ts";
import { type NotifyPatientDependencies, notifyPatient } from "../../notifications/notify-patient.ts";
import { correct, unblock } from "../../patients/blocked.ts";
import { findAndLockBeneficiaryById, findBeneficiaryById } from "../../patients/patients.ts";
import type { Transaction } from "../../platform/database/transaction.ts";
import { publishEvent } from "../../platform/event-store.ts";
import { ResolutionRefused, type Resolving } from "../../platform/exceptions.ts";
import { requireProvider } from "../../tenants/providers.ts";
import { type RightsRequest, readRequest, writeAnswer } from "./request-store.ts";

/** An operator's answer to a patient's request. The note is its text, and is mailed. It ends a blocking. */
export function answering(state: "granted" | "refused"): (resolving: Resolving) => Promise<string> {
  return async ({ tx, ids, exception, note, at }) => {
    if (note === null) throw new ResolutionRefused("The note is the answer to the patient and cannot be left out.");
    const requested = await readRequest(tx, exception.subject);
    const patient = requested === null ? null : await findAndLockBeneficiaryById(tx, requested.beneficiaryId);
    if (requested === null || patient === null)
      throw new ResolutionRefused("It was withdrawn with the patient's data.");
    if (!(await writeAnswer(tx, requested.id, { state, answer: note, at })))
      throw new ResolutionRefused("It was answered already.");
    if (requested.kind === "blocking") await unblock(tx, patient);
    const correction = state === "granted" ? correctionOf(requested) : null;
    if (correction !== null && !(await correct(tx, patient, correction, { value: requested.words, at })))
      throw new ResolutionRefused(
        "The patient's request has more than the corrected value: refuse it, and ask for the value alone.",
      );
    await publishEvent(tx, {
      id: ids.uuid(),
      providerId: requested.providerId,
      orderId: null,
      kind: "rights_request.answered",
      sequence: null,
      payload: { request_id: requested.id },
      createdAt: at,
    });
    return correction === null ? "Answered; the patient was notified." : "Corrected; the patient was notified.";
  };
}

/** The field that a granted request corrects; `null`: the operator has carried out the request. */
function correctionOf({ kind, about }: RightsRequest) {
  const field = kind === "rectification" ? correctedFieldSchema.parse(about) : "other";
  return field === "other" ? null : field;
}

/** Mails the answer to the requester. */
export async function mailAnswer(
  tx: Transaction,
  dependencies: NotifyPatientDependencies,
  requestId: string,
): Promise<void> {
  const requested = await readRequest(tx, requestId);
  const patient = requested === null ? null : await findBeneficiaryById(tx, requested.beneficiaryId);
  // A patient erased since then was notified of the erasure instead.
  if (requested === null || patient === null || requested.state === "open" || requested.answer === null) return;
  await notifyPatient(dependencies, tx, {
    provider: await requireProvider(tx, requested.providerId),
    cause: `rights_answer:${requested.id}`,
    to: patient.email,
    rut: patient.rut,
    beneficiaryId: patient.id,
    notification: {
      kind: "rights_answered",
      firstName: patient.firstName,
      type: requested.kind,
      isGranted: requested.state === "granted",
      answer: requested.answer,
    },
  });
}
