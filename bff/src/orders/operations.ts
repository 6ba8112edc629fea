import type { RawBuilder } from "kysely";
import { type Clp, clp, formatClp } from "../contract/vocabulary/clp.ts";
import type { Database, Transaction } from "../platform/database/transaction.ts";
import { overwriteOrderInEvents, publishEvent } from "../platform/event-store.ts";
import {
  type Exception,
  type ExceptionPart,
  orderOf,
  ResolutionRefused,
  type Resolving,
  type WeightyOutcome,
} from "../platform/exceptions.ts";
import type { Ids } from "../platform/ids.ts";
import type { ErasedPatient, OrdersOfPatient } from "../platform/personal-data.ts";
import type { TimelinePart } from "../platform/timeline.ts";
import { bookPaidByHand } from "./book-entries.ts";
import { REMOVE_CARD_TIMER } from "./card-removals.ts";
import { selectOrdersWithCards } from "./cards/card-removal-store.ts";
import { recountBalances } from "./close-days.ts";
import { recordTransfers } from "./ledger/transfer-store.ts";
import { transferMade } from "./ledger/transfers.ts";
import { EXPIRE_ORDER_TIMER } from "./lifecycle/expire-order.ts";
import {
  emptyUnpaidOrders,
  ledgerEntries,
  orderEntries,
  orderExceptionQueries,
  orderTimers,
  orderWaits,
  type PatientOrderKey,
  readUnknownCall,
  sampleRefusedCredits,
  selectPatientOrders,
} from "./operations-store.ts";
import { DETAIL_NAMES, type OrderKey } from "./order-store.ts";
import { ISSUE_DOCUMENT_TIMER, requestDocumentNow } from "./owe-document.ts";
import { SETTLE_PAYMENT_TIMER } from "./payments/payment-attempt.ts";
import { writeTransferred } from "./refunds/refund-store.ts";
import { SETTLE_REFUND_TIMER } from "./refunds/run-refund.ts";
import { CARD_ATTEMPT_TIMERS } from "./run-card-attempt.ts";
import { SETTLE_SAVED_CARD_TIMER } from "./saved-cards.ts";
import { patientOrderKeys } from "./search/order-search-store.ts";

interface MadeTransfer extends OrderKey {
  /** The refund movement that owed the transfer. */
  readonly movementId: string;
  /** Commission included. */
  readonly amount: Clp;
  /** In the provider's time. */
  readonly at: Date;
}

/** Books that an operator made an owed transfer. A second booking violates `ledger_transfers_cause_key`. */
export async function bookTransferMade(tx: Transaction, ids: Ids, made: MadeTransfer): Promise<void> {
  const { movementId: sourceId, ...transfer } = made;
  await writeTransferred(tx, made, sourceId, made.at);
  await recordTransfers(tx, ids, [transferMade({ ...transfer, sourceId })]);
  const { providerId, orderId, amount, at } = made;
  await publishEvent(tx, {
    id: ids.uuid(),
    providerId,
    orderId,
    kind: "refund.transfer_made",
    sequence: null,
    payload: { order_hash: orderId, movement_id: sourceId, amount },
    createdAt: at,
  });
}

/** The exceptions of payments and refunds, with the resolutions available to operators. */
export const orderExceptions = {
  kinds: {
    money_not_returned: {
      means: "Money could not be returned to a card.",
      resolutions: ["paid_back", "handled"],
    },
    transfer_owed: {
      means: "A patient is owed a bank transfer: their card takes no partial refund, or they did not pay by card.",
      resolutions: ["transferred"],
    },
    tax_document_missing: {
      means: "A tax document of a commission could not be issued for a day.",
      resolutions: ["issue_now", "portal_not_done", "handled"],
    },
    balance_differs: {
      means: "The stored balance of an account differs from the sum of its ledger rows.",
      resolutions: ["recount"],
    },
  },
  resolutions: {
    paid_back: {
      means: "book that the patient was repaid in another way; the note says how",
      resolve: bookPaidBack,
    },
    transferred: {
      means: "book that the patient was paid by bank transfer; the note says how",
      resolve: bookTransferred,
    },
    issue_now: {
      means: "request the document again at once, not within the hour",
      resolve: issueNow,
    },
    recount: {
      means: "recompute the clinic's stored balances from its rows, which are right",
      resolve: recount,
    },
  },
  queries: orderExceptionQueries,
  unknownCall: readUnknownCall,
  inquiryTimer: ({ facts, subject }: Exception) => {
    if (facts.of === "card_removal") return { kind: REMOVE_CARD_TIMER, key: subject };
    return facts.of === "saved_card" ? { kind: SETTLE_SAVED_CARD_TIMER, key: `${subject}:${facts.state}` } : null;
  },
} as const satisfies ExceptionPart;

