/* The triggers that make the deferred part due, and the start and cancellation of a collection. */

import { findOrder } from "../../orders/orders/order-reads.ts";
import type { Transaction } from "../../platform/database/transaction.ts";
import { scheduleTimer } from "../../platform/timers/timer-store.ts";
import { requireProvider } from "../../tenants/provider-reads.ts";
import { chargeMoment, type Trigger, takesTrigger } from "../collection.ts";
import { type CollectionKey, isMandateRevoked } from "../collection-record.ts";
import { insertTrigger, lockCollection, updateCollection } from "../collection-store.ts";
import { chargeTimer } from "../collection-timers.ts";

/**
 * Makes the deferred part due unless another trigger did so before; the first trigger to be stored is kept with its
 * evidence. Returns whether this leads to a charge, at once or at 09:00. It does not while a chargeback waits for an
 * operator, a charge that the patient asked for is in progress, or the mandate is revoked.
 */
export async function pullTrigger(tx: Transaction, key: CollectionKey, trigger: Trigger): Promise<boolean> {
  const collection = await lockCollection(tx, key);
  if (collection === null || !takesTrigger(collection)) return false;
  if (!(await insertTrigger(tx, key, trigger))) return false;
  const dueAt = chargeMoment(trigger.at);
  // A charge in progress or a chargeback must be finished before the trigger changes the collection's standing.
  if (collection.state === "scheduled")
    await updateCollection(tx, key, { state: "scheduled", dueAt, failure: null }, trigger.at);
  await scheduleTimer(tx, chargeTimer(await requireProvider(tx, key.providerId), collection, dueAt));
  const order = await findOrder(tx, key);
  return collection.state === "scheduled" && order !== null && !isMandateRevoked(collection, order);
}
