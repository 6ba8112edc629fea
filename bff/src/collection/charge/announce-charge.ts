import { addClp } from "../../contract/vocabulary/clp.ts";
import { deferredDue } from "../../orders/orders/later-charge.ts";
import type { OrderRecord } from "../../orders/orders/order-record.ts";
import type { Transaction } from "../../platform/database/transaction.ts";
import type { Ids } from "../../platform/ids.ts";
import { publishCollectionEvent } from "../collection-events.ts";
import type { CollectionKey } from "../collection-record.ts";
import { writeAnnounced } from "../collection-store.ts";

/**
 * Notifies the patient of the charge that will be made at `dueAt` and not earlier. The caller has locked the
 * collection, which must not be announced yet.
 */
export async function announceCharge(
  tx: Transaction,
  { ids }: { readonly ids: Ids },
  { providerId, orderId }: CollectionKey,
  { order, dueAt, at }: { readonly order: OrderRecord; readonly dueAt: Date; readonly at: Date },
): Promise<void> {
  const { price, commission } = deferredDue(order);
  const key = { providerId, orderId };
  const charge = { order_hash: orderId, due_at: dueAt.toISOString(), amount: addClp(price, commission), commission };
  await writeAnnounced(tx, key, dueAt);
  await publishCollectionEvent(tx, ids, key, { kind: "collection.announced", payload: charge }, at);
}
