import type { RawBuilder } from "kysely";
import type { Transaction } from "../platform/database/transaction.ts";
import type { ErasedPatient } from "../platform/personal-data.ts";
import {
  deleteMarketing,
  deleteUsers,
  lockMailbox,
  readUserOf,
  writePseudonym,
  writeUpdated,
} from "./patient-data-store.ts";

type RegisteredPatient = ErasedPatient & { readonly beneficiaryId: string };

/** Holds a mailbox until the transaction ends. Returns whose records hang on it; `null` where it is gone. */
export function holdMailbox(tx: Transaction, userId: string): Promise<string[] | null> {
  return lockMailbox(tx, userId);
}

/** Erases the consent to offers, which is the proof of nothing that was done. */
export function eraseMarketing(tx: Transaction, patient: ErasedPatient): Promise<void> {
  return deleteMarketing(tx, patient);
}

/** Writes down when the record was changed last. */
export function notePatientChanged(tx: Transaction, patient: RegisteredPatient): Promise<void> {
  return writeUpdated(tx, patient);
}

/** Deletes users that no record, and nothing in `usedElsewhere` (`user_id`), names: a parent's address stays for the children. */
export function deleteUnusedUsers(
  tx: Transaction,
  ids: readonly string[],
  usedElsewhere: RawBuilder<unknown>,
): Promise<void> {
  return deleteUsers(tx, ids, usedElsewhere);
}

/**
 * The record becomes a pseudonym under which the kept orders hang together, and the RUT is free again. Returns the user that
 * the record had.
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
