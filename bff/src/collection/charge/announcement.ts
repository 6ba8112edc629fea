/* The announcement of the next charge by mandate, and whether it covers a charge. */

import type { Clp } from "../../contract/vocabulary/clp.ts";
import { santiagoDay } from "../../platform/santiago-time.ts";

/**
 * How the charge was announced. `approval`: with the insurer's approval, which is charged on the same day. `card_page`:
 * on the page for giving a card. `notification`: on an earlier day. Null if by an earlier version.
 */
export type AnnouncedBy = "approval" | "card_page" | "notification" | null;

export interface ChargeAnnouncement {
  /**
   * The charge is made at this moment, or later on the same day in Santiago. All moments are in the provider's time.
   */
  readonly chargeAt: Date;
  /** The maximum amount of the charge; null if an earlier version announced it. */
  readonly amount: Clp | null;
  readonly by: AnnouncedBy;
  /** When the patient was notified; null until the notification is stored. */
  readonly notifiedAt: Date | null;
}

/** The announced charge for the case that access to the insurer stays blocked. */
export interface BlockedAnnouncement {
  readonly chargeAt: Date;
  readonly amount: Clp;
  readonly notifiedAt: Date;
}

/** Whether a charge of `amount` on the day of `at` was announced, or will be by then. */
export function covers(
  { chargeAt, amount: announced }: Pick<ChargeAnnouncement, "chargeAt" | "amount">,
  { amount, at }: { readonly amount: Clp; readonly at: Date },
): boolean {
  return santiagoDay(at) === santiagoDay(chargeAt) && (announced === null || amount <= announced);
}

/** Whether the patient was notified. */
export function isNotified({ by, notifiedAt }: Pick<ChargeAnnouncement, "by" | "notifiedAt">): boolean {
  return by === null || notifiedAt !== null;
}
