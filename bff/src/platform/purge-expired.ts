import { DAY_MS } from "../contract/vocabulary/durations.ts";
import type { Clock } from "./clock.ts";
import type { Database } from "./database/transaction.ts";
import { removeExpiredSlots } from "./http/idempotency-store.ts";
import { removeEndedWindows } from "./http/rate-limit-store.ts";
import { dispatchKind } from "./outbox.ts";
import { removeDoneTimers } from "./timers/timer-store.ts";

/** How long a timer that was done stands in the way of another with its key; longer than anything is tried again. */
const timersKeptMs = 180 * DAY_MS;

/** An event is dispatched once by its own id, so that its dispatch need not be remembered. */
const dispatchesKeptMs = DAY_MS;

/** Rows that one statement removes: short enough to be in nobody's way. */
const batchMax = 5_000;

/** Removes what the platform's tables need no longer. Any process may call it at any time; an hour apart is often enough. */
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
