import type { RawBuilder } from "kysely";
import type { Database, Transaction } from "../platform/database/transaction.ts";
import type { ErasedPatient } from "../platform/personal-data.ts";
import type { SealedColumn } from "../platform/reseal-store.ts";
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
  endPaymentPages,
  type PlanSummary,
  selectEmailChanges,
  selectObjectionEnd,
  selectPlans,
} from "./operations-store.ts";
import { deleteRecognitionsOf } from "./recognition/recognition-store.ts";
import { SEND_RECOGNITION_TIMER } from "./recognition/start-recognition.ts";
import { PAYMENT_PAGE_SEAL } from "./self-service-links.ts";

/** The pages that were opened for the order. */
export const checkoutTimeline = {
  kinds: {
    "token.minted": "A link or a checkout was created for the patient.",
    "token.shown": "The page was shown to the patient.",
    "token.used": "The page served its purpose.",
    "token.revoked": "The clinic revoked the link.",
    "recognition.asked": "The patient requested a code for recognition.",
    "recognition.verified": "The code was right: the patient is recognised.",
    [SEND_RECOGNITION_TIMER]: "sends the code of a recognition",
  },
  happened: checkoutEntries,
  timers: checkoutTimers,
} as const satisfies TimelinePart;

/* A patient's data in the checkout's tables, and its erasure. */

/** A patient's plans with all providers, the most recently set first. */
export function patientPlans(db: Database, beneficiaryId: string): Promise<PlanSummary[]> {
  return selectPlans(db, beneficiaryId);
}

/** A patient's changes of address, oldest first. */
export function patientEmailChanges(db: Database, beneficiaryId: string): Promise<EmailChangeSummary[]> {
  return selectEmailChanges(db, beneficiaryId);
}

/** The end of the last open period for objecting to an address change of a patient; null if none is open. */
export function objectionEndOf(db: Database, beneficiaryId: string, now: Date): Promise<Date | null> {
  return selectObjectionEnd(db, beneficiaryId, now);
}

/** Deletes the plan, the recovery codes and identity checks, and the recognition codes of a patient. */
export async function erasePlanAndCodes(tx: Transaction, beneficiaryId: string): Promise<void> {
  await deleteRecognitionsOf(tx, beneficiaryId);
  await deletePlanAndRecoveries(tx, beneficiaryId);
}

/**
 * Ends the links sent to the patient. Excepts links to pay a remaining debt, and links to object, which belong to the
 * owner of the old mailbox. Removes what partners wrote into tokens about the patient.
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

/** Ends the payment pages of these orders (`provider_id, id`). Their addresses are not sent or opened any more. */
export function erasePaymentPages(tx: Transaction, orders: RawBuilder<unknown>, at: Date): Promise<void> {
  return endPaymentPages(tx, orders, at);
}

/** The tokens of payment pages, sealed so that their addresses can be sent again. */
export const sealedColumns: readonly SealedColumn[] = [
  { table: "widget_tokens", column: "sealed_token", key: ["id"], purpose: PAYMENT_PAGE_SEAL },
];

/**
 * Ends the payment links and payment pages of these orders. Links of other orders no longer refer to the patient,
 * because they find the patient by the order.
 */
export function erasePaymentLinks(
  tx: Transaction,
  patient: ErasedPatient & { readonly beneficiaryId: string },
  orders: RawBuilder<unknown>,
): Promise<void> {
  return endPaymentLinks(tx, patient, orders);
}

/** Deletes a patient's address changes. Returns the users of the old and new addresses. */
export function eraseEmailChanges(tx: Transaction, beneficiaryId: string): Promise<string[]> {
  return deleteEmailChanges(tx, beneficiaryId);
}

/** Users that an address change refers to (`user_id`), as SQL for a statement of another feature. */
export function usersOfEmailChanges(): RawBuilder<unknown> {
  return emailChangeUserKeys;
}
