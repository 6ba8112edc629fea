import { partlyRefundedOrders, refundedOrders } from "../orders/order-reads.ts";
import { type ExceptionPart, orderOf, type Resolving } from "../platform/exceptions.ts";
import { fileAgain, giveUpClaim, noteWithdrawn } from "./claim-resolutions.ts";
import { claimExceptionQueries } from "./exception-store.ts";

/** The exceptions about claims and how an operator can resolve them. */
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
    receipt_missing: {
      means: "The clinic has not sent the receipt of a paid order.",
      resolutions: ["handled"],
    },
    receipt_unread: {
      means: "The receipt's total could not be read: the claim names the order's total.",
      resolutions: ["handled"],
    },
    claim_of_refunded_order: {
      means: "A claim was filed for an order that was given back in full.",
      resolutions: ["claim_withdrawn", "handled"],
    },
    claim_of_partly_refunded_order: {
      means: "A claim was filed for the whole of an order of which a part was refunded: the insurer has to be told.",
      resolutions: ["handled"],
    },
  },
  resolutions: {
    file_again: {
      means: "file the claim again, with the documents that are there",
      resolve: doing(fileAgain, "The claim is filed again."),
    },
    give_up_claim: {
      means: "give the claim up: nothing is filed any more",
      resolve: doing(giveUpClaim, "Given up; nothing is filed any more."),
    },
    claim_withdrawn: {
      means: "it was withdrawn at the insurer: it is not asked about any more",
      resolve: doing(noteWithdrawn, "Written down; the insurer is not asked about it any more."),
    },
  },
  queries: () => claimExceptionQueries(refundedOrders(), partlyRefundedOrders()),
} as const satisfies ExceptionPart;

function doing(resolution: typeof fileAgain, outcome: string): (resolving: Resolving) => Promise<string> {
  return async ({ tx, exception, clock, at }) => {
    await resolution(tx, { clock, at }, orderOf(exception));
    return outcome;
  };
}
