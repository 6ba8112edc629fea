import type { RawBuilder } from "kysely";
import type { Transaction } from "../platform/database/transaction.ts";
import type { ErasedPatient } from "../platform/personal-data.ts";
import type { TimelinePart } from "../platform/timeline.ts";
import {
  consentEntries,
  deleteMarketing,
  deleteUsers,
  lockMailbox,
  readUserOf,
  writePseudonym,
  writeUpdated,
} from "./operations-store.ts";

type RegisteredPatient = ErasedPatient & { readonly beneficiaryId: string };

/**
 * Locks a mailbox until the transaction ends. Returns the patients' records that use it; null if it no longer exists.
 */
export function lockMailboxOf(tx: Transaction, userId: string): Promise<string[] | null> {
  return lockMailbox(tx, userId);
}

/** Erases the consent to marketing. Unlike other consents, it is not needed as evidence. */
export function eraseMarketing(tx: Transaction, patient: ErasedPatient): Promise<void> {
  return deleteMarketing(tx, patient);
}

/** Records when the patient's record was last changed. */
export function notePatientChanged(tx: Transaction, patient: RegisteredPatient): Promise<void> {
  return writeUpdated(tx, patient);
}

/**
 * Deletes users that neither a patient's record nor `usedElsewhere` (`user_id`) refers to. A parent's address may still
 * serve children.
 */
export function deleteUnusedUsers(
  tx: Transaction,
  ids: readonly string[],
  usedElsewhere: RawBuilder<unknown>,
): Promise<void> {
  return deleteUsers(tx, ids, usedElsewhere);
}

/**
 * Replaces the patient's personal data by a pseudonym, which still links the remaining orders and frees the RUT.
 * Returns the user that the record had.
 */
export async function pseudonymisePatient(
  tx: Transaction,
  patient: RegisteredPatient,
  names: { readonly userId: string; readonly pseudonym: string },
): Promise<string> {
  const userId = await readUserOf(tx, patient.beneficiaryId);
  await writePseudonym(tx, patient, names);
  return userId;
}

/** The patient's acceptances for the order, and their withdrawals. */
export const consentTimeline = {
  kinds: {
    "consent.accepted": "The patient accepted a text.",
    "consent.withdrawn": "The patient withdrew an accepted text.",
  },
  happened: consentEntries,
} as const satisfies TimelinePart;
