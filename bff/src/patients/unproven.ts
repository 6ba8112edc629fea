import type { Rut } from "../contract/vocabulary/rut.ts";
import type { ReadColumn } from "../platform/database/read-column.ts";
import type { Database, StatementPart, Transaction } from "../platform/database/transaction.ts";
import type { Ids } from "../platform/ids.ts";
import type { Beneficiary, BeneficiaryKey, NewBeneficiary } from "./beneficiary.ts";
import { patientEventWith } from "./patient-events.ts";
import { insertBeneficiary, lockBeneficiary, lockBeneficiaryById, lockedBeneficiary, userOf } from "./patient-store.ts";
import { visitDomain } from "./tenant.ts";
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
 * Registrations that nobody has proved yet. Anybody who knows a RUT can make one, so it stands in its visit's own
 * domain, where no look-up by RUT finds it, and its consents stand under that domain's name instead of the RUT.
 */

/** By what a registration is proved: a code to its mailbox, or a match at the national registry. */
export type ProvedBy = "code" | "registry";

/** The visit that a registration was made in, and until when it may be proved. */
export interface Visit {
  readonly widgetTokenId: string;
  readonly until: Date;
}

/**
 * Keeps what was typed in a visit; typed again, it replaces what was typed before. `locked` is what `lockForSignUp` has
 * found. `alongside` are CTEs that are written with a new registration, by its id, if the CTE `registered` has a row.
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

/** The newest registration for a RUT in one of these visits that may still be proved; `null` if there is none. */
export function findUnproven(
  db: Database,
  widgetTokenIds: readonly string[],
  { rut, now }: { readonly rut: Rut; readonly now: Date },
): Promise<Beneficiary | null> {
  return readUnproven(db, { tenants: widgetTokenIds.map(visitDomain), rut, now });
}

/**
 * The registration that was made with a widget token, as a column of another feature's statement. It may be too old to
 * be proved: see `mayBeProved`.
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
 * The newest registration for a RUT at a provider that may still be proved. It is for the provider's own questions
 * alone and stands for nobody else.
 */
export function findUnprovenOfProvider(
  db: Database,
  requested: { readonly providerId: string; readonly rut: Rut; readonly now: Date },
): Promise<Beneficiary | null> {
  return readUnprovenOfProvider(db, requested);
}

/** Locks a RUT and its record, so that of two proofs at once the second finds what the first has made. */
export async function lockForProof(tx: Transaction, key: BeneficiaryKey): Promise<Beneficiary | null> {
  return (await lockRut(tx, key)).record;
}

/**
 * Locks a RUT and its record, and what was registered for it in these visits and may still be proved. `widgetTokens`
 * selects the visits' tokens.
 */
export function lockVisitForProof(
  tx: Transaction,
  key: BeneficiaryKey,
  { widgetTokens, now }: { readonly widgetTokens: StatementPart; readonly now: Date },
): Promise<LockedRut> {
  return lockRut(tx, key, lockedUnproven({ widgetTokens, rut: key.rut, now }));
}

/** Locks a RUT and its record, and what was registered for it in a visit. */
export function lockForSignUp(tx: Transaction, key: BeneficiaryKey, widgetTokenId: string): Promise<LockedRut> {
  return lockRut(tx, key, lockedBeneficiary({ tenant: visitDomain(widgetTokenId), rut: key.rut }));
}

/**
 * Makes a registration the record of its RUT, which has none and is locked, and publishes `patient.proven`. `alongside`
 * are CTEs that are written with it if the CTE `proven` has a row.
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
 * Gives the consents of a registration to the record that has the same RUT and mailbox, and ends the registration.
 * Returns the purposes.
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

/** Records by what a patient was last proved; a code does not take back what the registry has matched. */
export function noteProof(tx: Transaction, beneficiaryId: string, by: ProvedBy): Promise<void> {
  return writeProof(tx, beneficiaryId, by);
}

/** At most `limit` registrations that were not proved before a moment. */
export function findDead(db: Database, of: { readonly before: Date; readonly limit: number }): Promise<Beneficiary[]> {
  return readDead(db, of);
}

/** Deletes the consents that were given with a registration that nobody proved; nobody knows whose they were. */
export function forgetConsents(tx: Transaction, registration: Beneficiary): Promise<void> {
  return deleteVisitConsents(tx, registration);
}

/** Deletes a registration that nobody proved. Nothing else may refer to it. */
export function forgetRegistration(tx: Transaction, registration: Beneficiary): Promise<void> {
  return deleteRegistration(tx, registration);
}
