import type { Insurer } from "../contract/onboarding.ts";
import type { Email } from "../contract/vocabulary/email.ts";
import type { Rut } from "../contract/vocabulary/rut.ts";
import type { ReadColumn } from "../platform/database/read-column.ts";
import type { Database, StatementPart, Transaction } from "../platform/database/transaction.ts";
import type { Loading } from "../platform/http/route.ts";
import type { Ids } from "../platform/ids.ts";
import type { Environment } from "../platform/provider.ts";
import { type Beneficiary, type BeneficiaryKey, hasOwnPatients, type NewBeneficiary } from "./beneficiary.ts";
import { publishPatientEvent } from "./patient-events.ts";
import {
  deleteInsurerAccess,
  insertBeneficiary,
  lockBeneficiary,
  lockBeneficiaryById,
  moveToUser,
  ownBeneficiaryColumn,
  readBeneficiary,
  readBeneficiaryById,
  recordAtColumn,
  recordColumn,
  shareBeneficiary,
  userOf,
  writeIdentityMatch,
  writeInsurerAccess,
} from "./patient-store.ts";

/*
 * The patients: their records, the users who represent them, their access to the insurer's portal, and their consents.
 */

/** The patient with a RUT; null if it is not registered. */
export function findBeneficiary(db: Database, key: BeneficiaryKey): Promise<Beneficiary | null> {
  return readBeneficiary(db, key);
}

/** The record of a RUT at a provider, as a column of another feature's statement; null if it is not registered. */
export function namedPatient({
  environment,
  providerId,
  rut,
}: {
  readonly environment: Environment;
  readonly providerId: StatementPart;
  readonly rut: StatementPart;
}): ReadColumn<Beneficiary> {
  return recordColumn({ providerId, rut }, hasOwnPatients(environment));
}

/** The record of a RUT at a provider, whose environment is an SQL expression of another feature's statement. */
export function namedPatientAt(
  key: { readonly providerId: StatementPart; readonly rut: StatementPart },
  environment: StatementPart,
): ReadColumn<Beneficiary> {
  return recordAtColumn(key, environment);
}

/**
 * Loads the patient with a RUT for the caller: the record, or else the caller's registration that may still be proved.
 * 404 if there is neither, or `rut` is null.
 */
export function loadingCallersPatient(rut: Rut | null, environment: Environment): Loading<Beneficiary> {
  const { column, read } = ownBeneficiaryColumn(rut, hasOwnPatients(environment));
  return {
    column,
    read(found, { now }) {
      const patient = read(found);
      return patient?.proofUntil != null && patient.proofUntil <= now ? null : patient;
    },
    missing: "beneficiary_not_found",
    countsMissing: true,
  };
}

/** The patient with a record id; `null` if there is none. */
export function findBeneficiaryById(db: Database, id: string): Promise<Beneficiary | null> {
  return readBeneficiaryById(db, id);
}

/**
 * Reads a patient with a shared lock, which blocks erasure and withdrawal until the transaction ends; null if there is
 * none with this id.
 */
export function shareBeneficiaryById(tx: Transaction, id: string): Promise<Beneficiary | null> {
  return shareBeneficiary(tx, id);
}

/**
 * Registers a patient whose identity is certain, or returns the existing patient with the RUT unchanged. Of two
 * concurrent registrations one is `created`; both get the same record, which stays locked until the transaction ends.
 */
export async function registerBeneficiary(
  tx: Transaction,
  ids: Ids,
  person: NewBeneficiary,
  at: Date,
): Promise<{ readonly beneficiary: Beneficiary; readonly created: boolean }> {
  for (;;) {
    const existing = await lockBeneficiary(tx, person);
    if (existing !== null) return { beneficiary: existing, created: false };
    const made = await insertBeneficiary(tx, person, {
      beneficiaryId: ids.uuid(),
      userId: ids.uuid(),
      userTenant: person.tenant,
      proofUntil: null,
      at,
    });
    if (made !== null) return { beneficiary: made, created: true };
    // A concurrent transaction has registered the RUT or the address; its record is now visible.
  }
}

/**
 * Replaces the sealed insurer access of a patient who has proved their identity, and publishes `insurer_access.given`.
 */
export async function replaceInsurerAccess(
  tx: Transaction,
  ids: Ids,
  { id }: Pick<Beneficiary, "id">,
  access: { readonly providerId: string; readonly sealed: string; readonly insurer: Insurer; readonly at: Date },
): Promise<void> {
  const { providerId: _, ...written } = access;
  if (await writeInsurerAccess(tx, id, written))
    await publishPatientEvent(tx, ids, "insurer_access.given", { id, ...access });
}

/** Deletes a patient's sealed insurer access. Returns whether there was one. */
export function destroyInsurerAccess(tx: Transaction, { id }: Pick<Beneficiary, "id">, at: Date): Promise<boolean> {
  return deleteInsurerAccess(tx, id, at);
}

/**
 * Locks the patient with a RUT, so that concurrent changes run one after another. Null if the RUT is not registered, or
 * an erasure freed it during the wait for the lock.
 */
export function findAndLockBeneficiary(tx: Transaction, key: BeneficiaryKey): Promise<Beneficiary | null> {
  return lockBeneficiary(tx, key);
}

/** Locks the patient with a record id; `null` if there is none. */
export function findAndLockBeneficiaryById(tx: Transaction, id: string): Promise<Beneficiary | null> {
  return lockBeneficiaryById(tx, id);
}

/** Locks a patient who was found earlier. Throws `BeneficiaryVanished` if the record no longer exists. */
export async function lockKnownBeneficiary(tx: Transaction, key: BeneficiaryKey): Promise<Beneficiary> {
  const beneficiary = await lockBeneficiary(tx, key);
  if (beneficiary === null) throw new BeneficiaryVanished("a record that was found no longer exists");
  return beneficiary;
}

/** Records when the registry has matched a patient; null revokes an earlier match. */
export function noteIdentityMatch(tx: Transaction, { id }: Beneficiary, at: Date | null): Promise<void> {
  return writeIdentityMatch(tx, id, at);
}

/** Moves a patient's record to the user of another address, who is created if needed. Deletes the insurer access. */
export async function assignToEmail(
  tx: Transaction,
  ids: Ids,
  beneficiary: Beneficiary,
  to: { readonly email: Email; readonly at: Date },
): Promise<Beneficiary> {
  const { tenant } = beneficiary;
  const userId = await userOf(tx, { tenant, email: to.email }, { id: ids.uuid(), at: to.at });
  return assignToUser(tx, beneficiary, { userId, at: to.at });
}

/** Moves a patient's record to another user. Deletes the insurer access. */
export async function assignToUser(
  tx: Transaction,
  beneficiary: Beneficiary,
  to: { readonly userId: string; readonly at: Date },
): Promise<Beneficiary> {
  await moveToUser(tx, beneficiary.id, to);
  return lockKnownBeneficiary(tx, beneficiary);
}

/** Thrown when a record that was stored or referred to no longer exists: a defect, never a refusal. */
export class BeneficiaryVanished extends Error {
  override readonly name = "BeneficiaryVanished";
  readonly code = "beneficiary_vanished";
}
