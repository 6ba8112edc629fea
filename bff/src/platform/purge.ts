import { DAY_MS } from "../contract/vocabulary/durations.ts";
import type { Clock } from "./clock.ts";
import type { Tables } from "./database/tables.ts";
import type { Database } from "./database/transaction.ts";
import { dispatchKind } from "./outbox.ts";
import { deleteBefore, type RowsBefore } from "./purge-store.ts";
import { removeDoneTimers } from "./timers/timer-store.ts";

/** The maximum number of rows that one statement changes, so that its locks are released quickly. */
const ROWS_AT_ONCE_MAX = 2_000;

/**
 * The maximum number of statements per call; the rest waits for the next hour. A stopping process waits for its purges,
 * and one table with a long backlog must not block the others.
 */
const STATEMENTS_MAX = 100;

/**
 * Calls a statement that removes at most `limit` rows until it finds fewer, and returns how many rows it removed. Each
 * call commits by itself, so that a process may die between two of them, and any number of processes may purge at once.
 */
export async function purgeInBatches(remove: (limit: number) => Promise<number>): Promise<number> {
  let count = 0;
  for (let statements = 0; statements < STATEMENTS_MAX; statements += 1) {
    const removed = await remove(ROWS_AT_ONCE_MAX);
    count += removed;
    if (removed < ROWS_AT_ONCE_MAX) break;
  }
  return count;
}

/** How long a completed timer prevents another one with its key. Longer than anything is retried. */
export const TIMERS_KEPT_MS = 180 * DAY_MS;

/** Dispatches are deleted when they are done. Those left by an earlier version need not be kept for long either. */
const DISPATCHES_KEPT_MS = DAY_MS;

/**
 * Deletes rows that the platform's tables no longer need. Any process may call it at any time; once an hour is enough.
 */
export async function purgeExpired({ db, clock }: { db: Database; clock: Clock }): Promise<{ count: number }> {
  const now = clock.now().getTime();
  const removers: readonly ((limit: number) => Promise<number>)[] = [
    (limit) => removeDoneTimers(db, { kinds: [dispatchKind], before: new Date(now - DISPATCHES_KEPT_MS), limit }),
    (limit) => removeDoneTimers(db, { kinds: "all", before: new Date(now - TIMERS_KEPT_MS), limit }),
    (limit) => deleteBefore(db, { table: "idempotency_keys", column: "expires_at", before: new Date(now) }, limit),
    (limit) => deleteBefore(db, { table: "rate_limits", column: "window_ends_at", before: new Date(now) }, limit),
  ];
  let count = 0;
  for (const remove of removers) count += await purgeInBatches(remove);
  return { count };
}

/** Deletes all rows of a table that are older than a moment, in batches, and returns how many. */
export function purgeBefore<Table extends keyof Tables>(db: Database, rows: RowsBefore<Table>): Promise<number> {
  return purgeInBatches((limit) => deleteBefore(db, rows, limit));
}
