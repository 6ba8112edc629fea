import { reduceWriteOff } from "../orders/ledger/book-write-off.ts";
import type { Clock } from "../platform/clock.ts";
import type { Ids } from "../platform/ids.ts";
import type { EventHandlers } from "../platform/outbox.ts";
import { removeUnneededCards } from "./cards/remove-cards.ts";
import { afterRefund } from "./triggers/after-refund.ts";
import { orderOf, startCollection } from "./triggers/start-collection.ts";

/** Starts and ends collections when their orders are paid or refunded. */
export function handleCollectionEvents(
  events: EventHandlers,
  dependencies: { readonly ids: Ids; readonly clock: Clock },
): void {
  events.subscribe("order.paid", (tx, event) => startCollection(tx, dependencies, event));
  events.subscribe("order.refunded", async (tx, event) => {
    const order = { ...orderOf(event), at: event.createdAt };
    await reduceWriteOff(tx, dependencies.ids, order, event.id);
    await afterRefund(tx, dependencies, order, event.createdAt);
  });
  events.subscribe("order.cancelled", (tx, event) =>
    removeUnneededCards(tx, dependencies, orderOf(event), event.createdAt),
  );
}
