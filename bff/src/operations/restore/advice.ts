/** This folder compares a restored database with the outside parties, and lets work begin. */

import type { DifferenceKind } from "../../contract/reconciliation.ts";
import type { LostCharge } from "../../orders/payments/charge-lost-in-restore.ts";

/** What is to be done about a difference. */
export interface Advice {
  /** Whether the work itself puts it right, so that nobody has to look at it before work begins. */
  readonly heals: boolean;
  readonly text: string;
}

/** What to do about a charge that the processor lists and the books lost. */
export const LOST_CHARGE_ADVICE: Readonly<Record<LostCharge, Advice>> = {
  found_when_charged: { heals: true, text: "The next charge of the order asks under this key and finds it." },
  found_when_paid: {
    heals: false,
    text: "The order waits for its payment. Have the patient pay again: the payment finds this charge.",
  },
  never_found: {
    heals: false,
    text: "No charge of the order asks under this key: a later charge would be a second one. Resolve it with return_charge.",
  },
};

/** A payout that the run of its day asks for again, under the key that the bank knows. */
export const LOST_PAYOUT_ADVICE: Advice = {
  heals: true,
  text: "The payout run of that day asks under this key and finds it.",
};

const inBooksOnly = (list: string): Advice => ({
  heals: false,
  text: `Only the books have it. Ask why it is not on ${list}.`,
});
const lostRefund: Advice = {
  heals: false,
  text: "A refund was lost. Have the clinic send it again, with the same reference: it finds what was done.",
};
const lostLoan: Advice = {
  heals: false,
  text: "A loan of a payment that was lost. It is settled with the payment; without one, have the lender cancel it.",
};
const ofBooks: Advice = {
  heals: false,
  text: "The order and its ledger differ, whatever the parties say. Look at both.",
};

/** What to do about the other differences, by kind. */
export const ADVICE: Readonly<Record<DifferenceKind, Advice>> = {
  charge_missing: inBooksOnly("the processor's list"),
  charge_not_booked: LOST_CHARGE_ADVICE.never_found,
  charge_amount_differs: { heals: false, text: "Ask the processor how much it took, and give back what is too much." },
  return_missing: inBooksOnly("the processor's list"),
  return_not_booked: lostRefund,
  return_amount_differs: lostRefund,
  chargeback: { heals: false, text: "The patient's bank took it back. Settle it as any chargeback." },
  loan_missing: inBooksOnly("the lender's list"),
  loan_not_booked: lostLoan,
  loan_amount_differs: lostRefund,
  payout_missing: inBooksOnly("the bank's list"),
  payout_not_booked: {
    heals: false,
    text: "No payout run asks under this key: the clinic would be paid twice. Agree with it how the money comes back.",
  },
  payout_amount_differs: { heals: false, text: "Ask the bank how much it sent." },
  order_price_differs: ofBooks,
  order_collection_differs: ofBooks,
  patient_holds_too_much: ofBooks,
  commission_held: ofBooks,
  commission_without_document: inBooksOnly("the list of tax documents"),
  document_without_commission: {
    heals: true,
    text: "The document of a charge or a return that was lost. It is found under its key once that is booked again.",
  },
  settlement_missing: inBooksOnly("the processor's list of settlements"),
  settlement_not_booked: { heals: false, text: "Its lines do not sum to what it paid. Have the processor correct it." },
  settlement_amount_differs: { heals: false, text: "Ask the processor which of the two it has paid." },
  settled_differs: { heals: false, text: "Ask the processor why it settled another amount than it captured." },
  not_settled: { heals: false, text: "Ask the processor when it settles the movement." },
  document_amount_differs: { heals: false, text: "Have its issuer correct the document." },
};
