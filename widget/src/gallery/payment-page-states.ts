import type { PaymentPage } from "bff/contract/payment-page";
import type { GalleryState } from "./gallery-state.ts";
import { openedLink, paidPart, paymentPage, upcomingWith } from "./recorded-answers.ts";
import { answered, closedState, type LinkState, linkState } from "./self-service-states.ts";

/* The page on which a patient follows a payment, for each course that an order can take. */

const NO_ACTION = { pay_early: null, change_card: null, give_access: false } as const;
const NONE = upcomingWith({ status: "none", amount: 0, commission: 0, day: null });
const CARD = { brand: "visa", last4: "6623" } as const;
const LATER = "2026-12-03T14:10:00.000Z";
const DECLINED = { at: LATER, amount: upcomingWith({}).amount, card: CARD, reason: "insufficient_funds" } as const;
const FIRST = paymentPage().paid;
const CHANGE_ONLY = { ...NO_ACTION, change_card: openedLink().due };

function state(name: string, payment: PaymentPage, more: Omit<LinkState, "purpose"> = {}): GalleryState {
  return linkState(`payment-${name}`, {
    purpose: "payment",
    shows: "ol li",
    ...more,
    answers: { readPayment: answered({ ok: true, value: payment }), ...more.answers },
  });
}

const CLAIMS: readonly GalleryState[] = [
  state(
    "waiting-for-receipt",
    paymentPage({ claim: { status: "waiting_for_receipt", filed_at: null }, consultation_day: null }),
  ),
  state("queued", paymentPage({ claim: { status: "queued", filed_at: null } })),
  state(
    "access-missing",
    paymentPage({
      claim: { status: "access_missing", filed_at: null },
      missing_step: "insurer_access",
      actions: { ...paymentPage().actions, give_access: true },
    }),
  ),
  state("filed", paymentPage()),
  state(
    "held",
    paymentPage({
      claim: { status: "held", filed_at: null, missing_document_types: ["medical_order", "readable_photo"] },
    }),
  ),
  state(
    "rejected",
    paymentPage({
      claim: { status: "rejected", since: LATER, reason: "La prestación no está cubierta por tu plan." },
      second_charge: { upcoming: upcomingWith({ status: "on_day" }) },
    }),
  ),
  state(
    "access-blocked",
    paymentPage({
      claim: { status: "access_blocked", since: LATER, charged_on_if_blocked: "2026-12-06" },
      actions: { ...paymentPage().actions, give_access: true },
    }),
  ),
  state(
    "approved",
    paymentPage({
      paid: [...FIRST, paidPart({ at: LATER })],
      claim: { status: "approved", since: LATER, reimbursed_amount: 27_571 },
      second_charge: { status: "collected", upcoming: NONE },
      own_cost: FIRST.reduce((sum, { amount }) => sum + amount, upcomingWith({}).amount - 27_571),
      actions: NO_ACTION,
    }),
  ),
];

const CHARGES: readonly GalleryState[] = [
  state(
    "announced",
    paymentPage({ second_charge: { upcoming: upcomingWith({ status: "on_day", reason: "day_45" }) } }),
  ),
  state(
    "declined",
    paymentPage({
      second_charge: {
        upcoming: upcomingWith({ status: "on_day", day: "2026-12-05", reason: "approved" }),
        declined: DECLINED,
      },
    }),
  ),
  state(
    "failed",
    paymentPage({
      second_charge: {
        upcoming: upcomingWith({ status: "card_needed", day: null, reason: "approved" }),
        held_by: "card_declined",
        declined: DECLINED,
      },
      actions: CHANGE_ONLY,
    }),
  ),
  state(
    "reviewing",
    paymentPage({
      second_charge: { upcoming: upcomingWith({ status: "in_flight", day: null, reason: "approved" }) },
      actions: NO_ACTION,
    }),
  ),
  state(
    "mandate-revoked",
    paymentPage({
      second_charge: { upcoming: upcomingWith({ status: "card_needed", day: null }), held_by: "mandate_revoked" },
      actions: CHANGE_ONLY,
    }),
  ),
  state(
    "chargeback",
    paymentPage({
      paid: FIRST.map((part) => ({ ...part, disputed_amount: part.amount })),
      second_charge: { upcoming: upcomingWith({ status: "on_hold", day: null }), held_by: "chargeback" },
      actions: CHANGE_ONLY,
    }),
  ),
  state(
    "data-blocked",
    paymentPage({
      second_charge: { upcoming: upcomingWith({ status: "on_hold", day: null }), held_by: "data_blocked" },
    }),
  ),
  state(
    "paid-early",
    paymentPage({
      paid: [...FIRST, paidPart({ at: LATER })],
      second_charge: { status: "collected", upcoming: NONE },
      actions: NO_ACTION,
    }),
  ),
  state(
    "paid-otherwise",
    paymentPage({
      paid: [...FIRST, paidPart({ at: LATER, card: null, authorization_code: null })],
      second_charge: { status: "paid_otherwise", upcoming: NONE },
      actions: NO_ACTION,
    }),
  ),
  state("written-off", paymentPage({ second_charge: { status: "written_off", upcoming: NONE }, actions: NO_ACTION })),
];

const REFUND = { amount: 10_000, status: "succeeded", at: LATER, by_bank: 0, by_transfer: 0 } as const;
const REFUNDS: readonly GalleryState[] = [
  state(
    "refunded-in-part",
    paymentPage({
      status: "partially_refunded",
      refunds: [{ ...REFUND, off_second_charge: 10_700, to_cards: 0 }],
      second_charge: { upcoming: upcomingWith({ amount: upcomingWith({}).amount - 10_700 }) },
    }),
  ),
  state(
    "refunded",
    paymentPage({
      status: "refunded",
      refunds: [
        {
          ...REFUND,
          amount: paymentPage().total_amount,
          off_second_charge: upcomingWith({}).amount,
          to_cards: FIRST.reduce((sum, { amount }) => sum + amount, 0),
        },
      ],
      claim: null,
      second_charge: { status: "cancelled", upcoming: NONE },
      actions: NO_ACTION,
    }),
  ),
];

export const PAYMENT_PAGE_STATES: readonly GalleryState[] = [
  closedState("payment", "payment"),
  ...CLAIMS,
  ...CHARGES,
  ...REFUNDS,
];
