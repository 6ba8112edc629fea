import type * as z from "zod/mini";
import type { MakeRightsRequestResponse, makeRightsRequestSchema } from "../../contract/patient-rights.ts";
import { type NotifyPatientDependencies, notifyPatient } from "../../notifications/notify-patient.ts";
import type { Beneficiary } from "../../patients/beneficiary.ts";
import { block } from "../../patients/blocked.ts";
import { recordAudit } from "../../platform/audit-store.ts";
import { type Database, inTransaction, type Transaction } from "../../platform/database/transaction.ts";
import { ApiError } from "../../platform/http/api-error.ts";
import { santiagoDay } from "../../platform/santiago-time.ts";
import { requireProvider } from "../../tenants/providers.ts";
import type { RightsAct } from "../see-data.ts";
import { lockPatient } from "./lock-patient.ts";
import { ordersInSight } from "./patient-orders.ts";
import { insertRequest } from "./request-store.ts";
import { answerBy, proofOf } from "./rights.ts";

export interface MakeRequestDependencies extends NotifyPatientDependencies {
  readonly db: Database;
}

type Asked = z.output<typeof makeRightsRequestSchema>["request"];

/**
 * Stores a patient's request to a person, and notifies the patient of the latest answer day. A blocking counts at once.
 * Throws 404 `order_not_found` for a review of an order that is not theirs, or whose credit was not refused.
 */
export function makeRequest(
  dependencies: MakeRequestDependencies,
  act: RightsAct,
  requested: Asked,
): Promise<MakeRightsRequestResponse> {
  const { db, ids } = dependencies;
  return inTransaction(db, async (tx) => {
    const patient = await lockPatient(tx, act.patient);
    const about = await aboutOf(tx, act, patient, requested);
    const request = await insertRequest(tx, {
      id: ids.uuid(),
      providerId: act.providerId,
      beneficiaryId: patient.id,
      kind: requested.kind,
      about,
      words: requested.words,
      askedAt: act.now,
    });
    if (requested.kind === "blocking") await block(tx, patient, request.askedAt);
    await recordAudit(tx, {
      id: ids.uuid(),
      providerId: act.providerId,
      actor: act.actor,
      credentialId: null,
      act: "patient_data.request_made",
      subject: { kind: "beneficiary", id: patient.id },
      details: { request: request.id, kind: request.kind },
      at: act.now,
    });
    const until = answerBy(request.askedAt);
    await notifyPatient(dependencies, tx, {
      provider: await requireProvider(tx, act.providerId),
      cause: `rights_request:${request.id}`,
      to: patient.email,
      rut: patient.rut,
      beneficiaryId: patient.id,
      notification: {
        kind: "rights_requested",
        firstName: patient.firstName,
        type: request.kind,
        answerBy: santiagoDay(until),
      },
    });
    return { kind: request.kind, answer_by: until.toISOString() };
  });
}

async function aboutOf(tx: Transaction, { actor }: RightsAct, patient: Beneficiary, requested: Asked): Promise<string> {
  if (requested.kind === "rectification") return requested.field;
  if (requested.kind !== "credit_review") return "";
  const orders = await ordersInSight(tx, patient, proofOf(actor));
  const refused = orders.find(
    ({ order, creditRefusal }) => order.orderId === requested.order_token && creditRefusal !== null,
  );
  if (refused === undefined) throw new ApiError("order_not_found");
  return refused.order.orderId;
}
