import { checkoutTimeline } from "../../checkout/operations.ts";
import { claimTimeline } from "../../claims/operations.ts";
import { collectionTimeline } from "../../collection/operations.ts";
import { notificationTimeline } from "../../notifications/operations.ts";
import { ledgerTimeline, orderTimeline } from "../../orders/operations.ts";
import { consentTimeline } from "../../patients/operations.ts";
import type { TimelinePart } from "../../platform/timeline.ts";
import { platformTimeline } from "../../platform/timeline-store.ts";
import { payoutTimeline, reconciliationTimeline } from "../../settlement/operations.ts";
import { webhookTimeline } from "../../webhooks/operations.ts";
import { resolutionEntries } from "../exceptions/timeline-store.ts";

/** What operators have put aside about the order. */
const resolutionTimeline = {
  kinds: { "exception.handled": "An operator put an exception aside." },
  happened: resolutionEntries,
} as const satisfies TimelinePart;

/** The parts of all folders. What happened at the same moment is listed in this order. */
export const ROOM_TIMELINES: readonly TimelinePart[] = [
  orderTimeline,
  checkoutTimeline,
  consentTimeline,
  claimTimeline,
  collectionTimeline,
  payoutTimeline,
  ledgerTimeline,
  reconciliationTimeline,
  resolutionTimeline,
  platformTimeline,
  webhookTimeline,
  notificationTimeline,
];
