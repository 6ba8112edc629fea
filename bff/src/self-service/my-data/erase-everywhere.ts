import {
  eraseEmailChanges,
  erasePaymentLinks,
  erasePlanAndRecoveries,
  eraseTokens,
  forgetInTokens,
  usersOfEmailChanges,
} from "../../checkout/patient-data.ts";
import { eraseClaims } from "../../claims/patient-data.ts";
import { endNotifications, eraseUndelivered } from "../../notifications/patient-data.ts";
import { eraseOrders, ordersOfPatient } from "../../orders/patient-data.ts";
import {
  deleteUnusedUsers,
  eraseMarketing,
  notePatientChanged,
  pseudonymisePatient,
} from "../../patients/patient-data.ts";
import type { Transaction } from "../../platform/database/transaction.ts";
import type { ErasedPatient } from "../../platform/personal-data.ts";
import { deleteDataLinks } from "./erasure-store.ts";

/*
 * What an erasure leaves behind has to be seen at a glance: each room erases its own rows, and here stands the order in which
 * they do, in one transaction. ADR `a-patients-data.md` says what goes and what stays.
 */

/** A registered patient who is erased. */
export type ErasedPerson = ErasedPatient & { readonly beneficiaryId: string };

/**
 * Erases what no law and no open order keeps: documents and what stood on them, what insurers said, the plan, codes that were
 * sent, changes of address, what tokens hold, and the consent to offers. Returns the names of the files, which the storage
 * still has.
 */
export async function eraseUnkept(tx: Transaction, person: ErasedPerson): Promise<string[]> {
  const { beneficiaryId } = person;
  const orders = ordersOfPatient(person);
  const files = await eraseClaims(tx, beneficiaryId);
  await erasePlanAndRecoveries(tx, beneficiaryId);
  await deleteDataLinks(tx, beneficiaryId);
  await eraseTokens(tx, person, orders);
  await eraseUndelivered(tx, person, orders);
  await deleteUnusedUsers(tx, await eraseEmailChanges(tx, beneficiaryId), usersOfEmailChanges());
  await eraseMarketing(tx, person);
  await notePatientChanged(tx, person);
  return files;
}

/** Ends what still waits to be sent to a patient. `realNow` is real time. */
export function endNotificationsOf(tx: Transaction, person: ErasedPatient, realNow: Date): Promise<void> {
  return endNotifications(tx, person, { orders: ordersOfPatient(person), realNow });
}

/**
 * What remains when nothing is open any more: the record becomes a pseudonym under which the kept orders hang together, and
 * the RUT is free again. Orders from which no money moved, and their events, name nobody, but for a refused credit.
 * `pseudonym` stands in the RUT's place.
 */
export async function pseudonymise(
  tx: Transaction,
  person: ErasedPerson,
  names: { readonly userId: string; readonly pseudonym: string },
): Promise<void> {
  await erasePaymentLinks(tx, person, ordersOfPatient(person));
  const userBefore = await pseudonymisePatient(tx, person, names);
  await deleteUnusedUsers(tx, [userBefore], usersOfEmailChanges());
  await eraseOrders(tx, person);
}

/**
 * Erases what orders, tokens and notifications hold of a patient under whose RUT nobody is registered. Orders that are open,
 * owed or kept stay as they are; `endsNotifications`: nothing is still to be sent about any of them. `realNow` is real time.
 */
export async function eraseOrdersAlone(
  tx: Transaction,
  { tenant, rut, at }: Pick<ErasedPatient, "tenant" | "rut" | "at">,
  { endsNotifications, realNow }: { readonly endsNotifications: boolean; readonly realNow: Date },
): Promise<void> {
  const person = { beneficiaryId: null, tenant, rut, at, addressedTo: null };
  const orders = ordersOfPatient(person);
  await forgetInTokens(tx, person, orders);
  await eraseUndelivered(tx, person, orders);
  if (endsNotifications) await endNotificationsOf(tx, person, realNow);
  await eraseMarketing(tx, person);
  await eraseOrders(tx, person);
}
