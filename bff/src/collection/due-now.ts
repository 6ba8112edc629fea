import type { Due } from "../contract/patient-links.ts";
import { addClp, type Clp } from "../contract/vocabulary/clp.ts";
import { findOrder } from "../orders/order-reads.ts";
import type { OrderRecord } from "../orders/order-record.ts";
import { paymentMethod } from "../orders/order-view.ts";
import type { Database } from "../platform/database/transaction.ts";
import { publishedCollection } from "./collection.ts";
import { type CollectionKey, dueOf } from "./collection-record.ts";
import { readCollection } from "./collection-store.ts";
import { cardOf } from "./settle-charge.ts";

/** What one charge of the deferred part would take now, and from which card; `null` where the order was never paid. */
export async function dueNow(db: Database, key: CollectionKey): Promise<Due | null> {
  const collection = await readCollection(db, key);
  const order = await findOrder(db, { providerId: key.providerId, id: key.orderId });
  if (collection === null || order === null) return null;
  const { status, due_at, reason } = publishedCollection(collection);
  const card = paymentMethod(cardOf(collection, order));
  return { status, ...dueOf(order, collection), due_at, reason, card };
}

/**
 * What is still to be charged of an order, commission included: nothing before it is paid, and once it was given up for good. A
 * charge that is under way is owed until it is known to be captured: it may be declined, and tried again.
 */
export async function owedNow(db: Database, order: OrderRecord): Promise<Clp> {
  const { amount } = dueOf(order, await readCollection(db, { providerId: order.providerId, orderId: order.id }));
  const underWay = order.payments.find(({ kind, status }) => kind === "deferred" && status === "processing");
  return underWay === undefined ? amount : addClp(amount, underWay.amount);
}
