/** This folder compares a restored database with the outside parties, and resumes work. */

import type { DifferenceKind } from "../../contract/reconciliation.ts";
import type { LostCharge } from "../../orders/charge-lost-in-restore.ts";
import type { Resolution } from "../exceptions/exception-kinds.ts";

/** What the operator must do about a difference. */
export interface Advice {
  /** Whether work may resume before an operator has resolved it. */
  readonly heals: boolean;
  readonly text: string;
  /**
   * The resolution whose command is printed. Null if the difference resolves itself, or if a dismissal could leave a
   * patient without their money: the operator then follows the text first.
   */
  readonly resolution: Resolution | null;
}

/** The advice for a charge that the processor lists and the books lost. */
export const LOST_CHARGE_ADVICE: Readonly<Record<LostCharge, Advice>> = {
  found_when_charged: {
    heals: true,
    text: "The order's next charge inquires under this key and finds it.",
    resolution: null,
  },
  found_when_paid: {
    heals: true,
    text: "The order waits for its payment, which finds this charge. Have the patient pay again. It stays listed until then: if they do not pay, cancel the order and use return_charge.",
    resolution: null,
  },
  undecided: {
    heals: true,
    text: "A charge of the order is in progress, or it has no card. A later charge may find this one. It stays listed until then: if none finds it, use return_charge.",
    resolution: null,
  },
  never_found: {
    heals: false,
    text: "No charge of the order inquires under this key, so a later charge would be a second one. It is returned to the card.",
    resolution: "return_charge",
  },
};

/** The advice for a loan that the lender lists and the books lost. */
export const LOST_LOAN_ADVICE = {
  found_when_paid: {
    heals: true,
    text: "The order waits for its payment, which finds this loan. It stays listed until then: if the patient does not pay, cancel the order and use cancel_loan.",
    resolution: null,
  },
  never_found: {
    heals: false,
    text: "No payment of the order inquires under this key: the patient would owe the loan for nothing. The lender cancels it.",
    resolution: "cancel_loan",
  },
} as const satisfies Readonly<Record<string, Advice>>;

/** A payout that its day's run requests again, under the key that the bank knows. */
export const LOST_PAYOUT_ADVICE: Advice = {
  heals: true,
  text: "The payout run of that day inquires under this key and finds it.",
  resolution: null,
};

/** The text for a difference without a patient's money: dismiss it after this. */
const thenPutAside = (text: string): Advice => ({ heals: false, text, resolution: "handled" });
/** A patient may have paid too much, or not have received a refund. */
const ofPatient = (text: string): Advice => ({ heals: false, text, resolution: null });

const inBooksOnly = (list: string) => `Only the books have it. Ask why it is not on ${list}.`;
const LOST_REFUND =
  "A refund was lost. Have the clinic send it again with the same reference: the service finds the completed movements. If the order's payment is lost too, this comes after the patient has paid again.";
const OF_BOOKS = "The order and its ledger differ, whatever the parties report. Check both.";

/** The advice for all other differences, by kind. */
export const ADVICE: Readonly<Record<DifferenceKind, Advice>> = {
  charge_missing: thenPutAside(inBooksOnly("the processor's list")),
  charge_not_booked: LOST_CHARGE_ADVICE.never_found,
  charge_amount_differs: ofPatient("Ask the processor how much it took, and return the excess."),
  return_missing: ofPatient(`${inBooksOnly("the processor's list")} The patient may not have received the money.`),
  return_not_booked: ofPatient(LOST_REFUND),
  return_amount_differs: ofPatient(LOST_REFUND),
  chargeback: thenPutAside("The patient's bank took it back. Settle it like any chargeback."),
  loan_missing: thenPutAside(inBooksOnly("the lender's list")),
  loan_not_booked: LOST_LOAN_ADVICE.never_found,
  loan_amount_differs: ofPatient(LOST_REFUND),
  payout_missing: thenPutAside(inBooksOnly("the bank's list")),
  payout_not_booked: thenPutAside(
    "No payout run inquires under this key: the clinic would be paid twice. Agree with it how to return the money.",
  ),
  payout_amount_differs: thenPutAside(
    "Ask the bank how much it sent. If the reference ends in :return, a part came back: pay the clinic that part by hand.",
  ),
  order_price_differs: ofPatient(OF_BOOKS),
  order_collection_differs: ofPatient(OF_BOOKS),
  patient_holds_too_much: thenPutAside(OF_BOOKS),
  commission_held: ofPatient(OF_BOOKS),
  commission_without_document: thenPutAside(inBooksOnly("the list of tax documents")),
  document_without_commission: {
    heals: true,
    text: "The document of a lost charge or return. It is found under its key once that is booked again.",
    resolution: null,
  },
  settlement_missing: thenPutAside(inBooksOnly("the processor's list of settlements")),
  settlement_not_booked: thenPutAside("Its lines do not sum to the amount paid in. Have the processor correct it."),
  settlement_amount_differs: thenPutAside("Ask the processor which of the two it has paid."),
  settled_differs: thenPutAside("Ask the processor why it settled another amount than it captured."),
  not_settled: thenPutAside("Ask the processor when it settles the movement."),
  document_amount_differs: thenPutAside("Have its issuer correct the document."),
};
