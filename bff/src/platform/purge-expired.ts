import { DAY_MS } from "../contract/vocabulary/durations.ts";
import type { Clock } from "./clock.ts";
import type { Database } from "./database/transaction.ts";
import { removeExpiredSlots } from "./http/idempotency-store.ts";
import { removeEndedWindows } from "./http/rate-limit-store.ts";
import { dispatchKind } from "./outbox.ts";
import { removeDoneTimers } from "./timers/timer-store.ts";

/** How long a done timer prevents another one with its key; longer than anything is retried. */
const timersKeptMs = 180 * DAY_MS;

/** An event is published and dispatched only once under its own id, so its timer need not be kept for long. */
const dispatchesKeptMs = DAY_MS;

/** The most rows that one statement removes, so that it blocks other statements only briefly. */
const batchMax = 5_000;

/** Removes rows that the platform's tables no longer need. Any process may call it at any time; once an hour is enough. */
export async function purgeExpired({ db, clock }: { db: Database; clock: Clock }): Promise<{ count: number }> {
  const now = clock.now().getTime();
  const limit = batchMax;
  const removers = [
    () => removeDoneTimers(db, { kinds: [dispatchKind], before: new Date(now - dispatchesKeptMs), limit }),
    () => removeDoneTimers(db, { kinds: "all", before: new Date(now - timersKeptMs), limit }),
    () => removeExpiredSlots(db, { before: new Date(now), limit }),
    () => removeEndedWindows(db, { before: new Date(now), limit }),
  ];
  let count = 0;
  for (const remove of removers) {
    for (let removed = limit; removed === limit; count += removed) removed = await remove();
  }
  return { count };
}
