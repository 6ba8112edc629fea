import type { TimelinePart } from "../platform/timeline.ts";
import { publishedEvents } from "../platform/timeline-store.ts";
import { retryKind } from "./delivery-schedule.ts";
import { webhookEntries, webhookTimers, webhookWaits } from "./operations-store.ts";

/** The deliveries about the order to the clinic's endpoints. */
export const webhookTimeline = {
  kinds: {
    "webhook.queued": "An event was queued for an endpoint of the clinic.",
    "webhook.attempted": "The event was sent to the endpoint.",
    "waits.webhook": "The endpoint has not accepted an event.",
    [retryKind]: "sends an event to the clinic again",
  },
  happened: (order) => webhookEntries(publishedEvents(order)),
  waits: (order) => webhookWaits(publishedEvents(order)),
  timers: (order) => webhookTimers(publishedEvents(order)),
} as const satisfies TimelinePart;
