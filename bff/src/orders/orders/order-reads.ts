import type { RawBuilder } from "kysely";
import type { ColumnBeside, Database, Transaction } from "../../platform/database/transaction.ts";
import type { LoadedAtOnce, LoadedBeside } from "../../platform/http/route.ts";
import { refundedOrderKeys } from "./order-keys-store.ts";
import type { OrderRecord } from "./order-record.ts";
import { lockOrder, type OrderKey, orderBeside, readOrder, readOrderAtOnce } from "./order-store.ts";

/**
 * The provider's own order with its payments and refunds, for other features; `null` where the provider has none with this
 * hash. What it says is decided by the functions of `order.ts`, `order-record.ts` and `order-view.ts`.
 */
export function findOrder(db: Database, key: OrderKey): Promise<OrderRecord | null> {
  return readOrder(db, key);
}

/** The same for a request that is let in by the same statement; `null` also where the caller is not any more who it was. */
export function findOrderAtOnce(
  db: Database,
  key: OrderKey,
  beside: LoadedBeside,
): Promise<LoadedAtOnce<OrderRecord> | null> {
  return readOrderAtOnce(db, key, beside);
}

/**
 * The same, after locking the order against any other writer to the end of the transaction. Payments, refunds and the
 * collection all take this lock first, before anything else of the order, so that none of them crosses another.
 */
export function holdOrder(tx: Transaction, key: OrderKey): Promise<OrderRecord> {
  return lockOrder(tx, key);
}

/** The provider's own order, for a statement of another feature about something that names it. */
export function orderNamedBeside(): ColumnBeside<"providerId" | "id", OrderRecord> {
  return orderBeside;
}

/** Orders that were refunded in full, for a statement of another feature: `provider_id, id, updated_at`. */
export function refundedOrders(): RawBuilder<unknown> {
  return refundedOrderKeys;
}
