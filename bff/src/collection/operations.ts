import type { RawBuilder } from "kysely";
import { formatClp } from "../contract/vocabulary/clp.ts";
import type { OrderId } from "../contract/vocabulary/identifiers.ts";
import { ordersWithCards } from "../orders/operations.ts";
import type { Clock } from "../platform/clock.ts";
import type { Database, Transaction } from "../platform/database/transaction.ts";
import {
  type Exception,
  type ExceptionPart,
  orderOf,
  ResolutionRefused,
  type Resolving,
  type WeightyOutcome,
} from "../platform/exceptions.ts";
import type { TimelinePart } from "../platform/timeline.ts";
import { chargebackKeys, selectSettled } from "./chargeback-store.ts";
import {
  acknowledgeChargebacks,
  bookPaidOtherwise,
  CollectionResolutionRefused,
  lockOrderAndCollection,
  loseOrdersChargebacks,
  recoverFromClinic,
  releaseCollection,
  retryCollection,
  reverseWriteOff,
  winOrdersChargebacks,
  writeOffCollection,
} from "./collection-resolutions.ts";
import { type DueAt, type DueOrders, eraseReimbursedEvidence, selectDueAt } from "./collection-store.ts";
import {
  ANNOUNCE_TIMER,
  CHARGE_TIMER,
  DEADLINE_TIMER,
  REPORT_LOAN_TIMER,
  SETTLE_EARLY_TIMER,
} from "./collection-timers.ts";
import {
  collectionEntries,
  collectionExceptionQueries,
  collectionTimers,
  collectionWaits,
} from "./operations-store.ts";
import { removeUnneededCards } from "./remove-cards.ts";

/** The exceptions of collections and chargebacks, with the resolutions available to operators. */
export const collectionExceptions = {
  kinds: {
    collection_failed: {
      means: "The deferred part was given up.",
      resolutions: ["retry", "paid_otherwise", "write_off", "handled"],
      hold,
    },
    collection_stopped: {
      means: "The patient's bank took money back. The collection waits.",
      resolutions: ["release", "chargeback_lost", "recover_from_clinic", "paid_otherwise", "write_off"],
      hold,
    },
    collection_written_off: {
      means:
        "The deferred part was written off. Not listed; `aapd orders show` names it, for money that still arrives.",
      resolutions: ["paid_after_write_off"],
      hold,
    },
    chargeback: {
      means: "The patient's bank took money back.",
      resolutions: ["chargeback_won", "chargeback_lost", "recover_from_clinic", "handled"],
      hold,
      whenHandled: acknowledge,
    },
  },
  resolutions: {
    retry: {
      means: "announce another of the promised tries to the patient, and make it at least a day later",
      resolve: explained(retry),
    },
    release: {
      means: "let the collection continue; the patient is notified at least a day before a charge",
      resolve: explained(release),
    },
    paid_otherwise: {
      means:
        "the patient has paid everything due in another way: `--amount` is the amount received, the note is the evidence",
      resolve: explained(payOtherwise),
    },
    write_off: { means: "give up the collection permanently", resolve: explained(writeOff) },
    paid_after_write_off: {
      means:
        "everything that was written off has arrived after all: reverse the write-off, and book it as `paid_otherwise`",
      resolve: explained(payAfterWriteOff),
    },
    chargeback_won: {
      means: "the bank has returned the money: nothing is booked",
      resolve: explained(winChargeback),
    },
    chargeback_lost: {
      means: "the bank keeps the money: book that the service bears it",
      resolve: explained(loseChargeback),
    },
    recover_from_clinic: {
      means: "the bank keeps the money, and the clinic bears it: book it as a refund, which its next payout deducts",
      resolve: explained(recover),
    },
  },
  queries: collectionExceptionQueries,
  // The timer that makes a charge by mandate also settles it. Its key is the order.
  inquiryTimer: ({ facts, orderId }: Exception) =>
    facts.of === "collection" && orderId !== null ? { kind: CHARGE_TIMER, key: orderId } : null,
} as const satisfies ExceptionPart;

