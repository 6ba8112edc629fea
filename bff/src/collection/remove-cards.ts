/* Finds the cards of an order that can no longer be charged, and removes them at the processor. */

import { type CardAuthentication, isOpen } from "../orders/card-attempt.ts";
import { askToRemove, type RunRemovalDependencies, runCardRemoval } from "../orders/card-removals.ts";
import { wasPaid } from "../orders/order.ts";
import { lockOrder } from "../orders/order-reads.ts";
import type { OrderRecord } from "../orders/order-record.ts";
import { newCardsOf } from "../orders/run-card-attempt.ts";
import type { Clock } from "../platform/clock.ts";
import type { Transaction } from "../platform/database/transaction.ts";
import type { ClaimedTimer } from "../platform/timers/timer-store.ts";
import type { TimerAnswer, TimerContext } from "../platform/timers/timer-worker.ts";
import { type CollectionKey, type CollectionRecord, hasEnded, isOver } from "./collection.ts";
import { lockCollection } from "./collection-store.ts";

/** Schedules the removal of every card of an order that can no longer be charged. */
export async function removeUnneededCards(
  tx: Transaction,
  dependencies: { readonly clock: Clock },
  key: CollectionKey,
  at: Date,
): Promise<void> {
  const { order, collection, authentications } = await lockCards(tx, key);
  const needed = neededCards(order, collection, authentications);
  const known = [
    order.card?.id,
    collection?.card?.id,
    ...order.payments.map(({ card }) => card.id),
    ...authentications.map(({ cardId }) => cardId),
  ].filter((cardId) => cardId !== undefined);
  await askToRemove(tx, dependencies, key, { cardIds: known.filter((cardId) => !needed.includes(cardId)), at });
}

async function lockCards(tx: Transaction, { providerId, orderId }: CollectionKey) {
  const key = { providerId, orderId };
  const order = await lockOrder(tx, key);
  const collection = await lockCollection(tx, key);
  return { order, collection, authentications: await newCardsOf(tx, key) };
}

/**
 * The cards that may still be charged. Returns need no card, because they name the charge. A failed collection may be
 * retried and a stopped one may continue, until it is collected, cancelled or written off.
 */
export function neededCards(
  order: OrderRecord,
  collection: CollectionRecord | null,
  authentications: readonly CardAuthentication[],
): readonly string[] {
  const charging = order.payments.filter(({ status }) => status === "processing").map(({ card }) => card.id);
  const asking = authentications.filter(isOpen).map(({ cardId }) => cardId);
  const next = mayBeCharged(order, collection) ? [(collection?.card ?? order.card)?.id] : [];
  return [...charging, ...asking, ...next].filter((cardId) => cardId !== undefined);
}

function mayBeCharged(order: OrderRecord, collection: CollectionRecord | null): boolean {
  if (!wasPaid(order.state)) return !["cancelled", "expired", "credit_refused"].includes(order.state);
  return !isOver(order) && (collection === null || !hasEnded(collection));
}

/** Removes an unneeded card, or inquires about its removal. */
export function removeCard(
  dependencies: RunRemovalDependencies,
  timer: ClaimedTimer,
  context: Pick<TimerContext, "finish">,
): Promise<TimerAnswer> {
  return runCardRemoval(dependencies, timer, context, async (tx, { providerId, orderId, cardId }) => {
    const { order, collection, authentications } = await lockCards(tx, { providerId, orderId });
    return neededCards(order, collection, authentications).includes(cardId);
  });
}
