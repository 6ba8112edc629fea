import { sameEmail } from "../contract/vocabulary/email.ts";
import type { Rut } from "../contract/vocabulary/rut.ts";
import { type NotifyPatientDependencies, notifyPatient } from "../notifications/notify-patient.ts";
import { type Beneficiary, tenantOf, widgetTokenOfVisit } from "../patients/beneficiary.ts";
import { noteIdentityMatch, replaceInsurerAccess } from "../patients/patients.ts";
import { admitRegistration, lockVisitForProof, mergeConsents, type ProvedBy } from "../patients/unproven.ts";
import { type AuditEntry, auditRecordedWith, recordAudit } from "../platform/audit-store.ts";
import type { Transaction } from "../platform/database/transaction.ts";
import type { Provider } from "../platform/provider.ts";
import type { Within } from "../platform/within.ts";
import { noteProvenVisit, provenVisitWith, type Visit, widgetTokensOf } from "./tokens/proven-visits.ts";

export interface ProveVisitDependencies extends NotifyPatientDependencies {
  readonly within: Within;
}

declare module "../platform/within.ts" {
  interface WithinEvents {
    /** A patient has registered again and so withdraws the request to be erased. */
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
  readonly visit: Visit;
  readonly by: ProvedBy;
  /** When the registry matched the patient; null if it did not. */
  readonly matchedAt: Date | null;
  readonly now: Date;
}

/** The record of the RUT after a proof. `isProven`: the visit's registration became or renewed it. */
export interface VisitProof {
  readonly record: Beneficiary | null;
  readonly isProven: boolean;
}

/**
 * Gives effect to a visit's registration: it becomes the record of its RUT, or renews the record with the same mailbox.
 * With another mailbox it has no effect, because a visit does not prove who owns that mailbox. Call it in the
 * transaction of the proof.
 */
export async function proveVisit(
  dependencies: ProveVisitDependencies,
  tx: Transaction,
  proven: ProvenVisit,
): Promise<VisitProof> {
  const { provider, rut, visit, matchedAt, now } = proven;
  const key = { tenant: tenantOf(provider), rut };
  const { record, registration } = await lockVisitForProof(tx, key, { widgetTokens: widgetTokensOf(visit), now });
  if (registration === null || registration.proofUntil === null) return { record, isProven: false };
  if (record === null) return { record: await admitNew(dependencies, tx, proven, registration), isProven: true };
  if (!sameEmail(record.email, registration.email)) return { record, isProven: false };
  await renew(dependencies, tx, proven, { record, registration });
  await noteProvenVisit(tx, widgetTokenOfVisit(registration.tenant), record.id);
  if (matchedAt !== null) await noteIdentityMatch(tx, record, matchedAt);
  return { record, isProven: true };
}

async function admitNew(
  { ids }: ProveVisitDependencies,
  tx: Transaction,
  { provider, by, matchedAt, now }: ProvenVisit,
  registration: Beneficiary,
): Promise<Beneficiary> {
  const proven = { tenant: tenantOf(provider), providerId: provider.id, by, matchedAt, at: now };
  const act = { act: "beneficiary.registered", details: { proved_by: by } };
  return admitRegistration(tx, ids, registration, proven, [
    auditRecordedWith("proven", auditOf(ids, { provider, now, patient: registration, ...act })),
    provenVisitWith("proven", widgetTokenOfVisit(registration.tenant), registration.id),
  ]);
}

/** Adds the consents and insurer access of the visit to the record, and notifies its owner. */
async function renew(
  dependencies: ProveVisitDependencies,
  tx: Transaction,
  { provider, by, now }: ProvenVisit,
  { record, registration }: { readonly record: Beneficiary; readonly registration: Beneficiary },
): Promise<void> {
  const { ids } = dependencies;
  const purposes = await mergeConsents(tx, registration, { by, at: now }, record);
  await dependencies.within(tx, { kind: "patient_registered_again", patient: record, provider, now });
  const { sealedInsurerAccess: sealed, insurer } = registration;
  if (sealed !== null)
    await replaceInsurerAccess(tx, ids, record, { providerId: provider.id, sealed, insurer, at: now });
  const details = { proved_by: by, purposes, insurer_access: sealed !== null };
  await recordAudit(tx, auditOf(ids, { provider, now, patient: record, act: "beneficiary.renewed", details }));
  await notifyRenewed(dependencies, tx, {
    provider,
    patient: record,
    cause: registration.id,
    hasNewAccess: sealed !== null,
  });
}

/** Notifies the owner of a record, at its previous address, that its consents or insurer access have changed. */
export async function notifyRenewed(
  dependencies: NotifyPatientDependencies,
  tx: Transaction,
  renewed: {
    readonly provider: Provider;
    /** The record before the change. */
    readonly patient: Beneficiary;
    /** The id of the event that caused the change. */
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

function auditOf(
  ids: ProveVisitDependencies["ids"],
  entry: {
    readonly provider: Provider;
    readonly patient: Beneficiary;
    readonly act: string;
    readonly details: object;
    readonly now: Date;
  },
): AuditEntry {
  return {
    id: ids.uuid(),
    providerId: entry.provider.id,
    actor: "patient",
    credentialId: null,
    act: entry.act,
    subject: { kind: "beneficiary", id: entry.patient.id },
    details: entry.details,
    at: entry.now,
  };
}
