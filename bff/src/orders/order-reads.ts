/* Reads of orders for other features. */

import type { RawBuilder } from "kysely";
import type { OrderId } from "../contract/vocabulary/identifiers.ts";
import type { ReadColumn } from "../platform/database/read-column.ts";
import type { Database, StatementPart, Transaction } from "../platform/database/transaction.ts";
import type { RequestSubject } from "../platform/http/route.ts";
import { parseTraceparent } from "../platform/tracing/traceparent.ts";
import { partlyRefundedOrderKeys, refundedOrderKeys, selectReferences } from "./order-keys-store.ts";
import type { OrderRecord } from "./order-record.ts";
import { lockOrder, type OrderKey, orderColumn, orderOfCaller, readOrder } from "./order-store.ts";

/**
 * The provider's own order with its payments and refunds; `null` if the provider has none with this hash. Use the
 * functions of `order.ts`, `order-record.ts` and `order-view.ts` to interpret it.
 */
export function findOrder(db: Database, key: OrderKey): Promise<OrderRecord | null> {
  return readOrder(db, key);
}

/** The caller's own order as a column of the statement that authorises a request; null if `id` is null. */
export function callersOrder(id: OrderId | null): ReadColumn<OrderRecord> {
  return orderOfCaller(id);
}

/** What the log lines of a request about an order name, and the trace to which it belongs unless its caller names another. */
export function aboutOrder({ orderId, traceparent }: Pick<OrderRecord, "orderId" | "traceparent">): RequestSubject {
  return { subject: { order_id: orderId }, trace: parseTraceparent(traceparent) };
}

/**
 * Locks an order until the end of the transaction and reads it. Payments, refunds and the collection all take this lock
 * before any other row of the order, so that they cannot interleave or deadlock.
 */
export function holdOrder(tx: Transaction, key: OrderKey): Promise<OrderRecord> {
  return lockOrder(tx, key);
}

/** An order as a column of another feature's statement, for a row that refers to it. */
export function namedOrder(key: {
  readonly providerId: StatementPart;
  readonly id: StatementPart;
}): ReadColumn<OrderRecord> {
  return orderColumn(key);
}

/** Fully refunded orders as SQL for another feature's statement: `provider_id, id, updated_at`. */
export function refundedOrders(): RawBuilder<unknown> {
  return refundedOrderKeys;
}

/** Orders of which a part was refunded as SQL for another feature's statement: `provider_id, id, refunded, updated_at`. */
export function partlyRefundedOrders(): RawBuilder<unknown> {
  return partlyRefundedOrderKeys;
}

/** The partner's own ids of some of its orders. */
export function orderReferences(
  db: Database,
  asked: { readonly providerId: string; readonly orderIds: readonly OrderId[] },
): Promise<ReadonlyMap<OrderId, string>> {
  return selectReferences(db, asked);
}
