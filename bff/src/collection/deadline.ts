import { HOUR_MS } from "../contract/vocabulary/durations.ts";
import { lockOrder } from "../orders/order-reads.ts";
import { collectableRest, type OrderRecord } from "../orders/order-record.ts";
import { inTransaction } from "../platform/database/transaction.ts";
import { providerNow } from "../platform/provider.ts";
import type { ClaimedTimer } from "../platform/timers/timer-store.ts";
import type { TimerContext, TimerOutcome } from "../platform/timers/timer-worker.ts";
import { requireProvider } from "../tenants/providers.ts";
import { announcedDay45, type CollectionRecord, hasEnded, isMandateRevoked, isOver } from "./collection.ts";
import { requireCollection } from "./collection-store.ts";
import { keyOf } from "./collection-timers.ts";
import type { CollectionDependencies } from "./dependencies.ts";
import { announceCharge, isPatientBlocked, pullTrigger } from "./trigger-charge.ts";

/** Makes the deferred part due on day 45, unless another trigger already did. */
export async function reachDeadline(
  { db, clock }: Pick<CollectionDependencies, "db" | "clock">,
  timer: ClaimedTimer,
  { finish }: Pick<TimerContext, "finish">,
): Promise<TimerOutcome> {
  const key = keyOf(timer);
  await inTransaction(db, async (tx) => {
    await finish(tx);
    const provider = await requireProvider(tx, key.providerId);
    const at = providerNow(provider, clock.now());
    await pullTrigger(tx, key, { reason: "day_45", at, evidence: { timer_due_at: timer.dueAt.toISOString() } });
  });
  return "done";
}

/** Delay before retrying an announcement that cannot be made yet. */
const ANNOUNCE_AGAIN_MS = HOUR_MS;

/**
 * Announces the charge of day 45 to the patient three days before, if the deferred part will still be charged then.
 * Checks again later while that is unknown: during a chargeback, during a charge, while a refund of the
 * whole rest may still fail, or while the patient's data is blocked.
 */
export async function announceDeadline(
  { db, clock, ids }: Pick<CollectionDependencies, "db" | "clock" | "ids">,
  timer: ClaimedTimer,
  { finish }: Pick<TimerContext, "finish">,
): Promise<TimerOutcome> {
  const key = keyOf(timer);
  return inTransaction(db, async (tx) => {
    const order = await lockOrder(tx, { providerId: key.providerId, orderId: key.orderId });
    const collection = await requireCollection(tx, key);
    const at = providerNow(await requireProvider(tx, key.providerId), clock.now());
    const wanted = announcementNow(collection, order, await isPatientBlocked(tx, order));
    if (wanted === "now")
      await announceCharge(tx, { ids }, key, { order, chargeAt: announcedDay45(collection.paidAt, at), at });
    const outcome: TimerOutcome =
      wanted === "later" ? { again: new Date(clock.now().getTime() + ANNOUNCE_AGAIN_MS) } : "done";
    await finish(tx, outcome);
    return outcome;
  });
}

/** Whether a due announcement of a charge of day 45 is made now, later or never. */
function announcementNow(
  collection: CollectionRecord,
  order: OrderRecord,
  isBlocked: boolean,
): "now" | "later" | "never" {
  if (hasEnded(collection) || collection.trigger !== null || collection.announcement !== null || isOver(order))
    return "never";
  if (isMandateRevoked(collection, order)) return "never";
  return collection.state !== "scheduled" || collectableRest(order) === 0 || isBlocked ? "later" : "now";
}
