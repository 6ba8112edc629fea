/** The most rows that one statement changes, so that what it locks is free again within a moment. */
const ROWS_AT_ONCE_MAX = 2_000;

/**
 * The most statements of one call. What is left waits for the next hour: a process that is to end waits for its purges, and a
 * table that has grown for long must not keep them from each other.
 */
const STATEMENTS_MAX = 100;

/**
 * Calls a statement that removes at most `limit` rows until it finds fewer, and returns how many rows it removed. Each call commits by
 * itself, so that a process may die between two of them, and any number of processes may purge at once.
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
