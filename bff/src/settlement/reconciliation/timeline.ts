import type { TimelinePart } from "../../platform/timeline.ts";
import { differenceEntries, differenceWaits } from "./timeline-store.ts";

/** Where the books about the order and a gateway's list did not agree. */
export const reconciliationTimeline = {
  kinds: {
    "difference.seen": "The books and a gateway's list did not agree.",
    "difference.gone": "The books and the gateway's list agree again.",
    "waits.difference": "The books and a gateway's list do not agree.",
  },
  happened: differenceEntries,
  waits: differenceWaits,
} as const satisfies TimelinePart;
