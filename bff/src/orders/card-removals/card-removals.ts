/*
 * Cards that nothing can be charged to any more are removed at the processor, each once. Which those are is decided above,
 * where it is known what is still to be charged (`src/collection/cards/`).
 */

import type { Clock } from "../../platform/clock.ts";
import type { Transaction } from "../../platform/database/transaction.ts";
import { idFor } from "../../platform/ids.ts";
import { scheduleTimers } from "../../platform/timers/timer-store.ts";
import type { OrderKey } from "../order-store.ts";
import { orderPayload } from "../timer-payload.ts";
import { insertRemovals } from "./card-removal-store.ts";

/** Asks the processor to remove a card, until it has answered. Its key is the removal's id. */
export const REMOVE_CARD_TIMER = "order.remove_card";

/** Has the processor asked to remove these cards of an order, unless it has been asked. The order is locked. */
export async function askToRemove(
  tx: Transaction,
  { clock }: { readonly clock: Clock },
  { providerId, orderId }: OrderKey,
  { cardIds, at }: { readonly cardIds: readonly string[]; readonly at: Date },
): Promise<void> {
  // An erasure leaves cards without an id.
  const named = [...new Set(cardIds)].filter((cardId) => cardId !== "");
  const removals = named.map((cardId) => ({
    providerId,
    orderId,
    id: idFor(`${orderId}:card-removal:${cardId}`),
    cardId,
  }));
  const asked = await insertRemovals(tx, removals, at);
  if (asked.length === 0) return;
  const dueAt = clock.now();
  await scheduleTimers(
    tx,
    asked.map((key) => ({ kind: REMOVE_CARD_TIMER, key, providerId, dueAt, payload: orderPayload(orderId) })),
  );
}
