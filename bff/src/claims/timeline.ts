import type { TimelinePart } from "../platform/timeline.ts";
import { FILE_CLAIM_TIMER } from "./consider-claim.ts";
import { POLL_CLAIM_TIMER } from "./poll-claim.ts";
import { REMIND_UNFILED_TIMER } from "./remind-unfiled.ts";
import { claimEntries, claimTimers, claimWaits } from "./timeline-store.ts";

/** The order's receipt and its claim. */
export const claimTimeline = {
  kinds: {
    "expense.received": "The clinic sent the receipt.",
    "receipt.missed": "The clinic had not sent the receipt in time.",
    "claim.made": "A claim was made of the receipt.",
    "claim.filed": "The claim was filed with the insurer.",
    "claim.access_blocked": "The insurer refused the patient's access.",
    "claim.access_renewed": "The insurer received the access that the patient gave again.",
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
