import { DAY_MS } from "../contract/vocabulary/durations.ts";
import { personNameSchema } from "../contract/vocabulary/person-name.ts";
import { readPhone } from "../contract/vocabulary/phone.ts";
import type { Database, Transaction } from "../platform/database/transaction.ts";
import type { Beneficiary, BeneficiaryKey } from "./beneficiary.ts";
import { readBlocked, readBlockedByRut, writeBlocked, writeCorrection } from "./blocked-store.ts";

/*
 * What a patient may ask of a person by the data law and changes the record: to block the data while something is
 * disputed, and to correct it.
 */

/** How long what is done by itself waits before it asks again whether the data is still blocked. */
export const BLOCKED_WAIT_MS = DAY_MS;

/** Whether the patient's data is blocked: nothing is done with it by itself, and nothing is told to anybody outside. */
export function isBlocked(db: Database, { id }: Pick<Beneficiary, "id">): Promise<boolean> {
  return readBlocked(db, id);
}

/** Whether the data under a RUT is blocked. Nobody's is not. */
export function isRutBlocked(db: Database, key: BeneficiaryKey): Promise<boolean> {
  return readBlockedByRut(db, key);
}

export function block(tx: Transaction, { id }: Pick<Beneficiary, "id">, at: Date): Promise<void> {
  return writeBlocked(tx, id, at);
}

export function unblock(tx: Transaction, { id }: Pick<Beneficiary, "id">): Promise<void> {
  return writeBlocked(tx, id, null);
}

/** Writes a corrected field. False: what was written for it is no name, or no telephone number. */
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
