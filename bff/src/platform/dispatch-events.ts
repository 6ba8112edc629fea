import type { Clock } from "./clock.ts";
import { DatabaseUnavailable } from "./database/errors.ts";
import { type Database, inTransaction, limitLockWaits } from "./database/transaction.ts";
import { readEvents } from "./event-store.ts";
import { gather } from "./gather.ts";
import type { EventHandlers } from "./outbox.ts";
import { type ClaimedTimer, completeTimers } from "./timers/timer-store.ts";
import { LeaseLost, type TimerHandler } from "./timers/timer-worker.ts";

/** Events that one transaction tells: their subscribers write, and what they have written locks rows until all are told. */
const TOLD_TOGETHER_MAX = 20;

/**
 * How long telling waits for a row that somebody holds: all that is told with it waits too, and so does what comes after. An
 * event that cannot be told within it is told later, by itself.
 */
const LOCK_WAIT_MAX_MS = 1_000;

export interface DispatchDependencies {
  readonly db: Database;
  readonly clock: Clock;
  readonly subscriptions: EventHandlers;
}

/**
 * The handler of `dispatchKind` timers: hands the event to all its subscribers and completes the timer with them. Events
 * whose turn comes together are told in one transaction. Where that fails, each is told in one of its own, so that an event
 * whose subscriber fails holds no other up.
 */
export function createDispatchHandler(dependencies: DispatchDependencies): TimerHandler {
  const tellGathered = gather<ClaimedTimer, Told>({
    underWayMax: 1,
    itemsMax: TOLD_TOGETHER_MAX,
    run: (timers) => (timers.length === 1 ? tellTogether(dependencies, timers) : tellAll(dependencies, timers)),
  });
  return async (timer) => {
    const told = await tellGathered(timer);
    if ("error" in told) throw told.error;
    return "completed";
  };
}

type Told = { readonly isTold: true } | { readonly error: unknown };

async function tellAll(dependencies: DispatchDependencies, timers: readonly ClaimedTimer[]): Promise<Told[]> {
  try {
    return await tellTogether(dependencies, timers);
  } catch (error) {
    // Whom the database does not answer, it answers no better one by one.
    if (error instanceof DatabaseUnavailable) throw error;
    const told: Told[] = [];
    for (const timer of timers) {
      told.push(...(await tellTogether(dependencies, [timer]).catch((error: unknown) => [{ error }])));
    }
    return told;
  }
}

async function tellTogether(
  { db, clock, subscriptions }: DispatchDependencies,
  timers: readonly ClaimedTimer[],
): Promise<Told[]> {
  return inTransaction(db, async (tx) => {
    await limitLockWaits(tx, LOCK_WAIT_MAX_MS);
    const completed = await completeTimers(tx, timers, clock.now());
    const keys = timers.flatMap(({ key }) => (completed.has(key) ? [key] : []));
    const events = await readEvents(tx, keys);
    const known = keys.flatMap((key) => events.get(key) ?? []);
    if (known.length < keys.length) throw new Error("A dispatch names an event that does not exist.");
    await subscriptions.tell(tx, known);
    return timers.map(
      ({ key }): Told =>
        completed.has(key) ? { isTold: true } : { error: new LeaseLost("The timer is not this worker's any more.") },
    );
  });
}
