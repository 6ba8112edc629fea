import { correctedFieldSchema } from "../../contract/patient-rights.ts";
import { type NotifyPatientDependencies, notifyPatient } from "../../notifications/notify-patient.ts";
import { correct, unblock } from "../../patients/blocked.ts";
import { findAndLockBeneficiaryById, findBeneficiaryById } from "../../patients/patients.ts";
import type { Transaction } from "../../platform/database/transaction.ts";
import { publishEvent } from "../../platform/event-store.ts";
import { ResolutionRefused, type Resolving } from "../../platform/exceptions.ts";
import { requireProvider } from "../../tenants/provider-reads.ts";
import { type RightsRequest, readRequest, writeAnswer } from "./request-store.ts";

/** An operator's answer to what a patient asked. Its words are the note's, and are mailed. A blocking ends with it. */
export function answering(state: "granted" | "refused"): (resolving: Resolving) => Promise<string> {
  return async ({ tx, ids, exception, note, at }) => {
    if (note === null) throw new ResolutionRefused("The note is what the patient is told: it cannot be left out.");
    const requested = await readRequest(tx, exception.subject);
    const patient = requested === null ? null : await findAndLockBeneficiaryById(tx, requested.beneficiaryId);
    if (requested === null || patient === null)
      throw new ResolutionRefused("It was withdrawn with the patient's data.");
    if (!(await writeAnswer(tx, requested.id, { state, answer: note, at })))
      throw new ResolutionRefused("It was answered before.");
    if (requested.kind === "blocking") await unblock(tx, patient);
    const correction = state === "granted" ? correctionOf(requested) : null;
    if (correction !== null && !(await correct(tx, patient, correction, { value: requested.words, at })))
      throw new ResolutionRefused(
        "What the patient wrote is not only the right value: refuse it, and say what to write.",
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
    return correction === null ? "Answered; the patient is told." : "Corrected; the patient is told.";
  };
}

/** The field that a granted request corrects; `null`: what is to be done was done by the operator. */
function correctionOf({ kind, about }: RightsRequest) {
  const field = kind === "rectification" ? correctedFieldSchema.parse(about) : "other";
  return field === "other" ? null : field;
}

/** Mails the answer to who has asked. */
export async function mailAnswer(
  tx: Transaction,
  dependencies: NotifyPatientDependencies,
  requestId: string,
): Promise<void> {
  const requested = await readRequest(tx, requestId);
  const patient = requested === null ? null : await findBeneficiaryById(tx, requested.beneficiaryId);
  // Who was erased since has been told that.
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
