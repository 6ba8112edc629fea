import type { Transaction } from "../../platform/database/transaction.ts";
import type { OrderRecord } from "../orders/order-record.ts";
import { requireOrder } from "../orders/order-store.ts";
import { writeTrusted } from "./identity-store.ts";

/** An earlier match of the registry counts for this order, because its patient was recognised. Returns the order. */
export async function trustIdentity(tx: Transaction, order: OrderRecord, at: Date): Promise<OrderRecord> {
  return (await writeTrusted(tx, order, at)) ?? requireOrder(tx, order);
}
