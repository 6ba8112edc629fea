import { deferredDue } from "../orders/deferred-charge.ts";
import { findOrder } from "../orders/order-reads.ts";
import { inTransaction } from "../platform/database/transaction.ts";
import type { ClaimedTimer } from "../platform/timers/timer-store.ts";
import type { TimerContext, TimerOutcome } from "../platform/timers/timer-worker.ts";
import { providerNow } from "../providers/provider.ts";
import { requireProvider } from "../providers/provider-reads.ts";
import { tell } from "./collection-events.ts";
import { lockCollection } from "./collection-store.ts";
import { keyOf } from "./collection-timers.ts";
import type { CollectionDependencies } from "./dependencies.ts";
import { pullTrigger } from "./pull-trigger.ts";

/** Day 45 has come: the deferred part is due, unless something made it due before. */
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

/** Three days before day 45 the patient is told, if the deferred part is still to be charged then. */
export async function announceCharge(
  { db, clock, ids }: Pick<CollectionDependencies, "db" | "clock" | "ids">,
  timer: ClaimedTimer,
  { finish }: Pick<TimerContext, "finish">,
): Promise<TimerOutcome> {
  const key = keyOf(timer);
  await inTransaction(db, async (tx) => {
    await finish(tx);
    const collection = await lockCollection(tx, key);
    const order = await findOrder(tx, { providerId: key.providerId, id: key.orderId });
    if (collection?.state !== "scheduled" || collection.dueAt === null || collection.trigger !== null) return;
    if (order === null) return;
    const { price, commission } = deferredDue(order);
    if (price === 0) return;
    const at = providerNow(await requireProvider(tx, key.providerId), clock.now());
    const due = { due_at: collection.dueAt.toISOString(), amount: price + commission, commission };
    await tell(tx, ids, key, { kind: "collection.announced", ...due }, at);
  });
  return "done";
}
