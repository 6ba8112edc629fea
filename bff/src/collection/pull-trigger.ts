import { findOrder } from "../orders/order-reads.ts";
import type { OrderRecord } from "../orders/order-record.ts";
import type { Transaction } from "../platform/database/transaction.ts";
import { scheduleTimer } from "../platform/timers/timer-store.ts";
import { requireProvider } from "../tenants/providers.ts";
import { type ChargeAnnouncement, covers } from "./charge/announcement.ts";
import { isPatientBlocked } from "./charge/collection-status.ts";
import { acceptsTrigger, chargeMoment, type Trigger } from "./collection.ts";
import { type CollectionKey, type CollectionRecord, dueOf, isMandateRevoked } from "./collection-record.ts";
import { insertTrigger, lockCollection, updateCollection, writeAnnouncement } from "./collection-store.ts";
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
