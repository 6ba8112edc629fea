import type { Insurer } from "../contract/onboarding.ts";
import type { Email } from "../contract/vocabulary/email.ts";
import type { Rut } from "../contract/vocabulary/rut.ts";
import type { ReadColumn } from "../platform/database/read-column.ts";
import type { Database, Transaction } from "../platform/database/transaction.ts";
import { publishEvent } from "../platform/event-store.ts";
import type { Ids } from "../platform/ids.ts";
import type { Environment } from "../platform/provider.ts";
import type { Beneficiary, BeneficiaryKey, NewBeneficiary } from "./beneficiary.ts";
import {
  beneficiaryOfCaller,
  deleteInsurerAccess,
  holdBeneficiary,
  insertBeneficiary,
  lockBeneficiary,
  lockBeneficiaryById,
  moveToUser,
  readBeneficiary,
  readBeneficiaryById,
  userOf,
  writeInsurerAccess,
} from "./patient-store.ts";
import { hasPatientsOfItsOwn } from "./tenant.ts";

/** The patient with a RUT; `null` where nobody is registered under it. */
export function findBeneficiary(db: Database, key: BeneficiaryKey): Promise<Beneficiary | null> {
  return readBeneficiary(db, key);
}

/** The patient with a RUT among those of the caller, for the statement that admits a request; none for what is no RUT. */
export function callersPatient(rut: Rut | null, environment: Environment): ReadColumn<Beneficiary> {
  return beneficiaryOfCaller(rut, hasPatientsOfItsOwn(environment));
}

/** The patient with an id of ours; `null` where there is none. */
export function findBeneficiaryById(db: Database, id: string): Promise<Beneficiary | null> {
  return readBeneficiaryById(db, id);
}

/** A patient who is neither erased nor withdraws anything until the transaction ends; `null` where there is none with the id. */
export function holdBeneficiaryById(tx: Transaction, id: string): Promise<Beneficiary | null> {
  return holdBeneficiary(tx, id);
}

/**
 * Registers a patient under a RUT, or finds the one who is: the RUT wins, and what is registered is not overwritten.
 * Of two at once one is `created` and both get the same record, which stays locked until the transaction ends.
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
    const made = await insertBeneficiary(tx, person, { beneficiaryId: ids.uuid(), userId: ids.uuid(), at });
    if (made !== null) return { beneficiary: made, created: true };
    // The RUT or the address was registered by somebody else at this moment: their record can be seen now.
  }
}

/**
 * Keeps a sealed insurer access for a patient who has none, with the insurer whose password it is, and tells whoever waits for
 * it. One that is there is not replaced: whoever knows a RUT and an e-mail address is not yet its owner.
 */
export async function addInsurerAccess(
  tx: Transaction,
  ids: Ids,
  { id }: Beneficiary,
  access: { readonly providerId: string; readonly sealed: string; readonly insurer: Insurer; readonly at: Date },
): Promise<void> {
  const { providerId: _, ...written } = access;
  if (await writeInsurerAccess(tx, id, { ...written, onlyIfMissing: true }))
    await notifyAccessGiven(tx, ids, id, access);
}

/** Puts another sealed access in the place of a patient's, who has proved who they are, and tells whoever waits for it. */
export async function replaceInsurerAccess(
  tx: Transaction,
  ids: Ids,
  { id }: Pick<Beneficiary, "id">,
  access: { readonly providerId: string; readonly sealed: string; readonly insurer: Insurer; readonly at: Date },
): Promise<void> {
  const { providerId: _, ...written } = access;
  if (await writeInsurerAccess(tx, id, { ...written, onlyIfMissing: false }))
    await notifyAccessGiven(tx, ids, id, access);
}

/** Destroys a patient's sealed insurer access. Says whether there was one. */
export function destroyInsurerAccess(tx: Transaction, { id }: Pick<Beneficiary, "id">, at: Date): Promise<boolean> {
  return deleteInsurerAccess(tx, id, at);
}

async function notifyAccessGiven(
  tx: Transaction,
  ids: Ids,
  beneficiaryId: string,
  { providerId, at }: { readonly providerId: string; readonly at: Date },
): Promise<void> {
  await publishEvent(tx, {
    id: ids.uuid(),
    providerId,
    orderId: null,
    kind: "insurer_access.given",
    sequence: null,
    payload: { beneficiary_id: beneficiaryId },
    createdAt: at,
  });
}

/**
 * Locks the patient with a RUT, so that of two changes at once one follows the other; `null` where nobody is registered under
 * it, or is not any more: who is erased in the meantime leaves the RUT free.
 */
export function findAndLockBeneficiary(tx: Transaction, key: BeneficiaryKey): Promise<Beneficiary | null> {
  return lockBeneficiary(tx, key);
}

/** Locks the patient with an id of ours; `null` where there is none. */
export function findAndLockBeneficiaryById(tx: Transaction, id: string): Promise<Beneficiary | null> {
  return lockBeneficiaryById(tx, id);
}

/** Locks a patient who has been found before, so that of two changes at once one follows the other. */
export async function lockKnownBeneficiary(tx: Transaction, key: BeneficiaryKey): Promise<Beneficiary> {
  const beneficiary = await lockBeneficiary(tx, key);
  if (beneficiary === null) throw new BeneficiaryVanished("a record that was found is not there any more");
  return beneficiary;
}

/** Hands a patient's record to the user of another address. The insurer access is not inherited. */
export async function giveToEmail(
  tx: Transaction,
  ids: Ids,
  beneficiary: Beneficiary,
  to: { readonly email: Email; readonly at: Date },
): Promise<Beneficiary> {
  const { tenant } = beneficiary;
  const userId = await userOf(tx, { tenant, email: to.email }, { id: ids.uuid(), at: to.at });
  return giveToUser(tx, beneficiary, { userId, at: to.at });
}

/** Hands a patient's record to a user; see `giveToEmail`. */
export async function giveToUser(
  tx: Transaction,
  beneficiary: Beneficiary,
  to: { readonly userId: string; readonly at: Date },
): Promise<Beneficiary> {
  await moveToUser(tx, beneficiary.id, to);
  return lockKnownBeneficiary(tx, beneficiary);
}

/** Thrown when a record that was written or referred to is not there any more: a defect, never a refusal. */
export class BeneficiaryVanished extends Error {
  override readonly name = "BeneficiaryVanished";
  readonly code = "beneficiary_vanished";
}