/** Locks the collection and its chargebacks until the transaction ends. */
async function hold(tx: Transaction, exception: Exception): Promise<void> {
  await lockOrderAndCollection(tx, orderOf(exception));
}

async function acknowledge({ tx, exception, ...given }: Resolving): Promise<void> {
  await acknowledgeChargebacks(tx, given, orderOf(exception));
}

/** The result for a collection that continues without a planned charge. */
const HELD = {
  refund:
    "The collection continues, but an unfinished refund claims all that is due. If it fails, the patient is notified before a charge.",
  blocking:
    "The collection continues, but the patient's data is blocked. Nothing is charged before that ends and the patient is notified.",
  revocation:
    "The collection continues, but the patient has revoked the mandate. Nothing is charged unless they give another card or pay.",
} as const;

async function retry({ tx, exception, ...given }: Resolving): Promise<string> {
  const { dueAt, heldBy } = await retryCollection(tx, given, orderOf(exception));
  if (heldBy !== null) return HELD[heldBy];
  return `The patient is notified. The card is charged again on ${dueAt.toISOString()}.`;
}

async function release({ tx, exception, ...given }: Resolving): Promise<string> {
  const continued = await releaseCollection(tx, given, orderOf(exception));
  if (continued === null)
    return "Released, but failed: its card can no longer be charged. The patient must give another card.";
  const { dueAt, heldBy } = continued;
  if (heldBy !== null) return HELD[heldBy];
  return `The collection continues. The patient is notified before the charge on ${dueAt.toISOString()}.`;
}

async function writeOff({ tx, exception, ...given }: Resolving): Promise<WeightyOutcome> {
  const amount = await writeOffCollection(tx, given, orderOf(exception));
  const outcome = `Given up permanently. Nothing more is charged, and ${formatClp(amount)} is booked as written off.`;
  return { outcome, amount };
}

async function payAfterWriteOff(resolving: Resolving): Promise<WeightyOutcome> {
  const { tx, exception, ...given } = resolving;
  await reverseWriteOff(tx, given, orderOf(exception));
  return payOtherwise(resolving);
}

async function payOtherwise({ tx, exception, amount, note, actor, ...given }: Resolving): Promise<WeightyOutcome> {
  if (amount === null) throw new ResolutionRefused("Give the amount that arrived in --amount, in pesos.");
  if (note === null || note.trim() === "") throw new ResolutionRefused("Say in --note how you know that it arrived.");
  await bookPaidOtherwise(tx, given, orderOf(exception), { amount, evidence: note, actor });
  const outcome = `${formatClp(amount)} booked as paid; nothing is charged any more, and the patient is notified.`;
  return { outcome, amount };
}

async function winChargeback(resolving: Resolving): Promise<string> {
  const { tx, exception, ...given } = resolving;
  await winOrdersChargebacks(tx, given, orderOf(exception));
  await acknowledge(resolving);
  return "Recorded: the money is back, and the books stay unchanged.";
}

async function loseChargeback(resolving: Resolving): Promise<WeightyOutcome> {
  const { tx, exception, ...given } = resolving;
  const lost = await loseOrdersChargebacks(tx, given, orderOf(exception));
  // A chargeback that stops a collection is acknowledged only by an operator's decision on whether the collection
  // continues.
  if (exception.kind === "chargeback") await acknowledge(resolving);
  return { outcome: `${formatClp(lost)} booked as lost.`, amount: lost };
}

async function recover(resolving: Resolving): Promise<WeightyOutcome> {
  const { tx, exception, ...given } = resolving;
  const refunded = await recoverFromClinic(tx, given, orderOf(exception));
  if (exception.kind === "chargeback") await acknowledge(resolving);
  const outcome = `${formatClp(refunded)} booked as refunded by the clinic; the patient has it from the bank.`;
  return { outcome, amount: refunded };
}

