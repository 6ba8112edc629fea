import type { Order } from "../contract/orders.ts";
import type { OrderId } from "../contract/vocabulary/identifiers.ts";
import type { Database } from "../platform/database/transaction.ts";
import { publishedCollection } from "./collection.ts";
import { readCollection } from "./collection-store.ts";

/** The collection as an order shows it; `null` before the order is paid. */
export async function collectionOf(db: Database, providerId: string, orderId: OrderId): Promise<Order["collection"]> {
  const collection = await readCollection(db, { providerId, orderId });
  return collection === null ? null : publishedCollection(collection);
}
