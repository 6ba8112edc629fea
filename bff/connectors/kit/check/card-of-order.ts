import type { RegisteredCard } from "../../../src/gateways/card-processor.ts";
import type { TestCard } from "./test-values.ts";

/** A card that the processor knows, with the order that it was sealed for. */
export interface CardOfOrder {
  readonly cardId: string;
  readonly orderHash: string;
}

/** Registers a card for a new order; null if the processor refuses it. */
export type RegisterNew = (card: TestCard) => Promise<CardOfOrder | null>;

/** A usable card, and the function that registers others. */
export interface GivenCard {
  readonly card: CardOfOrder;
  readonly registerNew: RegisterNew;
}

/** An expiry that is reported must be the card's. */
export function isCard(
  { last4, expMonth, expYear }: Pick<RegisteredCard, "last4" | "expMonth" | "expYear">,
  { number, exp_month, exp_year }: TestCard,
): boolean {
  const hasItsExpiry = expMonth === undefined || (expMonth === exp_month && expYear === exp_year);
  return last4 === number.slice(-4) && hasItsExpiry;
}
