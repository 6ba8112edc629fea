import { type Database, inTransaction } from "./database/transaction.ts";
import { readEvent } from "./event-store.ts";
import type { EventSubscriptions } from "./outbox.ts";
import type { TimerHandler } from "./timers/timer-worker.ts";

/** The handler of `dispatchKind` timers: hands the event to all its subscribers and completes the timer with them. */
export function createDispatchHandler({
  db,
  subscriptions,
}: {
  db: Database;
  subscriptions: EventSubscriptions;
}): TimerHandler {
  return async (timer, { finish }) => {
    await inTransaction(db, async (tx) => {
      await finish(tx);
      const event = await readEvent(tx, timer.key);
      if (event === null) throw new Error("A dispatch names an event that does not exist.");
      for (const subscriber of subscriptions.of(event.kind)) await subscriber(tx, event);
    });
    return "done";
  };
}
