import type { RawBuilder } from "kysely";
import type { Database, Transaction } from "../platform/database/transaction.ts";
import type { ErasedPatient } from "../platform/personal-data.ts";
import type { TimelinePart } from "../platform/timeline.ts";
import {
  checkoutEntries,
  checkoutTimers,
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
  selectPlans,
} from "./operations-store.ts";
import { deleteRecognitionsOf } from "./recognition/recognition-store.ts";
import { SEND_RECOGNITION_TIMER } from "./recognition/start-recognition.ts";

/** The pages that were opened for the order. */
export const checkoutTimeline = {
  kinds: {
    "token.minted": "A link or a checkout was made for the patient.",
    "token.shown": "The patient saw the page.",
    "token.used": "The page did what it was made for.",
    "recognition.asked": "The patient asked for a code to be recognised.",
    "recognition.verified": "The code was right: the patient is recognised.",
    [SEND_RECOGNITION_TIMER]: "sends the code of a recognition",
  },
  happened: checkoutEntries,
  timers: checkoutTimers,
} as const satisfies TimelinePart;

/* What the checkout's tables hold of a patient, and how it is erased. */

/** A patient's plans with all providers, the one that was set last first. */
export function patientPlans(db: Database, beneficiaryId: string): Promise<PlanSummary[]> {
  return selectPlans(db, beneficiaryId);
}

/** A patient's changes of address, oldest first. */
export function patientEmailChanges(db: Database, beneficiaryId: string): Promise<EmailChangeSummary[]> {
  return selectEmailChanges(db, beneficiaryId);
}

/** When the last period for objecting to one of a patient's changes of address ends; `null` if none is open. */
export function objectionEndOf(db: Database, beneficiaryId: string, now: Date): Promise<Date | null> {
  return selectObjectionEnd(db, beneficiaryId, now);
}

/** Deletes the plan, the codes and identity checks of attempts to change the address, and the codes of recognitions. */
export async function erasePlanAndCodes(tx: Transaction, beneficiaryId: string): Promise<void> {
  await deleteRecognitionsOf(tx, beneficiaryId);
  await deletePlanAndRecoveries(tx, beneficiaryId);
}

/**
 * Ends the links sent to the patient, except those for paying what is still owed and those for an objection, which
 * belong to the owner of the old mailbox. Removes what partners wrote into tokens about the patient.
 */
export async function eraseTokens(
  tx: Transaction,
  patient: ErasedPatient & { readonly beneficiaryId: string },
  orders: RawBuilder<unknown>,
): Promise<void> {
  await endLinks(tx, patient);
  await emptyTokens(tx, patient, orders);
}

/** Removes the patient's data from the tokens of the patient, of their orders (`provider_id, id`) and of their RUT. */
export function forgetInTokens(tx: Transaction, patient: ErasedPatient, orders: RawBuilder<unknown>): Promise<void> {
  return emptyTokens(tx, patient, orders);
}

/**
 * Ends the payment links of these orders. Links of other orders no longer refer to the patient, because they find their
 * patient by the order.
 */
export function erasePaymentLinks(
  tx: Transaction,
  patient: ErasedPatient & { readonly beneficiaryId: string },
  orders: RawBuilder<unknown>,
): Promise<void> {
  return endPaymentLinks(tx, patient, orders);
}

/** Deletes a patient's changes of address and returns the users of the old and new addresses. */
export function eraseEmailChanges(tx: Transaction, beneficiaryId: string): Promise<string[]> {
  return deleteEmailChanges(tx, beneficiaryId);
}

/** Users that a change of address refers to (`user_id`), as SQL for a statement of another feature. */
export function usersOfEmailChanges(): RawBuilder<unknown> {
  return emailChangeUserKeys;
}
