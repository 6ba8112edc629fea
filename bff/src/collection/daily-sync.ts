import * as z from "zod/mini";
import { DAY_MS, HOUR_MS } from "../contract/vocabulary/durations.ts";
import type { CardProcessor, ProcessorMovement } from "../gateways/card-processor.ts";
import { recordDisputes } from "../orders/deferred-charge.ts";
import { findOrder, lockOrder } from "../orders/order-reads.ts";
import { inTransaction, type Transaction } from "../platform/database/transaction.ts";
import type { Ids } from "../platform/ids.ts";
import { type Provider, providerNow, realMoment } from "../platform/provider.ts";
import { addCalendarDays, type CalendarDay, santiagoDay, santiagoMoment } from "../platform/santiago-time.ts";
import { spreadFrom } from "../platform/spread.ts";
import { type ClaimedTimer, type NewTimer, scheduleTimers } from "../platform/timers/timer-store.ts";
import type { TimerOutcome } from "../platform/timers/timer-worker.ts";
import { requireProvider } from "../tenants/providers.ts";
import { type Chargeback, insertChargeback, selectDisputed } from "./chargeback-store.ts";
import type { CollectionKey } from "./collection.ts";
import { publishCollectionEvent } from "./collection-events.ts";
import { lockCollection, selectOverdue, updateCollection } from "./collection-store.ts";
import { chargeTimer, DEADLINE_TIMER, orderTimer } from "./collection-timers.ts";
import type { CollectionDependencies } from "./dependencies.ts";

/**
 * Records on an order's charges the amount that the patient's bank has taken back so far. Call it when a chargeback is
 * recorded or ends, and when a charge becomes known, because its chargeback may be known first. The caller has locked
 * the order.
 */
export async function recordOrdersDisputes(
  tx: Transaction,
  { providerId, orderId }: CollectionKey,
  at: Date,
): Promise<void> {
  const key = { providerId, orderId };
  await recordDisputes(tx, key, await selectDisputed(tx, key), at);
}

/**
 * Syncs are spread by provider over the hour before charges begin, so that a chargeback reported overnight stops that
 * morning's charge, if the processor's list is available.
 */
const SYNC_HOUR = 8;
/** How far back the processor's list is read again. An entry may appear late, with the date of the bank's action. */
const OVERLAP_MS = 14 * DAY_MS;
/**
 * How far back the first sync reads. Payments may have been made, and charged back, long before the event that started
 * the first sync was processed. Longer than the period in which a patient's bank may object.
 */
const FIRST_SYNC_MS = 120 * DAY_MS;
/** A collection that is overdue by this much has lost its timer, or its timer is late. */
const OVERDUE_AFTER_MS = HOUR_MS;
const OVERDUE_MAX = 1_000;

/** When the next sync of a provider is due after a moment. */
export function nextDailySync(after: Date, providerId: string): Date {
  const syncOf = (day: CalendarDay) => spreadFrom(santiagoMoment(day, SYNC_HOUR), providerId);
  const today = syncOf(santiagoDay(after));
  return today > after ? today : syncOf(addCalendarDays(santiagoDay(after), 1));
}

/**
 * Runs once a day for each provider: reads the processor's chargebacks, which stop a collection until an operator has
 * handled them, and wakes overdue collections.
 */
export async function syncDaily(
  dependencies: Pick<CollectionDependencies, "db" | "clock" | "ids" | "cardProcessor">,
  timer: ClaimedTimer,
): Promise<TimerOutcome> {
  const { db, clock, ids, cardProcessor } = dependencies;
  const provider = await requireProvider(db, timer.providerId);
  const now = providerNow(provider, clock.now());
  await wakeOverdue(dependencies, provider, now);
  const since = readSince(timer);
  for (const chargeback of await listChargebacks(cardProcessor, provider.id, since, now)) {
    await inTransaction(db, (tx) => noteChargeback(tx, ids, chargeback, now));
  }
  const again = realMoment(provider, nextDailySync(now, provider.id));
  return { again, payload: { since: new Date(now.getTime() - OVERLAP_MS).toISOString() } };
}

const payloadSchema = z.object({ since: z.optional(z.string()) });

function readSince({ payload, dueAt }: ClaimedTimer): Date {
  const { since } = payloadSchema.parse(payload);
  return new Date(since ?? dueAt.getTime() - FIRST_SYNC_MS);
}

async function listChargebacks(
  cardProcessor: CardProcessor,
  providerId: string,
  from: Date,
  to: Date,
): Promise<Chargeback[]> {
  const movements = await cardProcessor.listMovements(providerId, from, to);
  return movements.filter(({ kind }) => kind === "chargeback").map((movement) => asChargeback(providerId, movement));
}

function asChargeback(providerId: string, movement: ProcessorMovement): Chargeback {
  const { id, orderHash: orderId, chargeId, amount, at } = movement;
  return { providerId, id, orderId, chargeId, amount, at };
}

/**
 * Stores a chargeback reported by the processor. Nothing more is charged until an operator has handled it, but a charge
 * in progress is finished first. Returns whether it was new. Ignores a chargeback of an unknown order, which the
 * reconciliation reports.
 */
export async function noteChargeback(tx: Transaction, ids: Ids, chargeback: Chargeback, at: Date): Promise<boolean> {
  const { providerId, orderId } = chargeback;
  if ((await findOrder(tx, { providerId, orderId })) === null) return false;
  await lockOrder(tx, { providerId, orderId });
  const collection = await lockCollection(tx, chargeback);
  const isNew = await insertChargeback(tx, chargeback, at);
  // Even if it is known: a process of an earlier version, which recorded no disputes, may have stored it.
  await recordOrdersDisputes(tx, chargeback, at);
  if (!isNew) return false;
  const payload = { order_hash: orderId, chargeback_id: chargeback.id, amount: chargeback.amount };
  await publishCollectionEvent(tx, ids, { providerId, orderId }, { kind: "collection.disputed", payload }, at);
  if (collection?.state === "scheduled")
    await updateCollection(tx, { providerId, orderId }, { state: "stopped", dueAt: null, failure: "chargeback" }, at);
  return true;
}

/** Schedules timers for overdue collections. A superfluous timer is harmless. */
async function wakeOverdue({ db }: Pick<CollectionDependencies, "db">, provider: Provider, now: Date): Promise<void> {
  const dueBefore = new Date(now.getTime() - OVERDUE_AFTER_MS);
  const forgotten = await selectOverdue(db, { providerId: provider.id, dueBefore, limit: OVERDUE_MAX });
  const again = (timer: NewTimer): NewTimer => ({ ...timer, key: `${timer.key}:${santiagoDay(now)}` });
  await scheduleTimers(
    db,
    forgotten.map((collection) =>
      again(
        collection.isTriggered
          ? chargeTimer(provider, collection, now)
          : orderTimer(DEADLINE_TIMER, provider, collection, now),
      ),
    ),
  );
}
