import { setTimeout as wait } from "node:timers/promises";
import { type RawBuilder, sql } from "kysely";
import { expect } from "vitest";
import { type Database, inTransaction, pauseRetriesWith } from "../src/platform/database/transaction.ts";

/** Resolves once this many statements of this database wait for another transaction's locks. */
export function untilWaiting(db: Database, waiting = 1): Promise<void> {
  const counted = sql<{ count: number }>`select count(*)::int as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  return expect.poll(async () => (await counted.execute(db)).rows[0]?.count).toBe(waiting);
}

/**
 * Sends statements one after the other while another session holds their locks. Each is sent once the earlier ones
 * wait, and the session is released once all of them wait. Returns the answers. Fails on a deadlock, because the
 * machine's speed would decide which statement is retried.
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
