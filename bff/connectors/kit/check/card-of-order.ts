import type { TestCard } from "./test-values.ts";

/** A card that the processor knows, with the order that it was sealed for. */
export interface CardOfOrder {
  readonly cardId: string;
  readonly orderHash: string;
}

/** Registers a card for a new order; null where the processor does not take it. */
export type RegisterNew = (card: TestCard) => Promise<CardOfOrder | null>;

/** A card to go on with, and how others are registered. */
export interface GivenCard {
  readonly card: CardOfOrder;
  readonly registerNew: RegisterNew;
}
