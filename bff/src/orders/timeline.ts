import type { TimelinePart } from "../platform/timeline.ts";
import { CARD_PAGE_TIMERS } from "./card-pages/run-registration.ts";
import { REMOVE_CARD_TIMER } from "./card-removals/card-removals.ts";
import { EXPIRE_ORDER_TIMER } from "./expire-order.ts";
import { SETTLE_PAYMENT_TIMER } from "./payments/run-payment.ts";
import { SETTLE_REFUND_TIMER } from "./refunds/run-refund.ts";
import { SETTLE_SAVED_CARD_TIMER } from "./saved-cards/saved-cards.ts";
import { ISSUE_DOCUMENT_TIMER } from "./tax-documents/owe-document.ts";
import { ledgerEntries, orderEntries, orderTimers, orderWaits } from "./timeline-store.ts";

/** The order itself, its payments, refunds and saved cards. */
export const orderTimeline = {
  kinds: {
    "order.created": "The clinic created the order.",
    "identity.asked": "The registry was asked about the patient's document.",
    "identity.validated": "The registry confirmed the patient's identity.",
    "payment.begun": "The patient pays: an attempt began.",
    "payment.return_taken": "The card processor has taken the return of the charge, and tells its end later.",
    "payment.ended": "The attempt to pay ended.",
    "card.charged": "The card was charged; the processor's portal knows the charge by this.",
    "card_page.opened": "The patient was sent to the card processor's page.",
    "card_page.ended": "The card processor's page ended.",
    "card_removal.asked": "Nothing can be charged to a card any more: the processor is asked to remove it.",
    "card_removal.ended": "The processor has removed the card.",
    "refund.asked": "A refund was accepted.",
    "refund.return_taken": "The card processor has taken a return, and tells its end later.",
    "refund.moved": "A part of a refund was answered.",
    "refund.transferred": "An operator made the bank transfer that a refund owed.",
    "refund.ended": "The refund ended.",
    "saved_card.asked": "The patient asked to keep the card.",
    "saved_card.saved": "The processor keeps the card.",
    "saved_card.used": "The patient chose a saved card.",
    "waits.patient": "The patient has not paid.",
    "waits.card_page": "The card processor's page has not ended.",
    "waits.card_removal": "The processor has not said that it has removed a card.",
    "waits.payment": "A step of the payment has not been answered.",
    "waits.refund": "A refund has not been answered.",
    "waits.transfer": "A refund is owed by bank transfer; an operator makes it.",
    "waits.tax_document": "A tax document has not been issued.",
    [EXPIRE_ORDER_TIMER]: "cancels the order if it is not paid",
    [SETTLE_PAYMENT_TIMER]: "asks what became of the payment",
    [SETTLE_REFUND_TIMER]: "makes the refund's calls, or asks what became of them",
    [ISSUE_DOCUMENT_TIMER]: "has a tax document issued",
    [CARD_PAGE_TIMERS.payment]: "asks what became of the card processor's page",
    [CARD_PAGE_TIMERS.card_change]: "asks what became of the card processor's page for another card",
    [REMOVE_CARD_TIMER]: "has the processor remove a card that is not needed",
    [SETTLE_SAVED_CARD_TIMER]: "tells the processor to keep the card, or to forget it",
  },
  happened: orderEntries,
  waits: orderWaits,
  timers: orderTimers,
} as const satisfies TimelinePart;

/** The money that moved, after what moved it. */
export const ledgerTimeline = {
  kinds: {
    "ledger.booked": "Money moved.",
    "tax_document.issued": "A tax document of the commission was issued.",
  },
  happened: ledgerEntries,
} as const satisfies TimelinePart;
