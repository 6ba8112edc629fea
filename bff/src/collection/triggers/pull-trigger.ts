import type { Transaction } from "../../platform/database/transaction.ts";
import { scheduleTimer } from "../../platform/timers/timer-store.ts";
import { requireProvider } from "../../tenants/provider-reads.ts";
import { chargeMoment, type Trigger, takesTrigger } from "../collection.ts";
import type { CollectionKey } from "../collection-record.ts";
import { insertTrigger, lockCollection, updateCollection } from "../collection-store.ts";
import { chargeTimer } from "../collection-timers.ts";

/**
 * Makes the deferred part due, if nothing has before: of several triggers, at once or years apart, the first to be written
 * wins, with its evidence. Says whether a charge follows from it, at once or at 09:00; none does where a person looks at a
 * chargeback first, or where one is under way that the patient asked for.
 */
export async function pullTrigger(tx: Transaction, key: CollectionKey, trigger: Trigger): Promise<boolean> {
  const collection = await lockCollection(tx, key);
  if (collection === null || !takesTrigger(collection)) return false;
  if (!(await insertTrigger(tx, key, trigger))) return false;
  const dueAt = chargeMoment(trigger.at);
  // While a charge is under way, or a person looks at it, that comes to its end first.
  if (collection.state === "scheduled")
    await updateCollection(tx, key, { state: "scheduled", dueAt, failure: null }, trigger.at);
  await scheduleTimer(tx, chargeTimer(await requireProvider(tx, key.providerId), collection, dueAt));
  return collection.state === "scheduled";
}
