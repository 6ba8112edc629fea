import type { DeclinedCard } from "../../contract/orders.ts";
import type { Clp } from "../../contract/vocabulary/clp.ts";
import type { OrderRecord } from "../../orders/order-record.ts";
import { expiresTooSoon } from "../../orders/readiness.ts";
import type { NamedCard, SavedCard } from "../../orders/saved-cards.ts";

/**
 * The payment that the message with a code describes. The code is valid only for exactly that, so that a page cannot
 * use it for another payment.
 */
export interface CodeTerms {
  /** The clinic that treats the patient: in a network, the centre. */
  readonly clinic: string;
  readonly total: Clp;
  /** The amount charged at once. */
  readonly today: Clp;
  /** The saved card that pays; null if the patient gives a card. */
  readonly card: NamedCard | null;
}

/**
 * The card that a code is for: the requested card, or else the newest usable one. A card is usable if it does not
 * expire too soon by the stored data and the order has not declined it for good. Undefined if the requested card is not
 * one of the patient's.
 */
export function cardOfCode(
  { cards, declined }: { readonly cards: readonly SavedCard[]; readonly declined: readonly DeclinedCard[] },
  requested: string | null,
  now: Date,
): NamedCard | null | undefined {
  const usable = cards.filter((card) => !isDeclined(card, declined));
  const card =
    requested === null
      ? (usable.find((each) => !expiresTooSoon(each, now)) ?? usable[0] ?? null)
      : cards.find(({ id }) => id === requested);
  return card === null || card === undefined ? card : { id: card.id, last4: card.last4 };
}

/** By the details that the patient sees. A saved card has no security code to mistype. */
function isDeclined(saved: SavedCard, declined: readonly DeclinedCard[]): boolean {
  return declined.some(
    (card) =>
      card.decline_reason !== "security_code_wrong" &&
      card.brand === saved.brand &&
      card.last4 === saved.last4 &&
      card.exp_month === saved.expMonth &&
      card.exp_year === saved.expYear,
  );
}

/** Whether the payment described in a code's message is unchanged. */
export function areTermsCurrent(
  terms: CodeTerms,
  { clinic, order }: { readonly clinic: string; readonly order: Pick<OrderRecord, "total" | "first"> },
): boolean {
  return terms.clinic === clinic && terms.total === order.total && terms.today === order.first;
}
