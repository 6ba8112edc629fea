import type { Due } from "../contract/patient-links.ts";
import { addClp } from "../contract/vocabulary/clp.ts";
import { deferredDue } from "../orders/deferred-charge.ts";
import { findOrder } from "../orders/order-reads.ts";
import { paymentMethod } from "../orders/order-view.ts";
import type { Database } from "../platform/database/transaction.ts";
import { publishedCollection } from "./collection.ts";
import type { CollectionKey } from "./collection-record.ts";
import { readCollection } from "./collection-store.ts";
import { cardOf } from "./settle-charge.ts";

/** What one charge of the deferred part would take now, and from which card; `null` where the order was never paid. */
export async function dueNow(db: Database, key: CollectionKey): Promise<Due | null> {
  const collection = await readCollection(db, key);
  const order = await findOrder(db, { providerId: key.providerId, id: key.orderId });
  if (collection === null || order === null) return null;
  const { price, commission } = deferredDue(order);
  const { status, due_at } = publishedCollection(collection);
  const card = paymentMethod(cardOf(collection, order));
  return { status, amount: addClp(price, commission), commission, due_at, card };
}
