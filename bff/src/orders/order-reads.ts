import type { Database } from "../platform/database/transaction.ts";
import type { OrderRecord } from "./order-record.ts";
import { type OrderKey, readOrder } from "./order-store.ts";

/**
 * The provider's own order with its payments and refunds, for other features; `null` where the provider has none with this
 * hash. What it says is decided by the functions of `order.ts`, `order-record.ts` and `order-view.ts`.
 */
export function findOrder(db: Database, key: OrderKey): Promise<OrderRecord | null> {
  return readOrder(db, key);
}
