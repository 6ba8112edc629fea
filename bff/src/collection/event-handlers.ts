import { reduceWriteOff } from "../orders/ledger/book-write-off.ts";
import type { Ids } from "../platform/ids.ts";
import type { EventHandlers } from "../platform/outbox.ts";
import { cancelIfNothingIsLeft } from "./triggers/cancel-collection.ts";
import { orderOf, startCollection } from "./triggers/start-collection.ts";

/** Starts and ends collections when their orders are paid or refunded. */
export function handleCollectionEvents(events: EventHandlers, { ids }: { readonly ids: Ids }): void {
  events.subscribe("order.paid", startCollection);
  events.subscribe("order.refunded", async (tx, event) => {
    const order = { ...orderOf(event), at: event.createdAt };
    await reduceWriteOff(tx, ids, order, event.id);
    await cancelIfNothingIsLeft(tx, order, event.createdAt);
  });
}
