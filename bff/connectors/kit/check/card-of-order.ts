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
