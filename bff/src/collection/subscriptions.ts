import type { EventSubscriptions } from "../platform/outbox.ts";
import { cancelIfNothingIsLeft } from "./cancel-collection.ts";
import { orderOf, startCollection } from "./start-collection.ts";

/** What becomes of orders begins and ends their collections. */
export function subscribeCollection(subscriptions: EventSubscriptions): void {
  subscriptions.subscribe("order.paid", startCollection);
  subscriptions.subscribe("order.refunded", (tx, event) => cancelIfNothingIsLeft(tx, orderOf(event), event.createdAt));
}