const REFUSALS: Readonly<Record<CollectionResolutionRefused["code"], string>> = {
  not_failed: "The collection has not failed.",
  not_stopped: "The collection has not been stopped.",
  not_open: "The collection has neither failed nor been stopped.",
  not_written_off: "The collection was not written off.",
  chargeback_open: "The patient's bank took money back. Handle the chargeback first.",
  mandate_revoked: "The patient has revoked the mandate. They must give another card, or pay by another method.",
  hard_decline: "The card will never work again. The patient must give another card.",
  tries_exhausted: "The card has no tries left of those promised to the patient. They must give another card.",
  nothing_lost: "The amount taken back by the bank is already booked.",
  nothing_to_recover: "The clinic has no share left in the amount that the bank took back.",
  nothing_due: "Nothing is due.",
  charge_under_way: "A charge of the card is in progress and may take the amount. Wait for its outcome.",
  amount_differs: "Only the whole due amount can be booked as paid.",
};

/** Wraps a resolution so that a refusal by the collection is explained in the operator's words. */
function explained<Outcome>(
  resolve: (resolving: Resolving) => Promise<Outcome>,
): (resolving: Resolving) => Promise<Outcome> {
  return (resolving) =>
    resolve(resolving).catch((error: unknown) => {
      if (!(error instanceof CollectionResolutionRefused)) throw error;
      const due = error.due === null ? "" : ` It is ${formatClp(error.due)}.`;
      throw new ResolutionRefused(`${REFUSALS[error.code]}${due}`, { cause: error });
    });
}

/** The events of the deferred part. */
export const collectionTimeline = {
  kinds: {
    "collection.triggered": "The deferred part became due.",
    "charge.begun": "A charge of the deferred part started.",
    "charge.ended": "The charge of the deferred part ended.",
    "mandate.revoked": "The patient revoked the mandate to charge the card.",
    "chargeback.noted": "The patient's bank took a charge back.",
    "chargeback.won": "An operator recorded that the bank returned the money.",
    "chargeback.lost": "An operator recorded that the bank keeps the money.",
    "chargeback.released": "An operator let the collection continue.",
    "loan.reported": "The end of the loan was reported to the lender.",
    "waits.due": "The deferred part is not due yet; it is charged on day 45 at the latest.",
    "waits.charge_day": "The deferred part is due and waits for the day of its charge.",
    "waits.charge": "A charge has no answer yet.",
    "waits.operator": "The collection ended or stopped. An operator must handle the rest.",
    "waits.loan_report": "The lender has not confirmed the end of the loan.",
    [ANNOUNCE_TIMER]: "announces the charge of day 45, if it is still to come then",
    [DEADLINE_TIMER]: "makes the deferred part due on day 45, if nothing else has",
    [CHARGE_TIMER]: "charges the deferred part, or asks what became of a charge",
    [SETTLE_EARLY_TIMER]: "asks what became of an early payment",
    [REPORT_LOAN_TIMER]: "tells the lender how the loan ended",
  },
  happened: collectionEntries,
  waits: collectionWaits,
  timers: collectionTimers,
} as const satisfies TimelinePart;

/** Erases the insurer's payment from the triggers of these orders (`provider_id, order_id`). */
export function eraseReimbursed(tx: Transaction, orders: RawBuilder<unknown>): Promise<void> {
  return eraseReimbursedEvidence(tx, orders);
}

/** The later charges of these orders before a moment, by order. */
export function laterChargesAt(db: Database, requested: DueOrders): Promise<Map<OrderId, DueAt>> {
  return selectDueAt(db, requested);
}

/** Chargebacks of known orders (`provider_id, id`), as SQL for a statement of another feature. */
export function chargebackIds(): RawBuilder<unknown> {
  return chargebackKeys;
}

/** The processor's ids of a provider's chargebacks that an operator has marked as won or lost. */
export function settledChargebacks(db: Database, providerId: string): Promise<Set<string>> {
  return selectSettled(db, providerId);
}

/** Removes unneeded cards of each of these orders (`provider_id, order_id`), before an erasure deletes their ids. */
export async function removeCardsOfOrders(
  tx: Transaction,
  dependencies: { readonly clock: Clock },
  { orders, at }: { readonly orders: RawBuilder<unknown>; readonly at: Date },
): Promise<void> {
  for (const key of await ordersWithCards(tx, orders)) await removeUnneededCards(tx, dependencies, key, at);
}
