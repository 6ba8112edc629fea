import type { RawBuilder } from "kysely";
import type { Transaction } from "../platform/database/transaction.ts";
import type { ErasedPatient } from "../platform/personal-data.ts";
import { emptyUndelivered, endWaiting } from "./patient-data-store.ts";

/**
 * Deletes address and text of undelivered notifications to a patient who is to be erased; for other patients they are
 * kept for a while, so that the notification can be sent again.
 */
export function eraseUndelivered(tx: Transaction, patient: ErasedPatient, orders: RawBuilder<unknown>): Promise<void> {
  return emptyUndelivered(tx, patient, orders);
}

/**
 * Cancels the waiting notifications to an erased patient, and deletes address and text of the undelivered ones, so that
 * an operator cannot send them again. `realNow` is real time.
 */
export function endNotifications(
  tx: Transaction,
  patient: ErasedPatient,
  given: { readonly orders: RawBuilder<unknown>; readonly realNow: Date },
): Promise<void> {
  return endWaiting(tx, patient, given);
}
