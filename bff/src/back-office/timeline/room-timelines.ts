import { checkoutTimeline } from "../../checkout/timeline.ts";
import { claimTimeline } from "../../claims/timeline.ts";
import { collectionTimeline } from "../../collection/timeline.ts";
import { notificationTimeline } from "../../notifications/timeline.ts";
import { ledgerTimeline, orderTimeline } from "../../orders/timeline.ts";
import { consentTimeline } from "../../patients/consents/consent-timeline.ts";
import type { TimelinePart } from "../../platform/timeline.ts";
import { platformTimeline } from "../../platform/timeline-store.ts";
import { payoutTimeline } from "../../settlement/payouts/timeline.ts";
import { reconciliationTimeline } from "../../settlement/reconciliation/timeline.ts";
import { webhookTimeline } from "../../webhooks/timeline.ts";
import { resolutionTimeline } from "../exceptions/timeline.ts";

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
