import type { TimelinePart } from "../platform/timeline.ts";
import { SEND_RECOGNITION_TIMER } from "./recognition/start-recognition.ts";
import { checkoutEntries, checkoutTimers } from "./timeline-store.ts";

/** The pages that were opened for the order. */
export const checkoutTimeline = {
  kinds: {
    "token.minted": "A link or a checkout was made for the patient.",
    "token.shown": "The patient saw the page.",
    "token.used": "The page did what it was made for.",
    "recognition.asked": "The patient asked for a code to be recognised.",
    "recognition.verified": "The code was right: the patient is recognised.",
    [SEND_RECOGNITION_TIMER]: "sends the code of a recognition",
  },
  happened: checkoutEntries,
  timers: checkoutTimers,
} as const satisfies TimelinePart;
