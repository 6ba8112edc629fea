import type { RawBuilder } from "kysely";
import type { OrderId } from "../../contract/vocabulary/identifiers.ts";
import type { ReadColumn } from "../../platform/database/read-column.ts";
import type { Database, StatementPart, Transaction } from "../../platform/database/transaction.ts";
import { refundedOrderKeys } from "./order-keys-store.ts";
import type { OrderRecord } from "./order-record.ts";
import { lockOrder, type OrderKey, orderColumn, orderOfCaller, readOrder } from "./order-store.ts";

/**
 * The provider's own order with its payments and refunds, for other features; `null` where the provider has none with this
 * hash. What it says is decided by the functions of `order.ts`, `order-record.ts` and `order-view.ts`.
 */
export function findOrder(db: Database, key: OrderKey): Promise<OrderRecord | null> {
  return readOrder(db, key);
}

/** The caller's own order, for the statement that admits a request about it; none for what is no hash. */
export function callersOrder(id: OrderId | null): ReadColumn<OrderRecord> {
  return orderOfCaller(id);
}

/**
 * An order, after locking it against any other writer to the end of the transaction. Payments, refunds and the
 * collection all take this lock first, before anything else of the order, so that none of them crosses another.
 */
export function holdOrder(tx: Transaction, key: OrderKey): Promise<OrderRecord> {
  return lockOrder(tx, key);
}

/** An order for a statement of another feature, which names it. */
export function namedOrder(key: {
  readonly providerId: StatementPart;
  readonly id: StatementPart;
}): ReadColumn<OrderRecord> {
  return orderColumn(key);
}

/** Orders that were refunded in full, for a statement of another feature: `provider_id, id, updated_at`. */
export function refundedOrders(): RawBuilder<unknown> {
  return refundedOrderKeys;
}
