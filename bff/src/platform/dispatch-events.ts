import { MINUTE_MS } from "../contract/vocabulary/durations.ts";
import type { Clock } from "./clock.ts";
import { DatabaseUnavailable } from "./database/errors.ts";
import { type Database, inTransaction, limitLockWaits } from "./database/transaction.ts";
import { readEvents } from "./event-store.ts";
import { gather } from "./gather.ts";
import type { EventHandlers } from "./outbox.ts";
import { type ClaimedTimer, completeAndRemoveTimers } from "./timers/timer-store.ts";
import { LeaseLost, type TimerHandler } from "./timers/timer-worker.ts";
import { currentSpan, inSpan, type Span } from "./tracing/tracing.ts";

/**
 * The maximum number of events per transaction. Rows that their subscribers write stay locked until the last one is
 * done.
 */
const DISPATCHED_TOGETHER_MAX = 20;

/**
 * How long a dispatch waits for a locked row, which delays all events of its transaction and those after them. An event
 * that takes longer is retried later in a separate transaction.
 */
const LOCK_WAIT_MAX_MS = 1_000;

/** An event of an unknown kind waits this long for a process of the later version that published it. */
const UNKNOWN_WAITS_MS = MINUTE_MS;

export interface DispatchDependencies {
  readonly db: Database;
  /** Real time. */
  readonly clock: Clock;
  readonly eventHandlers: EventHandlers;
}

/**
 * The handler of `dispatchKind` timers: passes the event to all its subscribers and completes the timer in the same
 * transaction. Events that are due together share one transaction. If it fails, each event is dispatched in its own, so
 * that a failing subscriber holds up only its own event. Events of a kind that only a later version knows are left to
 * that version's processes.
 */
export function createDispatchHandler(dependencies: DispatchDependencies): TimerHandler {
  const dispatchGathered = gather<GatheredTimer, Dispatched>({
    underWayMax: 1,
    itemsMax: DISPATCHED_TOGETHER_MAX,
    run: (timers) => (timers.length === 1 ? dispatchTogether(dependencies, timers) : dispatchAll(dependencies, timers)),
  });
  return async (timer) => {
    const dispatched = await dispatchGathered({ ...timer, span: currentSpan() });
    if ("error" in dispatched) throw dispatched.error;
    return dispatched.isDone ? "completed" : { again: new Date(dependencies.clock.now().getTime() + UNKNOWN_WAITS_MS) };
  };
}

/** A timer with its span, because work for several timers belongs to none of their spans. */
interface GatheredTimer extends ClaimedTimer {
  readonly span: Span | null;
}

type Dispatched = { readonly isDone: boolean } | { readonly error: unknown };

async function dispatchAll(
  dependencies: DispatchDependencies,
  timers: readonly GatheredTimer[],
): Promise<Dispatched[]> {
  try {
    return await dispatchTogether(dependencies, timers);
  } catch (error) {
    // If the database is unavailable, trying the events one by one would fail as well.
    if (error instanceof DatabaseUnavailable) throw error;
    const dispatched: Dispatched[] = [];
    for (const timer of timers) {
      dispatched.push(...(await dispatchTogether(dependencies, [timer]).catch((error: unknown) => [{ error }])));
    }
    return dispatched;
  }
}

async function dispatchTogether(
  { db, eventHandlers }: DispatchDependencies,
  timers: readonly GatheredTimer[],
): Promise<Dispatched[]> {
  return inTransaction(db, async (tx) => {
    await limitLockWaits(tx, LOCK_WAIT_MAX_MS);
    const allKeys = timers.map(({ key }) => key);
    const events = await readEvents(tx, allKeys);
    const unknown = new Set([...events.values()].flatMap((event) => (eventHandlers.knows(event) ? [] : [event.id])));
    // The event keeps its id and is dispatched only once, so its timer need not keep the key.
    const completed = await completeAndRemoveTimers(
      tx,
      timers.filter(({ key }) => !unknown.has(key)),
    );
    const keys = allKeys.filter((key) => completed.has(key));
    const known = keys.flatMap((key) => events.get(key) ?? []);
    if (known.length < keys.length) throw new Error("A dispatch names an event that does not exist.");
    const spans = new Map(timers.map(({ key, span }) => [key, span]));
    await eventHandlers.dispatch(tx, known, (eventId, run) => inSpan(spans.get(eventId) ?? null, run));
    return allKeys.map(
      (key): Dispatched =>
        completed.has(key) || unknown.has(key)
          ? { isDone: !unknown.has(key) }
          : { error: new LeaseLost("The timer's lease belongs to another worker.") },
    );
  });
}