/**
 * We owe the patient only money that a payment captured and could not return. The clinic must repay or refund again the
 * part that a failed refund did not return.
 */
async function bookPaidBack({ tx, ids, exception, note, at, dismiss: putAside }: Resolving): Promise<WeightyOutcome> {
  const { subject, facts } = exception;
  if (facts.why !== "return_refused" || typeof facts.amount !== "number")
    throw new ResolutionRefused(whoRefunds(facts));
  if (note === null) throw new ResolutionRefused("Say in --note how the patient was paid back.");
  await putAside();
  const paid = { ...orderOf(exception), attemptId: subject, amount: clp(facts.amount), at };
  await bookPaidByHand(tx, ids, paid);
  return { outcome: "Booked as repaid by another method.", amount: paid.amount };
}

async function bookTransferred({
  tx,
  ids,
  exception,
  note,
  at,
  dismiss: putAside,
}: Resolving): Promise<WeightyOutcome> {
  const { subject, facts } = exception;
  if (note === null) throw new ResolutionRefused("Say in --note how the patient was paid.");
  if (typeof facts.amount !== "number") throw new ResolutionRefused("This exception names no amount.");
  await putAside();
  const made = { ...orderOf(exception), movementId: subject, amount: clp(facts.amount), at };
  await bookTransferMade(tx, ids, made);
  return { outcome: `${formatClp(made.amount)} booked as transferred.`, amount: made.amount };
}

function whoRefunds({ amount, given_back: returned, refused_because: cause }: Exception["facts"]): string {
  if (typeof returned !== "number" || typeof amount !== "number")
    return `A failed refund returns nothing: ${nextOf(cause, "it")}.`;
  const given = `The refund gave ${formatClp(clp(returned))} back, and ${formatClp(clp(amount))} not`;
  return `${given}: ${nextOf(cause, "that part")}.`;
}

function nextOf(cause: Exception["facts"][string] | undefined, what: string): string {
  switch (cause) {
    case "too_old":
      return `the charge is too old for the processor, which refuses it again, so that the clinic gives ${what} back by bank transfer`;
    case "disputed":
      return "the patient's bank takes the charge back, so that the clinic pays nothing beside it and asks again when that has ended";
    default:
      return `the clinic asks for ${what} again, or gives it back itself`;
  }
}

/** The subject is the key of the timer that issues the document. */
async function issueNow({ tx, clock, exception }: Resolving): Promise<string> {
  const { providerId, subject: key } = exception;
  await requestDocumentNow(tx, { providerId, key, at: clock.now() });
  return "The document is requested again now.";
}

async function recount({ tx, exception: { providerId } }: Resolving): Promise<string> {
  await recountBalances(tx, providerId);
  return "The stored balances were recomputed from the ledger rows.";
}

