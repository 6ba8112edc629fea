import { eraseReimbursed } from "../collection/operations.ts";
import { HAND_FILING_HOURS_MAX } from "../contract/terms.ts";
import type { OrderId } from "../contract/vocabulary/identifiers.ts";
import { partlyRefundedOrders, refundedOrders } from "../orders/order-reads.ts";
import type { Database, Transaction } from "../platform/database/transaction.ts";
import { type ExceptionPart, orderOf, type Resolving } from "../platform/exceptions.ts";
import type { TimelinePart } from "../platform/timeline.ts";
import { emptyHandWorked } from "./by-hand/hand-claim-store.ts";
import { fileAgain, giveUpClaim, noteWithdrawn, unknownFiling } from "./claim-resolutions.ts";
import { readOrdersOfOpenClaims } from "./claim-store.ts";
import { FILE_CLAIM_TIMER, lockStoppable } from "./consider-claim.ts";
import { enterApproved, enterFiled, enterLacking, enterRejected } from "./hand-worked-claims.ts";
import { MANDATE_WITHDRAWN } from "./mandate.ts";
import { moveClaim } from "./move-claim.ts";
import {
  type ClaimSummary,
  claimEntries,
  claimExceptionQueries,
  claimTimers,
  claimWaits,
  deleteExpenseFiles,
  type ExpenseSummary,
  emptyClaims,
  emptyExpenses,
  patientClaimKeys,
  selectClaims,
  selectClaimsOfOrders,
  selectExpenses,
} from "./operations-store.ts";
import { POLL_CLAIM_TIMER } from "./poll-claim.ts";
import { REMIND_UNFILED_TIMER } from "./remind-unfiled.ts";

/** The exceptions about claims, with the resolutions available to operators. */
export const claimExceptions = {
  kinds: {
    claim_held: {
      means: "The claim waits for a document.",
      resolutions: ["file_again", "give_up_claim", "handled"],
    },
    claim_without_access: {
      means: "The claim waits for access to the insurer.",
      resolutions: ["give_up_claim", "handled"],
    },
    claim_to_file: {
      means: "An operator has to file the claim with the isapre by hand.",
      resolutions: ["filed_by_hand", "document_lacking"],
    },
    claim_to_file_late: {
      means: `A claim has waited more than ${HAND_FILING_HOURS_MAX} hours for an operator to file it.`,
      resolutions: ["filed_by_hand", "document_lacking"],
    },
    claim_to_answer: {
      means: "A claim was filed by hand, or by an earlier connector. An operator enters the isapre's answer.",
      resolutions: ["isapre_approved", "isapre_rejected", "claim_withdrawn"],
    },
    receipt_missing: {
      means: "The clinic has not sent the receipt of a paid order.",
      resolutions: ["handled"],
    },
    receipt_unread: {
      means: "The receipt's total could not be read, so the claim names the order's total.",
      resolutions: ["handled"],
    },
    claim_of_refunded_order: {
      means: "A claim was filed for an order that was refunded in full.",
      resolutions: ["claim_withdrawn", "handled"],
    },
    claim_of_partly_refunded_order: {
      means: "A claim was filed for the whole of an order that was partly refunded. The insurer must be notified.",
      resolutions: ["handled"],
    },
  },
  resolutions: {
    file_again: {
      means: "file the claim again, with the documents that are there",
      resolve: doing(fileAgain, "The claim will be filed again."),
    },
    give_up_claim: {
      means: "give up the claim: nothing more is filed",
      resolve: doing(giveUpClaim, "Given up. Nothing more is filed."),
    },
    filed_by_hand: {
      notTogether: true,
      means: "it is filed with the isapre: the note is the claim's number there",
      resolve: enterFiled,
    },
    document_lacking: {
      notTogether: true,
      means: "the isapre asks for the document in the note: the clinic and the patient are notified",
      resolve: enterLacking,
    },
    isapre_approved: {
      notTogether: true,
      means: "the isapre approved it: `--amount` is the approved amount, `--day` the day of the approval",
      resolve: enterApproved,
    },
    isapre_rejected: {
      notTogether: true,
      means: "the isapre rejected it: the note is its reason, which the patient reads",
      resolve: enterRejected,
    },
    claim_withdrawn: {
      means: "it was withdrawn at the insurer, which is no longer polled about it",
      resolve: doing(noteWithdrawn, "Recorded. The insurer is no longer asked about the claim."),
    },
  },
  queries: () => claimExceptionQueries(refundedOrders, partlyRefundedOrders),
  unknownCall: unknownFiling,
} as const satisfies ExceptionPart;

