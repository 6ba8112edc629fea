import type { DeclineReason } from "../contract/errors.ts";
import type { GivenConsent } from "../contract/orders.ts";
import type { ShownCharge } from "../contract/self-service-links.ts";
import { withoutCardNumber } from "../contract/vocabulary/card-number.ts";
import type { Clp } from "../contract/vocabulary/clp.ts";
import type { OrderId } from "../contract/vocabulary/identifiers.ts";
import type { CardPage, CardPageOffer, RegisteredCard } from "../gateways/card-processor.ts";
import { idFor } from "../platform/ids.ts";
import type { Provider } from "../platform/provider.ts";
import type { OrderCard } from "./order-record.ts";
import type { OrderKey } from "./order-store.ts";

/*
 * Card attempts: a card is registered on the processor's page, or authenticated by its issuer after the order was paid.
 * The patient may be sent to a page, and may come back or not.
 */

/** A registration is for an order to be paid (`payment`) or for what is still to be charged of a paid one. */
export type RegistrationPurpose = "payment" | "card_change";

/** An authentication is of a card for what is still to be charged, or of a charge that the patient starts. */
export type AuthenticationPurpose = "new_card" | "pay_early";

interface OneCardAttempt extends OrderKey {
  /** The calls' idempotency keys are derived from it. */
  readonly id: string;
  readonly orderId: OrderId;
  /** Counts the attempts of an order for one purpose. */
  readonly number: number;
  /**
   * `calling`: the call is about to be made or is not answered; `at_page`: the patient is at the page; `succeeded`: the
   * card is used; `abandoned`: they left the processor's page, or its time ran out; `dropped`: nothing came of it,
   * because the patient began anew or the order has changed.
   */
  readonly state: "calling" | "at_page" | "succeeded" | "declined" | "abandoned" | "expires_too_soon" | "dropped";
  /** The link that a changed card uses up; null if it is not made by a link. */
  readonly widgetTokenId: string | null;
  /** The processor's page, or the issuer's challenge. */
  readonly page: CardPage | null;
  readonly declineReason: DeclineReason | null;
  /** The number of inquiries that brought nothing. */
  readonly inquiries: number;
  readonly startedAt: Date;
  readonly endedAt: Date | null;
}

export interface CardRegistration extends OneCardAttempt {
  readonly purpose: RegistrationPurpose;
  /** Null once the registration has ended. */
  readonly given: GivenWithCard | null;
  /** The processor's id of the registered card; null until there is one. */
  readonly cardId: string | null;
}

export interface CardAuthentication extends OneCardAttempt {
  readonly purpose: AuthenticationPurpose;
  readonly cardId: string;
  /** The new card, of a change that has not ended. */
  readonly card: OrderCard | null;
  readonly amount: Clp;
  /** What the page showed of the charge that follows a change of card; null if it showed none. */
  readonly shownCharge: ShownCharge | null;
  /** The processor's name of the authentication; null until it has sent one, or if the issuer did not ask. */
  readonly authenticationId: string | null;
}

export type CardAttempt = CardRegistration | CardAuthentication;
export type AttemptPurpose = CardAttempt["purpose"];
export type AttemptFor<Purpose extends AttemptPurpose> = Purpose extends RegistrationPurpose
  ? CardRegistration
  : CardAuthentication;

/** What the patient gave with the press that opened the page, and from where. */
export interface GivenWithCard {
  readonly consents: readonly GivenConsent[];
  readonly ip: string;
  readonly userAgent: string | null;
  /** What the page showed of the charge that follows a change of card. */
  readonly shownCharge?: ShownCharge;
}

export function isOpen({ endedAt }: Pick<CardAttempt, "endedAt">): boolean {
  return endedAt === null;
}

export function isRegistration(attempt: CardAttempt): attempt is CardRegistration {
  return "given" in attempt;
}

/**
 * Registrations are counted through the order's whole life: a database that lost its last hours inquires under every
 * key that the processor already knows, and finds the card that was registered there.
 */
export function cardRegistrationId(orderId: OrderId, purpose: RegistrationPurpose, number: number): string {
  return idFor(`${orderId}:card-page:${purpose}:${number}`);
}

/** The key of the call that registers a card for an order. */
export function registrationKey(id: string): string {
  return `${id}:card`;
}

/** A card that the processor has registered, as an order keeps it. */
export function registeredCard({ id, brand, last4, expMonth, expYear, kind, holderName }: RegisteredCard): OrderCard {
  // Some type the card's number where its holder belongs, and the processor returns it.
  return { id, brand, last4, expMonth, expYear, holderName: withoutCardNumber(holderName), kind };
}

/** How a provider's patients give a card: in fields of the checkout's own, or on the processor's page. */
export type CardEntry = "fields" | "page";

export function cardEntry(offer: CardPageOffer, { settings }: Pick<Provider, "settings">): CardEntry {
  return offer === "only" || (offer === "also" && settings.cardPage) ? "page" : "fields";
}
