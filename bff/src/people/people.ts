import type { Database, Transaction } from "../platform/database/transaction.ts";
import { appendEvent } from "../platform/event-store.ts";
import type { Ids } from "../platform/ids.ts";
import type { Beneficiary, BeneficiaryKey, NewBeneficiary } from "./beneficiary.ts";
import {
  insertBeneficiary,
  lockBeneficiary,
  readBeneficiary,
  readBeneficiaryById,
  writeInsurerAccess,
} from "./people-store.ts";

/** The patient with a RUT; `null` where nobody is registered under it. */
export function findBeneficiary(db: Database, key: BeneficiaryKey): Promise<Beneficiary | null> {
  return readBeneficiary(db, key);
}

/** The patient with an id of ours; `null` where there is none. */
export function findBeneficiaryById(db: Database, id: string): Promise<Beneficiary | null> {
  return readBeneficiaryById(db, id);
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
  const existing = await lockBeneficiary(tx, person);
  if (existing !== null) return { beneficiary: existing, created: false };
  const created = await insertBeneficiary(tx, person, { beneficiaryId: ids.uuid(), userId: ids.uuid(), at });
  const beneficiary = await lockBeneficiary(tx, person);
  if (beneficiary === null) throw new BeneficiaryVanished("the record that was just written is not there");
  return { beneficiary, created };
}

/**
 * Keeps a sealed insurer access for a patient who has none, and tells whoever waits for it. One that is there is not
 * replaced: whoever knows a RUT and an e-mail address is not yet its owner.
 */
export async function addInsurerAccess(
  tx: Transaction,
  ids: Ids,
  { id }: Beneficiary,
  access: { readonly providerId: string; readonly sealed: string; readonly at: Date },
): Promise<void> {
  const { providerId, sealed, at } = access;
  if (!(await writeInsurerAccess(tx, id, { sealed, at, onlyIfMissing: true }))) return;
  await appendEvent(tx, {
    id: ids.uuid(),
    providerId,
    orderId: null,
    kind: "insurer_access.given",
    sequence: null,
    payload: { beneficiary_id: id },
    createdAt: at,
  });
}

/** Thrown when a record that was written or referred to is not there any more: a defect, never a refusal. */
export class BeneficiaryVanished extends Error {
  override readonly name = "BeneficiaryVanished";
  readonly code = "beneficiary_vanished";
}
