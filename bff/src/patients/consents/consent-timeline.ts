import type { TimelinePart } from "../../platform/timeline.ts";
import { consentEntries } from "./consent-timeline-store.ts";

/** What the patient has accepted for the order, and withdrawn. */
export const consentTimeline = {
  kinds: {
    "consent.accepted": "The patient accepted a text.",
    "consent.withdrawn": "The patient withdrew what they had accepted.",
  },
  happened: consentEntries,
} as const satisfies TimelinePart;
