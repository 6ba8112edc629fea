import type { EventHandlers } from "../platform/outbox.ts";
import { cancelIfNothingIsLeft } from "./triggers/cancel-collection.ts";
import { orderOf, startCollection } from "./triggers/start-collection.ts";

/** What becomes of orders begins and ends their collections. */
export function handleCollectionEvents(subscriptions: EventHandlers): void {
  subscriptions.subscribe("order.paid", startCollection);
  subscriptions.subscribe("order.refunded", (tx, event) => cancelIfNothingIsLeft(tx, orderOf(event), event.createdAt));
}