function doing(resolution: typeof fileAgain, outcome: string): (resolving: Resolving) => Promise<string> {
  return async ({ tx, exception, clock, at }) => {
    await resolution(tx, { clock, at }, orderOf(exception));
    return outcome;
  };
}

/** The order's receipt and its claim. */
export const claimTimeline = {
  kinds: {
    "expense.received": "The clinic sent the receipt.",
    "receipt.missed": "The clinic had not sent the receipt in time.",
    "claim.made": "A claim was created from the receipt.",
    "claim.filed": "The claim was filed with the insurer.",
    "claim.access_blocked": "The insurer refused the patient's access.",
    "claim.access_renewed": "The insurer received the renewed access.",
    "claim.ended": "The claim ended.",
    "waits.receipt": "The clinic has not sent the receipt.",
    "waits.claim": "The claim has not ended.",
    [FILE_CLAIM_TIMER]: "files the claim",
    [POLL_CLAIM_TIMER]: "asks the insurer about the claim",
    [REMIND_UNFILED_TIMER]: "tells the patient what keeps the claim from being filed, if it is not",
  },
  happened: claimEntries,
  waits: claimWaits,
  timers: claimTimers,
} as const satisfies TimelinePart;

export type { ClaimSummary, ExpenseSummary } from "./operations-store.ts";

export function patientClaims(db: Database, beneficiaryId: string): Promise<ClaimSummary[]> {
  return selectClaims(db, beneficiaryId);
}

/** The claims of these orders, whichever patient record they belong to. */
export function claimsOfOrders(db: Database, orderIds: readonly OrderId[]): Promise<ClaimSummary[]> {
  return selectClaimsOfOrders(db, orderIds);
}

/** Every expense of a patient with its files, oldest first. */
export function patientExpenses(db: Database, beneficiaryId: string): Promise<ExpenseSummary[]> {
  return selectExpenses(db, beneficiaryId);
}

/**
 * Erases documents, the data read from them, and the answers and payments of insurers. The claim's existence and
 * approval stay with the order, because the approval made the deferred part due. The reason why the service stopped a
 * claim also stays, because it reveals nothing about health. Returns the names of the files, which are still in the
 * storage.
 */
export async function eraseClaims(tx: Transaction, beneficiaryId: string): Promise<string[]> {
  const files = await deleteExpenseFiles(tx, beneficiaryId);
  await emptyExpenses(tx, beneficiaryId);
  await eraseReimbursed(tx, patientClaimKeys(beneficiaryId));
  await emptyHandWorked(tx, patientClaimKeys(beneficiaryId));
  await emptyClaims(tx, beneficiaryId);
  return files;
}

/**
 * Stops all unfiled claims of a patient after they withdrew a required consent. If a call is in progress, its claim is
 * stopped only once the call is known not to have arrived; if it did arrive, the claim is not polled. Returns whether
 * any claim was stopped.
 */
export async function stopClaimsOfPatient(tx: Transaction, beneficiaryId: string, at: Date): Promise<boolean> {
  let isAnyStopped = false;
  for (const order of await readOrdersOfOpenClaims(tx, beneficiaryId)) {
    const claim = await lockStoppable(tx, order);
    if (claim === null) continue;
    await moveClaim(tx, claim, { at, reason: MANDATE_WITHDRAWN });
    isAnyStopped = true;
  }
  return isAnyStopped;
}
