import type { DeclineReason } from "../contract/errors.ts";
import type { GivenConsent } from "../contract/orders.ts";
import type { ShownCharge } from "../contract/self-service-links.ts";
import { withoutCardNumber } from "../contract/vocabulary/card-number.ts";
import type { OrderId } from "../contract/vocabulary/identifiers.ts";
import type { CardPage, CardPageOffer, RegisteredCard } from "../gateways/card-processor.ts";
import { idFor } from "../platform/ids.ts";
import type { Provider } from "../platform/provider.ts";
import type { OrderCard } from "./order-record.ts";
import type { OrderKey } from "./order-store.ts";

/** `payment`: for an order that is to be paid. `card_change`: for what is still to be charged of a paid one. */
export type RegistrationPurpose = "payment" | "card_change";

/** What the patient gave with the press that opened the page, and from where. */
export interface GivenWithCard {
  readonly consents: readonly GivenConsent[];
  readonly ip: string;
  readonly userAgent: string | null;
  /** What the page showed of the charge that follows a change of card. */
  readonly shownCharge?: ShownCharge;
}

/**
 * One card that is given on the processor's own page. `registering`: the call is about to be made or is not answered;
 * `at_page`: the patient is at the page; `registered`: the card was taken; `abandoned`: they left the page, or its time
 * ran out; `dropped`: nothing came of it, because the order takes no card any more or the patient began anew.
 */
export interface CardRegistration extends OrderKey {
  /** The call's idempotency key is made of it. */
  readonly id: string;
  readonly orderId: OrderId;
  readonly purpose: RegistrationPurpose;
  /** Counts the pages of an order for one purpose. */
  readonly number: number;
  readonly state: "registering" | "at_page" | "registered" | "declined" | "abandoned" | "expires_too_soon" | "dropped";
  /** The link that a changed card uses up; null if it is not made by a link. */
  readonly widgetTokenId: string | null;
  /** Null once the page has ended. */
  readonly given: GivenWithCard | null;
  readonly page: CardPage | null;
  /** The processor's id of the card that came of it; null until there is one. */
  readonly cardId: string | null;
  readonly declineReason: DeclineReason | null;
  /** The number of inquiries that brought nothing. */
  readonly inquiries: number;
  readonly startedAt: Date;
  readonly endedAt: Date | null;
}

export function isOpen({ state }: Pick<CardRegistration, "state">): boolean {
  return state === "registering" || state === "at_page";
}

/**
 * A page is counted through the order's whole life: a database that lost its last hours asks under every key that the
 * processor already knows, and finds the card that was given there.
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
  // Some type the card's number where its holder belongs, and the processor tells it back.
  return { id, brand, last4, expMonth, expYear, holderName: withoutCardNumber(holderName), kind };
}

/** How a provider's patients give a card: in fields of the checkout's own, or on the processor's page. */
export type CardEntry = "fields" | "page";

export function cardEntry(offer: CardPageOffer, { settings }: Pick<Provider, "settings">): CardEntry {
  return offer === "only" || (offer === "also" && settings.cardPage) ? "page" : "fields";
}
