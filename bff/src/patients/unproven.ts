import type { Rut } from "../contract/vocabulary/rut.ts";
import type { ReadColumn } from "../platform/database/read-column.ts";
import type { Database, StatementPart, Transaction } from "../platform/database/transaction.ts";
import type { Ids } from "../platform/ids.ts";
import { type Beneficiary, type BeneficiaryKey, type NewBeneficiary, visitDomain } from "./beneficiary.ts";
import { patientEventWith } from "./patient-events.ts";
import { insertBeneficiary, lockBeneficiary, lockBeneficiaryById, lockedBeneficiary, userOf } from "./patient-store.ts";
import {
  deleteRegistration,
  deleteVisitConsents,
  giveConsentsTo,
  type LockedRut,
  lockedUnproven,
  lockRut,
  readDead,
  readUnproven,
  readUnprovenOfProvider,
  registrationColumn,
  rewriteUnproven,
  writeDead,
  writeProof,
  writeProven,
} from "./unproven-store.ts";

/*
 * Unproven registrations. Anyone who knows a RUT can create one, so a lookup by RUT must not return it. It belongs to a
 * domain named after its visit (`visitDomain`), and its consents have that name instead of the RUT.
 */

/** How a registration is proved: by a code to its mailbox, or by a match at the national registry. */
export type ProvedBy = "code" | "registry";

/** The visit in which a registration was made, and when the time to prove it ends. */
export interface Visit {
  readonly widgetTokenId: string;
  readonly until: Date;
}

/**
 * Stores the data typed in a visit, replacing data typed before. `locked` is the result of `lockForSignUp`.
 * `alongside`: CTEs for a new registration, by its id, which write if the CTE `registered` has a row.
 */
export async function registerUnproven(
  tx: Transaction,
  ids: Ids,
  person: NewBeneficiary,
  { widgetTokenId, until, at, locked }: Visit & { readonly at: Date; readonly locked: Beneficiary | null },
  alongside: (registrationId: string) => readonly StatementPart[],
): Promise<{ readonly registration: Beneficiary; readonly created: boolean }> {
  const own = { ...person, tenant: visitDomain(widgetTokenId) };
  for (let existing = locked; ; existing = await lockBeneficiary(tx, own)) {
    if (existing !== null) {
      const userId = await userOf(tx, person, { id: ids.uuid(), at });
      await rewriteUnproven(tx, existing.id, { person, userId, at });
      return { registration: (await lockBeneficiaryById(tx, existing.id)) ?? existing, created: false };
    }
    const beneficiaryId = ids.uuid();
    const made = await insertBeneficiary(
      tx,
      own,
      { beneficiaryId, userId: ids.uuid(), userTenant: person.tenant, proofUntil: until, at },
      alongside(beneficiaryId),
    );
    if (made !== null) return { registration: made, created: true };
    // A concurrent request of the same visit has registered it; it is now visible.
  }
}

/** The newest registration for a RUT in one of these visits that may still be proved; null if there is none. */
export function findUnproven(
  db: Database,
  widgetTokenIds: readonly string[],
  { rut, now }: { readonly rut: Rut; readonly now: Date },
): Promise<Beneficiary | null> {
  return readUnproven(db, { tenants: widgetTokenIds.map(visitDomain), rut, now });
}

/**
 * The registration made with a widget token, as a column of another feature's statement. It may be too old to be
 * proved: see `mayBeProved`.
 */
export function namedRegistration(visit: {
  readonly widgetTokenId: StatementPart;
  readonly rut: StatementPart;
}): ReadColumn<Beneficiary> {
  return registrationColumn(visit);
}

/** Whether a registration may still be proved at a moment. */
export function mayBeProved({ proofUntil }: Beneficiary, now: Date): boolean {
  return proofUntil !== null && proofUntil > now;
}

/**
 * The newest registration for a RUT at a provider that may still be proved. Only the provider that it was made with may
 * use it.
 */
export function findUnprovenOfProvider(
  db: Database,
  requested: { readonly providerId: string; readonly rut: Rut; readonly now: Date },
): Promise<Beneficiary | null> {
  return readUnprovenOfProvider(db, requested);
}

/** Locks a RUT and its record, so that the second of two concurrent proofs sees the result of the first. */
export async function lockForProof(tx: Transaction, key: BeneficiaryKey): Promise<Beneficiary | null> {
  return (await lockRut(tx, key)).record;
}

/**
 * Locks a RUT, its record, and the registration made for it in these visits that may still be proved. `widgetTokens`
 * selects the visits' tokens.
 */
export function lockVisitForProof(
  tx: Transaction,
  key: BeneficiaryKey,
  { widgetTokens, now }: { readonly widgetTokens: StatementPart; readonly now: Date },
): Promise<LockedRut> {
  return lockRut(tx, key, lockedUnproven({ widgetTokens, rut: key.rut, now }));
}

/** Locks a RUT, its record, and the registration made for it in a visit. */
export function lockForSignUp(tx: Transaction, key: BeneficiaryKey, widgetTokenId: string): Promise<LockedRut> {
  return lockRut(tx, key, lockedBeneficiary({ tenant: visitDomain(widgetTokenId), rut: key.rut }));
}

/**
 * Makes a registration the record of its RUT, which has none and is locked, and publishes `patient.proven`.
 * `alongside`: CTEs of the same statement, which write if the CTE `proven` has a row.
 */
export async function admitRegistration(
  tx: Transaction,
  ids: Ids,
  registration: Beneficiary,
  proven: {
    readonly tenant: string;
    readonly providerId: string;
    readonly by: ProvedBy;
    /** When the registry matched the patient; null if it did not. */
    readonly matchedAt: Date | null;
    readonly at: Date;
  },
  alongside: readonly StatementPart[],
): Promise<Beneficiary> {
  const { tenant, providerId, by, matchedAt, at } = proven;
  const { id, identityMatchedAt } = registration;
  const event = patientEventWith("proven", ids, "patient.proven", { id, providerId, at });
  await writeProven(tx, registration, { tenant, provedBy: by, matchedAt, at }, [event, ...alongside]);
  return { ...registration, tenant, proofUntil: null, provedBy: by, identityMatchedAt: matchedAt ?? identityMatchedAt };
}

/**
 * Moves the consents of a registration to the record with the same RUT and mailbox, and ends the registration. Returns
 * the purposes.
 */
export async function mergeConsents(
  tx: Transaction,
  registration: Beneficiary,
  { by, at }: { readonly by: ProvedBy; readonly at: Date },
  into: Beneficiary,
): Promise<readonly string[]> {
  await writeProof(tx, into.id, by);
  await writeDead(tx, registration.id, at);
  return giveConsentsTo(tx, registration.tenant, into.rut);
}

/** Records the method by which a patient was last proved. A code does not replace a registry match. */
export function noteProof(tx: Transaction, beneficiaryId: string, by: ProvedBy): Promise<void> {
  return writeProof(tx, beneficiaryId, by);
}

/** At most `limit` registrations that were not proved before a moment. */
export function findDead(db: Database, of: { readonly before: Date; readonly limit: number }): Promise<Beneficiary[]> {
  return readDead(db, of);
}

/** Deletes the consents of an unproven registration, because it is unknown whose they were. */
export function forgetConsents(tx: Transaction, registration: Beneficiary): Promise<void> {
  return deleteVisitConsents(tx, registration);
}

/** Deletes an unproven registration. No other row may refer to it. */
export function forgetRegistration(tx: Transaction, registration: Beneficiary): Promise<void> {
  return deleteRegistration(tx, registration);
}