/** The order itself, its payments, refunds and saved cards. */
export const orderTimeline = {
  kinds: {
    "order.created": "The clinic created the order.",
    "identity.asked": "The registry was asked about the patient's document.",
    "identity.validated": "The registry confirmed the patient's identity.",
    "payment.begun": "The patient started a payment.",
    "payment.return_taken": "The card processor accepted the return of the charge and reports the result later.",
    "payment.ended": "The payment attempt ended.",
    "card.charged": "The card was charged. The processor's portal lists the charge under this id.",
    "card_page.opened": "The patient was sent to the card processor's page.",
    "card_page.ended": "The visit to the card processor's page ended.",
    "authentication.asked": "The card's issuer was asked to authenticate the patient.",
    "authentication.ended": "The card's issuer answered the authentication of the patient.",
    "card_removal.asked": "Nothing more can be charged to a card: the processor is asked to remove it.",
    "card_removal.ended": "The processor removed the card.",
    "refund.asked": "A refund was accepted.",
    "refund.return_taken": "The card processor accepted a return and reports the result later.",
    "refund.moved": "A movement of a refund was answered.",
    "refund.transferred": "An operator made the bank transfer that a refund owed.",
    "refund.ended": "The refund ended.",
    "saved_card.asked": "The patient asked to save the card.",
    "saved_card.saved": "The processor saved the card.",
    "saved_card.used": "The patient chose a saved card.",
    "waits.patient": "The patient has not paid.",
    "waits.card_page": "The visit to the card processor's page has not ended.",
    "waits.authentication": "The authentication by the card's issuer has no result yet.",
    "waits.card_removal": "The processor has not confirmed the removal of a card.",
    "waits.payment": "A step of the payment has not been answered.",
    "waits.refund": "A refund has not been answered.",
    "waits.transfer": "A refund is owed by bank transfer; an operator makes it.",
    "waits.tax_document": "A tax document has not been issued.",
    [EXPIRE_ORDER_TIMER]: "cancels the order if it is not paid",
    [SETTLE_PAYMENT_TIMER]: "asks what became of the payment",
    [SETTLE_REFUND_TIMER]: "makes the refund's calls, or asks what became of them",
    [ISSUE_DOCUMENT_TIMER]: "has a tax document issued",
    [CARD_ATTEMPT_TIMERS.payment]: "asks what became of the card processor's page",
    [CARD_ATTEMPT_TIMERS.card_change]: "asks what became of the card processor's page for another card",
    [CARD_ATTEMPT_TIMERS.new_card]: "asks what became of the asking of an issuer",
    [REMOVE_CARD_TIMER]: "has the processor remove a card that is not needed",
    [SETTLE_SAVED_CARD_TIMER]: "tells the processor to keep the card, or to forget it",
  },
  happened: orderEntries,
  waits: orderWaits,
  timers: orderTimers,
} as const satisfies TimelinePart;

/** The money that moved, listed after the events that moved it. */
export const ledgerTimeline = {
  kinds: {
    "ledger.booked": "Money moved.",
    "tax_document.issued": "A tax document of the commission was issued.",
  },
  happened: ledgerEntries,
} as const satisfies TimelinePart;

export type { CreditRefusal } from "./operations-store.ts";

/** Every order under a RUT, oldest first, with the reasons of its credit refusal, if any. */
export function patientOrders(
  db: Database,
  patient: { readonly tenant: string; readonly rut: string },
): Promise<PatientOrderKey[]> {
  return selectPatientOrders(db, patient);
}

/**
 * A patient's orders whose cards the processor may hold. Remove those cards before the erasure, which deletes their
 * ids.
 */
export function ordersWithCards(tx: Transaction, orders: RawBuilder<unknown>): Promise<OrderKey[]> {
  return selectOrdersWithCards(tx, orders);
}

/** A patient's orders (`provider_id, id`), as SQL for a statement of another feature. */
export function ordersOfPatient(patient: OrdersOfPatient): RawBuilder<unknown> {
  return patientOrderKeys(patient);
}

const ERASED_CUSTOMER = { rut: "", first_name: "", last_name: "", email: "", phone_number: "" };

/**
 * Erases personal data from orders for which no money moved, and from their events. An order whose credit was refused
 * loses only telephone, card and details. The law requires that its reasons remain available, to an operator by RUT and
 * to the patient by a link sent to their e-mail address.
 */
export async function eraseOrders(tx: Transaction, patient: ErasedPatient): Promise<void> {
  const emptied = await emptyUnpaidOrders(tx, patient);
  await overwriteOrderInEvents(tx, emptied, [
    { path: ["customer"], value: ERASED_CUSTOMER },
    ...DETAIL_NAMES.map((name) => ({ path: [name] })),
    { path: ["payment_method"], value: null },
  ]);
  const thinned = await sampleRefusedCredits(tx, patient);
  await overwriteOrderInEvents(tx, thinned, [
    { path: ["customer", "phone_number"], value: "" },
    ...DETAIL_NAMES.map((name) => ({ path: [name] })),
    { path: ["payment_method"], value: null },
  ]);
}
