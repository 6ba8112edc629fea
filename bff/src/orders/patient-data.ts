import type { RawBuilder } from "kysely";
import type { Database, Transaction } from "../platform/database/transaction.ts";
import { overwriteOrderInEvents } from "../platform/event-payload-store.ts";
import type { ErasedPatient, OrdersOfPatient } from "../platform/personal-data.ts";
import { selectOrdersWithCards } from "./card-removals/card-removal-store.ts";
import { patientOrderKeys } from "./order-keys-store.ts";
import type { OrderKey } from "./order-store.ts";

export type { CreditRefusal } from "./patient-data-store.ts";

import {
  emptyUnpaidOrders,
  type PatientOrderKey,
  selectPatientOrders,
  thinRefusedCredits,
} from "./patient-data-store.ts";

/** Every order under a RUT, oldest first, with the reasons of its credit refusal, if any. */
export function patientOrders(
  db: Database,
  patient: { readonly tenant: string; readonly rut: string },
): Promise<PatientOrderKey[]> {
  return selectPatientOrders(db, patient);
}

/** A patient's orders whose cards the processor may hold. Their ids go with the erasure, so that they are asked for before it. */
export function ordersWithCards(tx: Transaction, orders: RawBuilder<unknown>): Promise<OrderKey[]> {
  return selectOrdersWithCards(tx, orders);
}

/** A patient's orders (`provider_id, id`), as SQL for a statement of another feature. */
export function ordersOfPatient(patient: OrdersOfPatient): RawBuilder<unknown> {
  return patientOrderKeys(patient);
}

const NOBODY = { rut: "", first_name: "", last_name: "", email: "", phone_number: "" };

/**
 * Removes personal data from orders for which no money moved, and from their events. An order whose credit was refused
 * loses only telephone, card and the lines of the bill: the law requires its reasons to remain available, to an operator by RUT and to the
 * patient by a link sent to the e-mail address.
 */
export async function eraseOrders(tx: Transaction, patient: ErasedPatient): Promise<void> {
  const emptied = await emptyUnpaidOrders(tx, patient);
  await overwriteOrderInEvents(tx, emptied, [
    { path: ["customer"], value: NOBODY },
    { path: ["items"], value: [] },
    { path: ["payment_method"], value: null },
  ]);
  const thinned = await thinRefusedCredits(tx, patient);
  await overwriteOrderInEvents(tx, thinned, [
    { path: ["customer", "phone_number"], value: "" },
    { path: ["items"], value: [] },
    { path: ["payment_method"], value: null },
  ]);
}
