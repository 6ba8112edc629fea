import type { Clp } from "../../contract/vocabulary/clp.ts";
import type { OrderRecord } from "../../orders/order-record.ts";
import { expiresTooSoon } from "../../orders/readiness.ts";
import type { NamedCard, SavedCard } from "../../orders/saved-cards.ts";

/**
 * What the message with a code says that the code pays, so that a page cannot have it typed for something else. The
 * code counts for exactly that.
 */
export interface CodeTerms {
  /** The clinic that treats: in a network, the centre. */
  readonly clinic: string;
  readonly total: Clp;
  /** What is charged at once. */
  readonly today: Clp;
  /** The saved card that pays; null: none, the patient gives a card. */
  readonly card: NamedCard | null;
}

/**
 * The card that a code is for: the one that was asked for, or the newest that does not expire too soon by what is known
 * of it. Undefined if the one that was asked for is none of the patient's.
 */
export function cardOfCode(
  cards: readonly SavedCard[],
  requested: string | null,
  now: Date,
): NamedCard | null | undefined {
  const card =
    requested === null
      ? (cards.find((each) => !expiresTooSoon(each, now)) ?? cards[0] ?? null)
      : cards.find(({ id }) => id === requested);
  return card === null || card === undefined ? card : { id: card.id, last4: card.last4 };
}

/** Whether a code still pays what its message says. */
export function areTermsCurrent(
  terms: CodeTerms,
  { clinic, order }: { readonly clinic: string; readonly order: Pick<OrderRecord, "total" | "first"> },
): boolean {
  return terms.clinic === clinic && terms.total === order.total && terms.today === order.first;
}
