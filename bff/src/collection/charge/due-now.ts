import type { Due } from "../../contract/self-service-links.ts";
import { addClp, type Clp } from "../../contract/vocabulary/clp.ts";
import { findOrder } from "../../orders/orders/order-reads.ts";
import { collectableRest, type OrderRecord } from "../../orders/orders/order-record.ts";
import { paymentMethod } from "../../orders/orders/order-view.ts";
import type { Database } from "../../platform/database/transaction.ts";
import { hasEnded, publishedCollection } from "../collection.ts";
import { type CollectionKey, cardOf, dueOf } from "../collection-record.ts";
import { readCollection } from "../collection-store.ts";
import { isChargeable } from "./read-early-payment.ts";

/** What a charge of the deferred part would take now, and from which card; `null` if the order was never paid. */
export async function dueNow(db: Database, key: CollectionKey): Promise<Due | null> {
  const collection = await readCollection(db, key);
  const order = await findOrder(db, { providerId: key.providerId, orderId: key.orderId });
  if (collection === null || order === null) return null;
  const { status, due_at, reason } = publishedCollection(collection);
  const card = paymentMethod(cardOf(collection, order));
  return { status, ...dueOf(order), due_at, reason, card };
}

/**
 * What a link to pay early or to change the card would apply to; `null` if the link could do nothing, for example
 * because nothing is left to charge.
 */
export async function dueByLink(
  db: Database,
  key: CollectionKey,
  purpose: "pay_early" | "card_change",
): Promise<Due | null> {
  const collection = await readCollection(db, key);
  const order = await findOrder(db, { providerId: key.providerId, orderId: key.orderId });
  if (collection === null || order === null || hasEnded(collection) || collectableRest(order) === 0) return null;
  if (purpose === "pay_early" && !(await isChargeable(db, collection, order))) return null;
  return dueNow(db, key);
}

/**
 * What is still to be charged of an order, commission included; 0 before it is paid and after its collection was given
 * up for good. A charge in progress counts as owed until it is captured, because it may be declined and tried again.
 */
export function owedNow(order: OrderRecord): Clp {
  const { amount } = dueOf(order);
  const underWay = order.payments.find(({ kind, status }) => kind === "deferred" && status === "processing");
  return underWay === undefined ? amount : addClp(amount, underWay.amount);
}
