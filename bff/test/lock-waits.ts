import { setTimeout as wait } from "node:timers/promises";
import { type RawBuilder, sql } from "kysely";
import { expect } from "vitest";
import { type Database, inTransaction, pauseRetriesWith } from "../src/platform/database/transaction.ts";

/** Settles once so many statements of this database wait for what another transaction holds. */
export function untilWaiting(db: Database, waiting = 1): Promise<void> {
  const counted = sql<{ count: number }>`select count(*)::int as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  return expect.poll(async () => (await counted.execute(db)).rows[0]?.count).toBe(waiting);
}

/**
 * Asks while another session holds what a statement locks, and lets it go once each that was asked waits for a lock:
 * the first for that session, each other for it too or for one before. Each is asked once those before it wait. Returns
 * the answers. Fails if two of them deadlock: which of the two is then run again depends on how quick the machine is.
 */
export async function askWhileHeld<Answer>(
  db: Database,
  lock: RawBuilder<unknown>,
  asks: readonly (() => Promise<Answer>)[],
): Promise<Answer[]> {
  let runAgain = 0;
  pauseRetriesWith(db, (milliseconds) => {
    runAgain += 1;
    return wait(milliseconds);
  });
  try {
    const asked: Promise<Answer>[] = [];
    await inTransaction(db, async (tx) => {
      await lock.execute(tx);
      for (const ask of asks) {
        asked.push(ask());
        await untilWaiting(db, asked.length);
      }
    });
    const answers = await Promise.all(asked);
    expect(runAgain, "transactions that were run again after a deadlock").toBe(0);
    return answers;
  } finally {
    pauseRetriesWith(db, wait);
  }
}
