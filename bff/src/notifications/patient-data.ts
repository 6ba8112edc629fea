import type { RawBuilder } from "kysely";
import type { Transaction } from "../platform/database/transaction.ts";
import type { ErasedPatient } from "../platform/personal-data.ts";
import { emptyUndelivered, endWaiting } from "./patient-data-store.ts";

/** What could not be delivered is kept for a while to be sent again; not for a patient who is to be erased. */
export function eraseUndelivered(tx: Transaction, patient: ErasedPatient, orders: RawBuilder<unknown>): Promise<void> {
  return emptyUndelivered(tx, patient, orders);
}

/**
 * What still waits to be sent to a patient who is erased now is not sent any more, and of what could not be delivered nothing
 * is left that an operator could send again. `realNow` is real time.
 */
export function endNotifications(
  tx: Transaction,
  patient: ErasedPatient,
  given: { readonly orders: RawBuilder<unknown>; readonly realNow: Date },
): Promise<void> {
  return endWaiting(tx, patient, given);
}
