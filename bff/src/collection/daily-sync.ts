import { DAY_MS, HOUR_MS } from "../contract/vocabulary/durations.ts";
import type { CardProcessor, ProcessorMovement } from "../gateways/card-processor/port.ts";
import { findOrder } from "../orders/orders/order-reads.ts";
import { inTransaction, type Transaction } from "../platform/database/transaction.ts";
import { type Provider, providerNow, realMoment } from "../platform/provider.ts";
import { addCalendarDays, santiagoDay, santiagoMoment } from "../platform/santiago-time.ts";
import { type ClaimedTimer, type NewTimer, scheduleTimers } from "../platform/timers/timer-store.ts";
import type { TimerOutcome } from "../platform/timers/timer-worker.ts";
import { requireProvider } from "../tenants/provider-reads.ts";
import { type Chargeback, insertChargeback } from "./chargeback-store.ts";
import { lockCollection, selectOverdue, updateCollection } from "./collection-store.ts";
import { chargeTimer, DEADLINE_TIMER, orderTimer } from "./collection-timers.ts";
import type { CollectionDependencies } from "./dependencies.ts";

/** An hour before charges begin, so that a chargeback of the night stops the charge of the morning where the list can be had. */
const SYNC_HOUR = 8;
/** The processor's list is read this far back again: a line may come into it late, and with the day on which the bank wrote it. */
const OVERLAP_MS = 14 * DAY_MS;
/**
 * The first look goes back this far: the payment that it began with may have been heard of long after others were made, and
 * those charged back since. Longer than a patient's bank gives to object.
 */
const FIRST_SYNC_MS = 120 * DAY_MS;
/** A collection that should have been woken this long ago has lost its timer, or its timer is late. */
const OVERDUE_AFTER_MS = HOUR_MS;
const OVERDUE_MAX = 1_000;

/** When the next look is due after a moment. */
export function nextDailySync(after: Date): Date {
  const today = santiagoMoment(santiagoDay(after), SYNC_HOUR);
  return today > after ? today : santiagoMoment(addCalendarDays(santiagoDay(after), 1), SYNC_HOUR);
}

/**
 * Once a day for each provider: asks the processor for chargebacks, which stop a collection until a person has looked at it,
 * and derives from the collections themselves which of them should have been woken by now.
 */
export async function syncDaily(
  dependencies: Pick<CollectionDependencies, "db" | "clock" | "cardProcessor">,
  timer: ClaimedTimer,
): Promise<TimerOutcome> {
  const { db, clock, cardProcessor } = dependencies;
  const provider = await requireProvider(db, timer.providerId);
  const now = providerNow(provider, clock.now());
  await wakeOverdue(dependencies, provider, now);
  const since = readSince(timer);
  for (const chargeback of await listChargebacks(cardProcessor, provider.id, since, now)) {
    await inTransaction(db, (tx) => noteChargeback(tx, chargeback, now));
  }
  const again = realMoment(provider, nextDailySync(now));
  return { again, payload: { since: new Date(now.getTime() - OVERLAP_MS).toISOString() } };
}

function readSince({ payload, dueAt }: ClaimedTimer): Date {
  const since = typeof payload === "object" && payload !== null && "since" in payload ? payload.since : null;
  return typeof since === "string" ? new Date(since) : new Date(dueAt.getTime() - FIRST_SYNC_MS);
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
  const { id, orderId, chargeId, amount, at } = movement;
  return { providerId, id, orderId, chargeId, amount, at };
}

/**
 * The processor tells that a patient's bank has taken money back: nothing more is charged until a person has looked at it.
 * A charge that is under way comes to its end first. Says whether it was new; one of an unknown order is left to the
 * reconciliation, which names it.
 */
export async function noteChargeback(tx: Transaction, chargeback: Chargeback, at: Date): Promise<boolean> {
  const { providerId, orderId } = chargeback;
  if ((await findOrder(tx, { providerId, orderId })) === null) return false;
  const collection = await lockCollection(tx, chargeback);
  if (!(await insertChargeback(tx, chargeback, at))) return false;
  if (collection?.state === "scheduled")
    await updateCollection(tx, { providerId, orderId }, { state: "stopped", dueAt: null, failure: "chargeback" }, at);
  return true;
}

/** What nothing woke is woken now; a timer too many does no harm. */
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
