import type { TimelinePart } from "../../platform/timeline.ts";
import { differenceEntries, differenceTimers, differenceWaits } from "./timeline-store.ts";

/** Where the books about the order and a gateway's list did not agree. */
export const reconciliationTimeline = {
  kinds: {
    "difference.seen": "The books and a gateway's list did not agree.",
    "difference.gone": "The books and the gateway's list agree again.",
    "charge_return.requested": "A charge that the books do not have is to go back to the card.",
    "charge_return.taken": "The processor has taken that return, and tells its end later.",
    "charge_return.ended": "The processor gave that charge back, or refused to.",
    "loan_cancellation.requested": "A loan that the books do not have is to be cancelled.",
    "loan_cancellation.ended": "The lender cancelled that loan, or no longer has it as it was.",
    "loan.cancel": "The lender is asked to cancel that loan.",
    "charge.return": "The processor is asked to give that charge back.",
    "waits.difference": "The books and a gateway's list do not agree.",
  },
  happened: differenceEntries,
  waits: differenceWaits,
  timers: differenceTimers,
} as const satisfies TimelinePart;
