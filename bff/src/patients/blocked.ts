import { DAY_MS } from "../contract/vocabulary/durations.ts";
import { personNameSchema } from "../contract/vocabulary/person-name.ts";
import { readPhone } from "../contract/vocabulary/phone.ts";
import type { Rut } from "../contract/vocabulary/rut.ts";
import type { Database, Transaction } from "../platform/database/transaction.ts";
import type { Beneficiary, BeneficiaryKey } from "./beneficiary.ts";
import { readBlocked, readBlockedByRut, selectBlocked, writeBlocked, writeCorrection } from "./blocked-store.ts";

/* Data-law requests that an operator handles and that change the record: blocking disputed data, and correcting it. */

/** How long automatic work waits before it checks again whether the data is still blocked. */
export const BLOCKED_WAIT_MS = DAY_MS;

/**
 * Whether the patient's data is blocked. While it is, no automatic work uses it and nothing is sent to outside parties.
 */
export function isBlocked(db: Database, { id }: Pick<Beneficiary, "id">): Promise<boolean> {
  return readBlocked(db, id);
}

/** Whether the data under a RUT is blocked. False for an unregistered RUT. */
export function isRutBlocked(db: Database, key: BeneficiaryKey): Promise<boolean> {
  return readBlockedByRut(db, key);
}

/** The patients of a tenant, among these, whose data is blocked since before a moment. */
export function blockedAmong(
  db: Database,
  requested: { readonly tenant: string; readonly ruts: readonly Rut[]; readonly before: Date },
): Promise<Rut[]> {
  return selectBlocked(db, requested);
}

export function block(tx: Transaction, { id }: Pick<Beneficiary, "id">, at: Date): Promise<void> {
  return writeBlocked(tx, id, at);
}

export function unblock(tx: Transaction, { id }: Pick<Beneficiary, "id">): Promise<void> {
  return writeBlocked(tx, id, null);
}

/** Writes a corrected field. Returns false if the value is not a valid name or telephone number. */
export async function correct(
  tx: Transaction,
  { id }: Pick<Beneficiary, "id">,
  field: "first_name" | "last_name" | "phone_number",
  { value, at }: { readonly value: string; readonly at: Date },
): Promise<boolean> {
  if (field === "phone_number") {
    const phone = readPhone(value);
    if (phone === null) return false;
    await writeCorrection(tx, id, { phone_number: phone }, at);
    return true;
  }
  const name = personNameSchema.safeParse(value);
  if (!name.success) return false;
  await writeCorrection(tx, id, field === "first_name" ? { first_name: name.data } : { last_name: name.data }, at);
  return true;
}
