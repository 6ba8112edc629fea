import type { TimelinePart } from "../platform/timeline.ts";
import { SEND_NOTIFICATION_TIMER } from "./notify-patient.ts";
import { notificationEntries, notificationTimers, notificationWaits } from "./timeline-store.ts";

/** What the patient was told about the order. */
export const notificationTimeline = {
  kinds: {
    "notification.written": "A mail or message to the patient was written.",
    "notification.ended": "The mail or message was sent, or could not be.",
    "waits.notification": "A mail or message waits to be sent.",
    [SEND_NOTIFICATION_TIMER]: "sends a mail or message to the patient",
  },
  happened: notificationEntries,
  waits: notificationWaits,
  timers: notificationTimers,
} as const satisfies TimelinePart;
