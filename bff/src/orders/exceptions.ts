import { clp, formatClp } from "../contract/vocabulary/clp.ts";
import {
  type Exception,
  type ExceptionPart,
  orderOf,
  ResolutionRefused,
  type Resolving,
  type WeightyOutcome,
} from "../platform/exceptions.ts";
import { runTimersNow } from "../platform/timers/timer-store.ts";
import { REMOVE_CARD_TIMER } from "./card-removals/card-removals.ts";
import { orderExceptionQueries } from "./exception-store.ts";
import { bookPaidByHand } from "./ledger/book-paid-by-hand.ts";
import { recountBalances } from "./ledger/close-days.ts";
import { bookTransferMade } from "./refunds/book-transfer-made.ts";
import { SETTLE_SAVED_CARD_TIMER } from "./saved-cards/saved-cards.ts";
import { ISSUE_DOCUMENT_TIMER } from "./tax-documents/owe-document.ts";

/** The exceptions of payments and refunds, with the resolutions that operators can apply. */
export const orderExceptions = {
  kinds: {
    money_not_returned: {
      means: "Money could not be given back to a card.",
      resolutions: ["paid_back", "handled"],
    },
    transfer_owed: {
      means:
        "A patient is owed a bank transfer: their card takes no part of a refund, or they had paid without a card.",
      resolutions: ["transferred"],
    },
    tax_document_missing: {
      means: "A tax document of a commission could not be issued for a day.",
      resolutions: ["issue_now", "handled"],
    },
    balance_differs: {
      means: "The balance that is kept of an account is not what its rows in the ledger sum to.",
      resolutions: ["recount"],
    },
  },
  resolutions: {
    paid_back: {
      means: "book that the patient was paid back otherwise; the note says how",
      resolve: bookPaidBack,
    },
    transferred: {
      means: "book that the patient was paid by bank transfer; the note says how",
      resolve: bookTransferred,
    },
    issue_now: {
      means: "ask for the document again at once, not in its next hour",
      resolve: issueNow,
    },
    recount: {
      means: "sum the clinic's rows up again: they are right, and what is kept of them is replaced",
      resolve: recount,
    },
  },
  queries: orderExceptionQueries,
  inquiryTimer: ({ facts, subject }: Exception) => {
    if (facts.of === "card_removal") return { kind: REMOVE_CARD_TIMER, key: subject };
    return facts.of === "saved_card" ? { kind: SETTLE_SAVED_CARD_TIMER, key: `${subject}:${facts.state}` } : null;
  },
} as const satisfies ExceptionPart;

/**
 * Only money that a payment captured and could not return is owed to the patient by us. What a failed refund did not
 * return must be repaid, or requested again, by the clinic.
 */
async function bookPaidBack({ tx, ids, exception, note, at, putAside }: Resolving): Promise<WeightyOutcome> {
  const { subject, facts } = exception;
  if (facts.why !== "return_refused" || typeof facts.amount !== "number")
    throw new ResolutionRefused(whoRefunds(facts));
  if (note === null) throw new ResolutionRefused("Say in --note how the patient was paid back.");
  await putAside();
  const paid = { ...orderOf(exception), attemptId: subject, amount: clp(facts.amount), at };
  await bookPaidByHand(tx, ids, paid);
  return { outcome: "Booked as paid back otherwise.", amount: paid.amount };
}

async function bookTransferred({ tx, ids, exception, note, at, putAside }: Resolving): Promise<WeightyOutcome> {
  const { subject, facts } = exception;
  if (note === null) throw new ResolutionRefused("Say in --note how the patient was paid.");
  if (typeof facts.amount !== "number") throw new ResolutionRefused("It names no amount.");
  await putAside();
  const made = { ...orderOf(exception), movementId: subject, amount: clp(facts.amount), at };
  await bookTransferMade(tx, ids, made);
  return { outcome: `${formatClp(made.amount)} booked as transferred.`, amount: made.amount };
}

function whoRefunds({ amount, given_back: returned, refused_because: cause }: Exception["facts"]): string {
  if (typeof returned !== "number" || typeof amount !== "number")
    return `A refund that failed gave nothing back: ${nextOf(cause, "it")}.`;
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

/** The subject is the key of the timer that has the document issued. */
async function issueNow({ tx, clock, exception }: Resolving): Promise<string> {
  const { providerId, subject: key } = exception;
  await runTimersNow(tx, { providerId, kind: ISSUE_DOCUMENT_TIMER, key }, clock.now());
  return "The document is asked for again now.";
}

async function recount({ tx, exception: { providerId } }: Resolving): Promise<string> {
  await recountBalances(tx, providerId);
  return "The balances are what the rows sum to.";
}
