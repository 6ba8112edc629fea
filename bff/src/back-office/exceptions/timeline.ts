import type { TimelinePart } from "../../platform/timeline.ts";
import { resolutionEntries } from "./timeline-store.ts";

/** What operators have put aside about the order. */
export const resolutionTimeline = {
  kinds: { "exception.handled": "An operator put an exception aside." },
  happened: resolutionEntries,
} as const satisfies TimelinePart;
