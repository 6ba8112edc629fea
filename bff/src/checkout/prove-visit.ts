import { sameEmail } from "../contract/vocabulary/email.ts";
import type { Rut } from "../contract/vocabulary/rut.ts";
import { type NotifyPatientDependencies, notifyPatient } from "../notifications/notify-patient.ts";
import type { OrderRecord } from "../orders/order-record.ts";
import type { Beneficiary } from "../patients/beneficiary.ts";
import { findAndLockBeneficiary, noteIdentityMatch, replaceInsurerAccess } from "../patients/patients.ts";
import { tenantOf, visitDomain } from "../patients/tenant.ts";
import { admitRegistration, lockVisitForProof, mergeConsents, type ProvedBy } from "../patients/unproven.ts";
import { recordAudit } from "../platform/audit-store.ts";
import type { Transaction } from "../platform/database/transaction.ts";
import type { Provider } from "../platform/provider.ts";
import type { Within } from "../platform/within.ts";
import { collides } from "./collision.ts";
import { noteProvenVisit, visitsOfOrder } from "./tokens/proven-visits.ts";

export interface ProveVisitDependencies extends NotifyPatientDependencies {
  readonly within: Within;
}

declare module "../platform/within.ts" {
  interface WithinEvents {
    /** A patient has registered again, and no longer wishes to be erased. */
    readonly patient_registered_again: {
      readonly patient: Beneficiary;
      readonly provider: Provider;
      readonly now: Date;
    };
  }
}

/** A visit whose patient has proved who they are. */
export interface ProvenVisit {
  readonly provider: Provider;
  readonly rut: Rut;
  /** The visit's widget tokens: one, or all of an order. */
  readonly widgetTokenIds: readonly string[];
  readonly by: ProvedBy;
  readonly now: Date;
}

/**
 * What was registered in a visit counts from now on: it becomes the record of its RUT, or renews the record with the
 * same mailbox. Under another mailbox it stays without effect, because a visit proves nothing about that. Returns the
 * record; `null` if there is none. Call it in the transaction of the proof.
 */
export async function proveVisit(
  dependencies: ProveVisitDependencies,
  tx: Transaction,
  visit: ProvenVisit,
): Promise<Beneficiary | null> {
  const { provider, rut, widgetTokenIds, now } = visit;
  const key = { tenant: tenantOf(provider), rut };
  const { record, registration } = await lockVisitForProof(tx, key, { widgetTokenIds, now });
  if (registration === null || registration.proofUntil === null) return record;
  const isRenewal = record !== null;
  if (isRenewal && !sameEmail(record.email, registration.email)) return record;
  const patient = isRenewal
    ? await renew(dependencies, tx, visit, { record, registration })
    : await admitNew(dependencies, tx, visit, registration);
  const widgetTokenId = widgetTokenIds.find((id) => visitDomain(id) === registration.tenant);
  if (widgetTokenId !== undefined) await noteProvenVisit(tx, widgetTokenId, patient.id);
  return patient;
}

/** The registry has matched the patient of an order: what they have registered with the order's tokens is proven. */
export async function proveOrdersVisit(
  dependencies: ProveVisitDependencies,
  tx: Transaction,
  { provider, order, at }: { readonly provider: Provider; readonly order: OrderRecord; readonly at: Date },
): Promise<void> {
  const { rut } = order.customer;
  const widgetTokenIds = await visitsOfOrder(tx, order);
  if (widgetTokenIds.length > 0)
    await proveVisit(dependencies, tx, { provider, rut, widgetTokenIds, by: "registry", now: at });
  const record = await findAndLockBeneficiary(tx, { tenant: tenantOf(provider), rut });
  // A record under another mailbox may be a stranger's, who must not profit by the patient's own match.
  if (record !== null && !(await collides(tx, order, record))) await noteIdentityMatch(tx, record, at);
}

async function admitNew(
  { ids }: ProveVisitDependencies,
  tx: Transaction,
  { provider, by, now }: ProvenVisit,
  registration: Beneficiary,
): Promise<Beneficiary> {
  const patient = await admitRegistration(tx, ids, registration, {
    tenant: tenantOf(provider),
    providerId: provider.id,
    by,
    at: now,
  });
  await audit(ids, tx, { provider, now, patient, act: "beneficiary.registered", details: { proved_by: by } });
  return patient;
}

/** The record gets the consents and the insurer access of the visit; its owner is told. */
async function renew(
  dependencies: ProveVisitDependencies,
  tx: Transaction,
  { provider, by, now }: ProvenVisit,
  { record, registration }: { readonly record: Beneficiary; readonly registration: Beneficiary },
): Promise<Beneficiary> {
  const { ids } = dependencies;
  const purposes = await mergeConsents(tx, registration, { by, at: now }, record);
  await dependencies.within(tx, { kind: "patient_registered_again", patient: record, provider, now });
  const { sealedInsurerAccess: sealed, insurer } = registration;
  if (sealed !== null)
    await replaceInsurerAccess(tx, ids, record, { providerId: provider.id, sealed, insurer, at: now });
  const details = { proved_by: by, purposes, insurer_access: sealed !== null };
  await audit(ids, tx, { provider, now, patient: record, act: "beneficiary.renewed", details });
  await notifyRenewed(dependencies, tx, {
    provider,
    patient: record,
    cause: registration.id,
    hasNewAccess: sealed !== null,
  });
  return record;
}

/** Tells the owner of a record, at the address that was there, that its consents or its insurer access have changed. */
export async function notifyRenewed(
  dependencies: NotifyPatientDependencies,
  tx: Transaction,
  renewed: {
    readonly provider: Provider;
    /** The record as it was before. */
    readonly patient: Beneficiary;
    /** The id of what has changed it. */
    readonly cause: string;
    readonly hasNewAccess: boolean;
  },
): Promise<void> {
  const { provider, patient, cause, hasNewAccess } = renewed;
  await notifyPatient(dependencies, tx, {
    provider,
    cause: `registration_renewed:${cause}`,
    to: patient.email,
    rut: patient.rut,
    beneficiaryId: patient.id,
    notification: { kind: "registration_renewed", clinic: provider.name, hasNewAccess },
  });
}

function audit(
  ids: ProveVisitDependencies["ids"],
  tx: Transaction,
  entry: {
    readonly provider: Provider;
    readonly patient: Beneficiary;
    readonly act: string;
    readonly details: object;
    readonly now: Date;
  },
): Promise<void> {
  return recordAudit(tx, {
    id: ids.uuid(),
    providerId: entry.provider.id,
    actor: "patient",
    credentialId: null,
    act: entry.act,
    subject: { kind: "beneficiary", id: entry.patient.id },
    details: entry.details,
    at: entry.now,
  });
}
