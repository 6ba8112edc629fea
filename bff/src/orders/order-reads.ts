import type { Database, Transaction } from "../platform/database/transaction.ts";
import type { OrderRecord } from "./order-record.ts";
import { lockOrder, type OrderKey, readOrder } from "./order-store.ts";

/**
 * The provider's own order with its payments and refunds, for other features; `null` where the provider has none with this
 * hash. What it says is decided by the functions of `order.ts`, `order-record.ts` and `order-view.ts`.
 */
export function findOrder(db: Database, key: OrderKey): Promise<OrderRecord | null> {
  return readOrder(db, key);
}

/**
 * The same, after locking the order against any other writer to the end of the transaction. Payments, refunds and the
 * collection all take this lock first, before anything else of the order, so that none of them crosses another.
 */
export function holdOrder(tx: Transaction, key: OrderKey): Promise<OrderRecord> {
  return lockOrder(tx, key);
}
