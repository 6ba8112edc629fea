import type { RawBuilder } from "kysely";
import type { Order } from "../contract/orders.ts";
import type { OrderId } from "../contract/vocabulary/identifiers.ts";
import type { OrderRecord } from "../orders/order-record.ts";
import type { Database } from "../platform/database/transaction.ts";
import { chargebackKeys, selectSettled } from "./chargeback-store.ts";
import { publishedCollection } from "./collection.ts";
import { type CollectionRecord, isOver } from "./collection-record.ts";
import { type DueOrders, readCollection, selectTriggeredAt } from "./collection-store.ts";

/**
 * The collection as an order shows it; null before the order is paid. If a refund has left nothing to charge, it shows
 * as cancelled even before the refund's event cancels it.
 */
export async function collectionOf(db: Database, order: OrderRecord): Promise<Order["collection"]> {
  const { providerId, orderId } = order;
  return collectionView(await readCollection(db, { providerId, orderId }), order);
}

/** A loaded collection, as `collectionOf` shows it. */
export function collectionView(collection: CollectionRecord | null, order: OrderRecord): Order["collection"] {
  if (collection === null) return null;
  const isCancelled = collection.state !== "collected" && isOver(order);
  return publishedCollection(isCancelled ? { ...collection, state: "cancelled", dueAt: null } : collection);
}

/** When the later charges of these orders became due, by order, if that was before a moment. */
export function triggeredAt(db: Database, requested: DueOrders): Promise<Map<OrderId, Date>> {
  return selectTriggeredAt(db, requested);
}

/** Chargebacks of known orders (`provider_id, id`), as SQL for a statement of another feature. */
export function chargebackIds(): RawBuilder<unknown> {
  return chargebackKeys;
}

/** The processor's ids of a provider's chargebacks that an operator has marked as won or lost. */
export function settledChargebacks(db: Database, providerId: string): Promise<Set<string>> {
  return selectSettled(db, providerId);
}
