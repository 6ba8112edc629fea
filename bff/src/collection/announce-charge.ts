import type { OrderRecord } from "../orders/order-record.ts";
import type { Transaction } from "../platform/database/transaction.ts";
import type { Ids } from "../platform/ids.ts";
import { santiagoDay } from "../platform/santiago-time.ts";
import { type BlockedAnnouncement, covers } from "./charge/announcement.ts";
import { publishCollectionEvent } from "./collection-events.ts";
import { type CollectionKey, dueOf } from "./collection-record.ts";
import { lockCollection, writeAnnouncement, writeBlockedAnnouncement } from "./collection-store.ts";

/**
 * Announces a charge at `chargeAt` or later, by a notification. The caller has locked the collection. The charge waits
 * until the notification is stored (`collection.announced`).
 */
export async function announceCharge(
  tx: Transaction,
  { ids }: { readonly ids: Ids },
  { providerId, orderId }: CollectionKey,
  { order, chargeAt, at }: { readonly order: OrderRecord; readonly chargeAt: Date; readonly at: Date },
): Promise<void> {
  const due = dueOf(order);
  const key = { providerId, orderId };
  await writeAnnouncement(tx, key, { chargeAt, amount: due.amount, by: "notification", notifiedAt: null });
  const payload = { order_hash: orderId, due_at: chargeAt.toISOString(), ...due };
  await publishCollectionEvent(tx, ids, key, { kind: "collection.announced", payload }, at);
}

/**
 * Records that the patient is notified, in this transaction, of the charge to be made if access to the insurer stays
 * blocked. Returns false if it is too late to announce that day. The charge is then announced once it is due.
 */
export async function announceIfBlocked(
  tx: Transaction,
  { providerId, orderId }: CollectionKey,
  { chargeAt, amount, notifiedAt }: BlockedAnnouncement,
): Promise<boolean> {
  const key = { providerId, orderId };
  const announced = (await lockCollection(tx, key))?.blockedAnnouncement ?? null;
  if (announced !== null && covers(announced, { amount, at: chargeAt })) return true;
  if (santiagoDay(notifiedAt) >= santiagoDay(chargeAt)) return false;
  await writeBlockedAnnouncement(tx, key, { chargeAt, amount, notifiedAt });
  return true;
}
