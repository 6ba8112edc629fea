import type { RawBuilder } from "kysely";
import type { Database, Transaction } from "../platform/database/transaction.ts";
import { overwriteOrderInEvents } from "../platform/event-payload-store.ts";
import type { ErasedPatient, OrdersOfPatient } from "../platform/personal-data.ts";
import { patientOrderKeys } from "./orders/order-keys-store.ts";

export type { CreditRefusal } from "./patient-data-store.ts";

import {
  emptyUnpaidOrders,
  type PatientOrderKey,
  selectPatientOrders,
  thinRefusedCredits,
} from "./patient-data-store.ts";

/** Every order under a RUT, oldest first, with why its credit was refused, if it was. */
export function patientOrders(
  db: Database,
  patient: { readonly tenant: string; readonly rut: string },
): Promise<PatientOrderKey[]> {
  return selectPatientOrders(db, patient);
}

/** A patient's orders, for a statement of another feature: `provider_id, id`. */
export function ordersOfPatient(patient: OrdersOfPatient): RawBuilder<unknown> {
  return patientOrderKeys(patient);
}

const NOBODY = { rut: "", first_name: "", last_name: "", email: "", phone_number: "" };

/**
 * Orders from which no money moved, and their events, name nobody any more. A refused credit is kept with its reasons, so
 * that they can be given back, to an operator by the RUT, by a link to the mailbox; telephone and card have nothing to do
 * with it.
 */
export async function eraseOrders(tx: Transaction, patient: ErasedPatient): Promise<void> {
  const emptied = await emptyUnpaidOrders(tx, patient);
  await overwriteOrderInEvents(tx, emptied, [
    { path: ["customer"], value: NOBODY },
    { path: ["payment_method"], value: null },
  ]);
  const thinned = await thinRefusedCredits(tx, patient);
  await overwriteOrderInEvents(tx, thinned, [
    { path: ["customer", "phone_number"], value: "" },
    { path: ["payment_method"], value: null },
  ]);
}
