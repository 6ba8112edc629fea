import type { DeclineReason } from "../../contract/errors.ts";
import type { ShownCharge } from "../../contract/self-service-links.ts";
import type { Clp } from "../../contract/vocabulary/clp.ts";
import type { Challenge } from "../../gateways/strong-authentication.ts";
import type { CollectionCard, CollectionKey } from "../collection-record.ts";

/**
 * Why an issuer is asked after the order was paid: the patient gives another card for the later charge, or has what is
 * left charged now.
 */
export type AuthenticationPurpose = "card_change" | "pay_early";

/**
 * One asking of a card's issuer. `authenticating`: the call is about to be made or is not answered; `challenged`: the
 * patient is at the issuer's challenge; `proven`: they passed it, or the issuer did not ask, and the card was taken or
 * the charge begun; `dropped`: nothing came of it, because the patient began anew or what was asked about has changed.
 */
export interface CardAuthentication extends CollectionKey {
  readonly id: string;
  readonly purpose: AuthenticationPurpose;
  /** Counts the askings of an order for one purpose. */
  readonly number: number;
  readonly state: "authenticating" | "challenged" | "proven" | "declined" | "dropped";
  readonly cardId: string;
  /** The new card, of a change that has not ended. */
  readonly card: CollectionCard | null;
  readonly amount: Clp;
  /** What the page showed of the charge that follows a change of card; null if it showed none. */
  readonly shownCharge: ShownCharge | null;
  /** The link that the change of card uses up; null if it is not made by a link. */
  readonly widgetTokenId: string | null;
  /** The processor's name of the authentication; null until it has told one, or if the issuer did not ask. */
  readonly authenticationId: string | null;
  readonly challenge: Challenge | null;
  readonly declineReason: DeclineReason | null;
  /** The number of inquiries that brought nothing. */
  readonly inquiries: number;
  readonly startedAt: Date;
  readonly endedAt: Date | null;
}

export type OpenAuthentication = CardAuthentication & { readonly state: "authenticating" | "challenged" };

export function isOpen(authentication: CardAuthentication): authentication is OpenAuthentication {
  return authentication.state === "authenticating" || authentication.state === "challenged";
}
