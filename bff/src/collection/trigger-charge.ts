import { findOrder } from "../orders/order-reads.ts";
import type { OrderRecord } from "../orders/order-record.ts";
import { tenantOf } from "../patients/beneficiary.ts";
import { isRutBlocked } from "../patients/blocked.ts";
import type { Database, Transaction } from "../platform/database/transaction.ts";
import type { Ids } from "../platform/ids.ts";
import { santiagoDay } from "../platform/santiago-time.ts";
import { scheduleTimer } from "../platform/timers/timer-store.ts";
import { requireProvider } from "../tenants/providers.ts";
import { type BlockedAnnouncement, type ChargeAnnouncement, covers } from "./charge/announcement.ts";
import {
  acceptsTrigger,
  type CollectionKey,
  type CollectionRecord,
  chargeMoment,
  dueOf,
  isMandateRevoked,
  type Trigger,
} from "./collection.ts";
import { publishCollectionEvent } from "./collection-events.ts";
import {
  insertTrigger,
  lockCollection,
  updateCollection,
  writeAnnouncement,
  writeBlockedAnnouncement,
} from "./collection-store.ts";
import { chargeTimer } from "./collection-timers.ts";

/**
 * Makes the deferred part due, unless another trigger already did; the first trigger is stored with its evidence.
 * Returns true if a charge follows, at once or at 09:00, and the caller must notify the patient in this transaction.
 * False while a chargeback waits for an operator, a requested charge is in progress, a refund claims everything, or the
 * mandate is revoked.
 */
export async function pullTrigger(tx: Transaction, key: CollectionKey, trigger: Trigger): Promise<boolean> {
  const collection = await lockCollection(tx, key);
  if (collection === null || !acceptsTrigger(collection)) return false;
  if (!(await insertTrigger(tx, key, trigger))) return false;
  const dueAt = chargeMoment(trigger.at);
  // A charge in progress or a chargeback must end before the trigger changes the collection's status.
  const isScheduled = collection.state === "scheduled";
  if (isScheduled) await updateCollection(tx, key, { state: "scheduled", dueAt, failure: null }, trigger.at);
  await scheduleTimer(tx, chargeTimer(await requireProvider(tx, key.providerId), collection, dueAt));
  const order = await findOrder(tx, key);
  if (!isScheduled || order === null || isMandateRevoked(collection, order)) return false;
  // While the patient's data is blocked, no charge is announced.
  const isBlocked = await isPatientBlocked(tx, order);
  const announcement = isBlocked ? null : announcementBy(trigger, { collection, order, dueAt });
  if (announcement !== null) await writeAnnouncement(tx, key, announcement);
  return dueOf(order).amount > 0;
}

/**
 * How the charge of a trigger is announced: an approval in the same transaction, blocked access with the charge that it
 * leads to. Null if there is no new announcement.
 */
function announcementBy(
  { reason, at }: Trigger,
  {
    collection,
    order,
    dueAt,
  }: { readonly collection: CollectionRecord; readonly order: OrderRecord; readonly dueAt: Date },
): ChargeAnnouncement | null {
  const { amount } = dueOf(order);
  if (amount === 0) return null;
  if (reason === "approved") return { chargeAt: dueAt, amount, by: "approval", notifiedAt: at };
  const announced = reason === "access_blocked" ? collection.blockedAnnouncement : null;
  if (announced === null || !covers(announced, { amount, at: dueAt })) return null;
  return { ...announced, by: "notification" };
}

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

/** While a patient's data is blocked, the mandate is not used. The patient may still pay. */
export async function isPatientBlocked(db: Database, { providerId, customer }: OrderRecord): Promise<boolean> {
  return isRutBlocked(db, { tenant: tenantOf(await requireProvider(db, providerId)), rut: customer.rut });
}
