import {
  eraseEmailChanges,
  erasePaymentLinks,
  erasePaymentPages,
  erasePlanAndCodes,
  eraseTokens,
  forgetInTokens,
  usersOfEmailChanges,
} from "../../checkout/operations.ts";
import { eraseClaims } from "../../claims/operations.ts";
import { removeCardsOfOrders } from "../../collection/operations.ts";
import { endNotifications, eraseUndelivered } from "../../notifications/operations.ts";
import { eraseOrders, ordersOfPatient } from "../../orders/operations.ts";
import { unblock } from "../../patients/blocked.ts";
import {
  deleteUnusedUsers,
  eraseMarketing,
  notePatientChanged,
  pseudonymisePatient,
} from "../../patients/operations.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Transaction } from "../../platform/database/transaction.ts";
import type { ErasedPatient } from "../../platform/personal-data.ts";
import { deleteDataLinks } from "./erasure-store.ts";
import { deleteRequests } from "./request-store.ts";

/*
 * Each folder erases its own rows. This file calls all of them, in one transaction, so that the effect of an erasure
 * can be read in one place. ADR `0039-a-patients-data.md` lists which data is erased and which is kept.
 */

/** A registered patient whose data is erased. */
export type ErasedPerson = ErasedPatient & { readonly beneficiaryId: string };

/**
 * Erases everything that neither the law nor an open order requires: documents and the data read from them, the
 * insurers' answers, the plan, and sent codes. Also changes of address, the data in tokens, and the consent to offers.
 * Returns the names of the files, which the storage still has.
 */
export async function eraseUnkept(tx: Transaction, person: ErasedPerson): Promise<string[]> {
  const { beneficiaryId } = person;
  const orders = ordersOfPatient(person);
  const files = await eraseClaims(tx, beneficiaryId);
  await erasePlanAndCodes(tx, beneficiaryId);
  await deleteDataLinks(tx, beneficiaryId);
  await deleteRequests(tx, beneficiaryId);
  await unblock(tx, { id: beneficiaryId });
  await eraseTokens(tx, person, orders);
  await eraseUndelivered(tx, person, orders);
  await deleteUnusedUsers(tx, await eraseEmailChanges(tx, beneficiaryId), usersOfEmailChanges());
  await eraseMarketing(tx, person);
  await notePatientChanged(tx, person);
  return files;
}

/** Cancels the notifications to a patient that are not sent yet. `realNow` is real time. */
export function endNotificationsOf(tx: Transaction, person: ErasedPatient, realNow: Date): Promise<void> {
  return endNotifications(tx, person, { orders: ordersOfPatient(person), realNow });
}

/**
 * Schedules the removal of the cards of a patient's orders at the processor. Their ids are erased with `pseudonymise`.
 */
export function removeCardsOf(tx: Transaction, clock: Clock, person: ErasedPatient): Promise<void> {
  return removeCardsOfOrders(tx, { clock }, { orders: ordersOfPatient(person), at: person.at });
}

/**
 * The last step, once nothing is open. The record becomes a pseudonym that still connects the kept orders, and the RUT
 * can be registered again. Orders without any payment, and their events, then contain no name, except those with a
 * refused credit. `pseudonym` replaces the RUT.
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
 * Erases the data about a patient without a registered record in orders, tokens and notifications. Orders that are
 * open, owed or kept by law stay unchanged. `endsNotifications`: whether their unsent notifications are cancelled and
 * their payment pages ended.
 * `clock` is real time.
 */
export async function eraseOrdersAlone(
  tx: Transaction,
  { tenant, rut, at }: Pick<ErasedPatient, "tenant" | "rut" | "at">,
  { endsNotifications, clock }: { readonly endsNotifications: boolean; readonly clock: Clock },
): Promise<void> {
  const person = { beneficiaryId: null, tenant, rut, at, addressedTo: null };
  const orders = ordersOfPatient(person);
  await forgetInTokens(tx, person, orders);
  await eraseUndelivered(tx, person, orders);
  if (endsNotifications) {
    await endNotificationsOf(tx, person, clock.now());
    await erasePaymentPages(tx, orders, at);
  }
  await removeCardsOf(tx, clock, person);
  await eraseMarketing(tx, person);
  await eraseOrders(tx, person);
}
