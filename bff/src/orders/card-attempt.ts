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
 * Card attempts: the registration of a card on the processor's page, or its authentication by the issuer after the
 * order was paid. The patient may be sent to a page and may never come back.
 */

/** The charge that a registration is for: the first payment of an order, or the rest of a paid one. */
export type RegistrationPurpose = "payment" | "card_change";

/** The reason for an authentication: a new card for the rest of the order, or a charge that the patient starts. */
export type AuthenticationPurpose = "new_card" | "pay_early";

interface OneCardAttempt extends OrderKey {
  /** The idempotency keys of its calls are derived from it. */
  readonly id: string;
  readonly orderId: OrderId;
  /** Counts the attempts of an order for the same purpose. */
  readonly number: number;
  /**
   * `calling`: the call is about to be made or not yet answered. `at_page`: the patient is at the page. `succeeded`:
   * the card is used. `abandoned`: the patient left the page, or it expired. `dropped`: never used, because the patient
   * started over or the order changed.
   */
  readonly state: "calling" | "at_page" | "succeeded" | "declined" | "abandoned" | "expires_too_soon" | "dropped";
  /** The link that a card change uses up; null if the attempt was not started by a link. */
  readonly widgetTokenId: string | null;
  /** The processor's page, or the issuer's challenge. */
  readonly page: CardPage | null;
  readonly declineReason: DeclineReason | null;
  /** The number of inquiries without progress. */
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
  /** The new card of a card change; null once the change has ended. */
  readonly card: OrderCard | null;
  readonly amount: Clp;
  /** The upcoming charge that the page of a card change showed; null if it showed none. */
  readonly shownCharge: ShownCharge | null;
  /** The processor's id of the authentication; null until it has sent one, or if the issuer did not challenge. */
  readonly authenticationId: string | null;
}

export type CardAttempt = CardRegistration | CardAuthentication;
export type AttemptPurpose = CardAttempt["purpose"];
export type AttemptFor<Purpose extends AttemptPurpose> = Purpose extends RegistrationPurpose
  ? CardRegistration
  : CardAuthentication;

/** What the patient submitted with the press that opened the page, and where they pressed. */
export interface GivenWithCard {
  readonly consents: readonly GivenConsent[];
  readonly ip: string;
  readonly userAgent: string | null;
  /** The upcoming charge that the page of a card change showed. */
  readonly shownCharge?: ShownCharge;
}

export function isOpen({ endedAt }: Pick<CardAttempt, "endedAt">): boolean {
  return endedAt === null;
}

export function isRegistration(attempt: CardAttempt): attempt is CardRegistration {
  return "given" in attempt;
}

/**
 * Registrations are numbered through the order's whole life. After a restore that lost the last hours, the service
 * inquires under every key that the processor already knows and finds the registered card.
 */
export function cardRegistrationId(orderId: OrderId, purpose: RegistrationPurpose, number: number): string {
  return idFor(`${orderId}:card-page:${purpose}:${number}`);
}

/** The idempotency key of the call that registers a card for an order. */
export function registrationKey(id: string): string {
  return `${id}:card`;
}

/** A card that the processor has registered, as stored on an order. */
export function registeredCard({ holderName, authenticatedAt, ...card }: RegisteredCard): OrderCard {
  const { id, brand, last4, expMonth, expYear, kind } = card;
  return {
    id,
    brand,
    last4,
    ...(expMonth !== undefined && { expMonth, expYear }),
    // Some patients type the card number as the holder's name, and the processor returns it.
    ...(holderName !== undefined && { holderName: withoutCardNumber(holderName) }),
    kind,
    ...(authenticatedAt !== undefined && { authenticatedAt: authenticatedAt.toISOString() }),
  };
}

/** How patients of a provider give a card: in the checkout's own fields, or on the processor's page. */
export type CardEntry = "fields" | "page";

export function cardEntry(offer: CardPageOffer, { settings }: Pick<Provider, "settings">): CardEntry {
  return offer === "only" || (offer === "also" && settings.cardPage) ? "page" : "fields";
}

/**
 * The id of the authentication of a replacement card. A processor may reuse a card's id when the card is given again.
 */
export function cardAuthenticationId(orderId: OrderId, cardId: string, number: number): string {
  return idFor(`${orderId}:card-authentication:${cardId}:${number}`);
}

/** The id of the authentication of an early payment. */
export function earlyAuthenticationId(orderId: OrderId, number: number): string {
  return idFor(`${orderId}:early-authentication:${number}`);
}
