/** This folder compares a restored database with the outside parties, and lets work begin. */

import type { DifferenceKind } from "../../contract/reconciliation.ts";
import type { LostCharge } from "../../orders/charge-lost-in-restore.ts";
import type { Resolution } from "../exceptions/exception-kinds.ts";

/** What is to be done about a difference. */
export interface Advice {
  /** Whether work may begin before an operator has resolved it. */
  readonly heals: boolean;
  readonly text: string;
  /**
   * The resolution whose command is printed; null where it heals, and where putting it aside could leave money of a
   * patient where it is: the operator then does what the text says first.
   */
  readonly resolution: Resolution | null;
}

/** What to do about a charge that the processor lists and the books lost. */
export const LOST_CHARGE_ADVICE: Readonly<Record<LostCharge, Advice>> = {
  found_when_charged: {
    heals: true,
    text: "The next charge of the order asks under this key and finds it.",
    resolution: null,
  },
  found_when_paid: {
    heals: true,
    text: "The order waits for its payment, which finds this charge. Have the patient pay again. It stays listed until then: if they do not pay, cancel the order and use return_charge.",
    resolution: null,
  },
  undecided: {
    heals: true,
    text: "A charge of the order is under way, or it has no card. A later charge may find this one. It stays listed until then: if nothing finds it, use return_charge.",
    resolution: null,
  },
  never_found: {
    heals: false,
    text: "No charge of the order asks under this key: a later charge would be a second one. It goes back to the card.",
    resolution: "return_charge",
  },
};

/** What to do about a loan that the lender lists and the books lost. */
export const LOST_LOAN_ADVICE = {
  found_when_paid: {
    heals: true,
    text: "The order waits for its payment, which finds this loan. It stays listed until then: if the patient does not pay, cancel the order and use cancel_loan.",
    resolution: null,
  },
  never_found: {
    heals: false,
    text: "No payment of the order asks under this key: the patient would owe the loan for nothing. The lender cancels it.",
    resolution: "cancel_loan",
  },
} as const satisfies Readonly<Record<string, Advice>>;

/** A payout that the run of its day asks for again, under the key that the bank knows. */
export const LOST_PAYOUT_ADVICE: Advice = {
  heals: true,
  text: "The payout run of that day asks under this key and finds it.",
  resolution: null,
};

/** No money of a patient depends on it: once it is done, it is put aside. */
const thenPutAside = (text: string): Advice => ({ heals: false, text, resolution: "handled" });
/** A patient may have paid too much, or not have got what is theirs. */
const ofPatient = (text: string): Advice => ({ heals: false, text, resolution: null });

const inBooksOnly = (list: string) => `Only the books have it. Ask why it is not on ${list}.`;
const LOST_REFUND =
  "A refund was lost. Have the clinic send it again, with the same reference: it finds what was done.";
const OF_BOOKS = "The order and its ledger differ, whatever the parties say. Look at both.";

/** What to do about the other differences, by kind. */
export const ADVICE: Readonly<Record<DifferenceKind, Advice>> = {
  charge_missing: thenPutAside(inBooksOnly("the processor's list")),
  charge_not_booked: LOST_CHARGE_ADVICE.never_found,
  charge_amount_differs: ofPatient("Ask the processor how much it took, and give back what is too much."),
  return_missing: ofPatient(`${inBooksOnly("the processor's list")} The patient may not have got the money.`),
  return_not_booked: thenPutAside(LOST_REFUND),
  return_amount_differs: ofPatient(LOST_REFUND),
  chargeback: thenPutAside("The patient's bank took it back. Settle it as any chargeback."),
  loan_missing: thenPutAside(inBooksOnly("the lender's list")),
  loan_not_booked: LOST_LOAN_ADVICE.never_found,
  loan_amount_differs: ofPatient(LOST_REFUND),
  payout_missing: thenPutAside(inBooksOnly("the bank's list")),
  payout_not_booked: thenPutAside(
    "No payout run asks under this key: the clinic would be paid twice. Agree with it how the money comes back.",
  ),
  payout_amount_differs: thenPutAside("Ask the bank how much it sent."),
  order_price_differs: ofPatient(OF_BOOKS),
  order_collection_differs: ofPatient(OF_BOOKS),
  patient_holds_too_much: thenPutAside(OF_BOOKS),
  commission_held: ofPatient(OF_BOOKS),
  commission_without_document: thenPutAside(inBooksOnly("the list of tax documents")),
  document_without_commission: {
    heals: true,
    text: "The document of a charge or a return that was lost. It is found under its key once that is booked again.",
    resolution: null,
  },
  settlement_missing: thenPutAside(inBooksOnly("the processor's list of settlements")),
  settlement_not_booked: thenPutAside("Its lines do not sum to what it paid. Have the processor correct it."),
  settlement_amount_differs: thenPutAside("Ask the processor which of the two it has paid."),
  settled_differs: thenPutAside("Ask the processor why it settled another amount than it captured."),
  not_settled: thenPutAside("Ask the processor when it settles the movement."),
  document_amount_differs: thenPutAside("Have its issuer correct the document."),
};
