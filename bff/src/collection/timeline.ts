import type { TimelinePart } from "../platform/timeline.ts";
import {
  ANNOUNCE_TIMER,
  AUTHENTICATE_TIMER,
  CHARGE_TIMER,
  DEADLINE_TIMER,
  REPORT_LOAN_TIMER,
  SETTLE_EARLY_TIMER,
} from "./collection-timers.ts";
import { collectionEntries, collectionTimers, collectionWaits } from "./timeline-store.ts";

/** What became of the deferred part. */
export const collectionTimeline = {
  kinds: {
    "collection.triggered": "The deferred part became due.",
    "authentication.asked": "The issuer of the card was asked about its patient.",
    "authentication.ended": "The issuer of the card was asked about its patient, with this end.",
    "charge.begun": "A charge of the deferred part began.",
    "charge.ended": "The charge of the deferred part ended.",
    "mandate.revoked": "The patient revoked the mandate to charge the card.",
    "chargeback.noted": "The patient's bank took a charge back.",
    "chargeback.won": "An operator noted that the bank has given the money back.",
    "chargeback.lost": "An operator noted that the bank keeps the money.",
    "chargeback.released": "An operator let the collection go on.",
    "loan.reported": "The lender was told how the loan ended.",
    "waits.due": "The deferred part is not due yet.",
    "waits.authentication": "The patient has not answered their card's issuer, or its answer is not known.",
    "waits.charge": "A charge has not been answered.",
    "waits.operator": "The collection ended or stopped; what is left is for an operator.",
    "waits.loan_report": "The lender has not confirmed how the loan ended.",
    [ANNOUNCE_TIMER]: "announces the charge of day 45, if it is still to come then",
    [DEADLINE_TIMER]: "makes the deferred part due on day 45, if nothing else has",
    [CHARGE_TIMER]: "charges the deferred part, or asks what became of a charge",
    [AUTHENTICATE_TIMER]: "asks what became of the asking of an issuer",
    [SETTLE_EARLY_TIMER]: "asks what became of an early payment",
    [REPORT_LOAN_TIMER]: "tells the lender how the loan ended",
  },
  happened: collectionEntries,
  waits: collectionWaits,
  timers: collectionTimers,
} as const satisfies TimelinePart;
