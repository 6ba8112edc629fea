import type { TimelinePart } from "../../platform/timeline.ts";
import { PAYOUT_RUN_TIMER } from "./owe-payee.ts";
import { SEND_PAYOUT_TIMER } from "./run-payouts.ts";
import { payoutEntries, payoutTimers, payoutWaits } from "./timeline-store.ts";

/** The payouts of the order's money to its clinic, and of what was collected to the lender. */
export const payoutTimeline = {
  kinds: {
    "payout.included": "The order became part of a payout.",
    "payout.ended": "The bank answered the payout.",
    "remittance.included": "What was collected of the order became part of a remittance to the lender.",
    "remittance.ended": "The bank answered the remittance.",
    "waits.remittance": "Something was collected for the lender; the next remittance pays it.",
    "waits.payout": "What the clinic is owed changed; the next payout pays it.",
    "waits.bank": "The bank has not answered a payout.",
    [PAYOUT_RUN_TIMER]: "pays the clinic what it is owed, and the lender what was collected for it",
    [SEND_PAYOUT_TIMER]: "sends a payout, or asks the bank what became of it",
  },
  happened: payoutEntries,
  waits: payoutWaits,
  timers: payoutTimers,
} as const satisfies TimelinePart;
