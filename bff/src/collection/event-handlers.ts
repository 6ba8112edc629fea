import type { EventHandlers } from "../platform/outbox.ts";
import { cancelIfNothingIsLeft } from "./triggers/cancel-collection.ts";
import { orderOf, startCollection } from "./triggers/start-collection.ts";

/** Starts and ends collections when their orders are paid or refunded. */
export function handleCollectionEvents(events: EventHandlers): void {
  events.subscribe("order.paid", startCollection);
  events.subscribe("order.refunded", (tx, event) => cancelIfNothingIsLeft(tx, orderOf(event), event.createdAt));
}
