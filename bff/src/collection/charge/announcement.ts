/* What the patient was told of the next charge by the mandate, and whether a charge is covered by it. */

import type { Clp } from "../../contract/vocabulary/clp.ts";
import { santiagoDay } from "../../platform/santiago-time.ts";

/**
 * How the patient is told: with the insurer's approval, which is charged on the same day; on the page on which they
 * give a card; or by a notification of an earlier day. Null: by the previous version.
 */
export type AnnouncedBy = "approval" | "card_page" | "notification" | null;

export interface ChargeAnnouncement {
  /** The charge is made at this moment or later on its day in Santiago; all moments are in the provider's time. */
  readonly chargeAt: Date;
  /** The most that the charge may take; null if the previous version announced it. */
  readonly amount: Clp | null;
  readonly by: AnnouncedBy;
  /** When the patient was told; null until the notification is written. */
  readonly notifiedAt: Date | null;
}

/** The charge that the patient was told of if access to the insurer stays blocked. */
export interface BlockedAnnouncement {
  readonly chargeAt: Date;
  readonly amount: Clp;
  readonly notifiedAt: Date;
}

/** Whether the patient was told of a charge of `amount` on the day of `at`, or will have been by then. */
export function covers(
  { chargeAt, amount: announced }: Pick<ChargeAnnouncement, "chargeAt" | "amount">,
  { amount, at }: { readonly amount: Clp; readonly at: Date },
): boolean {
  return santiagoDay(at) === santiagoDay(chargeAt) && (announced === null || amount <= announced);
}

/** Whether the patient knows of it. */
export function isNotified({ by, notifiedAt }: Pick<ChargeAnnouncement, "by" | "notifiedAt">): boolean {
  return by === null || notifiedAt !== null;
}
