import type { RawBuilder } from "kysely";
import type { Database, Transaction } from "../platform/database/transaction.ts";
import type { ErasedPatient } from "../platform/personal-data.ts";
import {
  deleteEmailChanges,
  deletePlanAndRecoveries,
  type EmailChangeSummary,
  emailChangeUserKeys,
  emptyTokens,
  endLinks,
  endPaymentLinks,
  type PlanSummary,
  selectEmailChanges,
  selectObjectionEnd,
  selectPlan,
} from "./patient-data-store.ts";

/** A patient's plan; `null`: none. */
export function patientPlan(db: Database, beneficiaryId: string): Promise<PlanSummary | null> {
  return selectPlan(db, beneficiaryId);
}

/** A patient's changes of address, oldest first. */
export function patientEmailChanges(db: Database, beneficiaryId: string): Promise<EmailChangeSummary[]> {
  return selectEmailChanges(db, beneficiaryId);
}

/** Until when the last of a patient's changes of address may be objected to; `null`: none may, any more. */
export function objectionEndOf(db: Database, beneficiaryId: string, now: Date): Promise<Date | null> {
  return selectObjectionEnd(db, beneficiaryId, now);
}

/** Erases the plan, and the codes and questions with which somebody wanted to change the address. */
export function erasePlanAndRecoveries(tx: Transaction, beneficiaryId: string): Promise<void> {
  return deletePlanAndRecoveries(tx, beneficiaryId);
}

/**
 * Ends the links that were sent, but for those with which a patient pays what they still owe, and an objection, which is the
 * old mailbox's. What partners wrote into tokens about the patient is forgotten.
 */
export async function eraseTokens(
  tx: Transaction,
  patient: ErasedPatient & { readonly beneficiaryId: string },
  orders: RawBuilder<unknown>,
): Promise<void> {
  await endLinks(tx, patient);
  await emptyTokens(tx, patient, orders);
}

/** Forgets what tokens of a patient, of their orders (`provider_id, id`), and of their RUT hold of them. */
export function forgetInTokens(tx: Transaction, patient: ErasedPatient, orders: RawBuilder<unknown>): Promise<void> {
  return emptyTokens(tx, patient, orders);
}

/** Nothing is owed any more that the patient could pay. Links about an order that stays find its patient by the order. */
export function erasePaymentLinks(
  tx: Transaction,
  patient: ErasedPatient & { readonly beneficiaryId: string },
  orders: RawBuilder<unknown>,
): Promise<void> {
  return endPaymentLinks(tx, patient, orders);
}

/** Erases the changes of a patient's address, and returns the users of the addresses that were left and taken. */
export function eraseEmailChanges(tx: Transaction, beneficiaryId: string): Promise<string[]> {
  return deleteEmailChanges(tx, beneficiaryId);
}

/** Users that a change of address names, for a statement of another feature: `user_id`. */
export function usersOfEmailChanges(): RawBuilder<unknown> {
  return emailChangeUserKeys;
}
