import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout as wait } from "node:timers/promises";
import { type Kysely, type Transaction as KyselyTransaction, type RawBuilder, sql } from "kysely";
import { isTransient, QueryOutsideTransaction } from "./errors.ts";
import type { Tables } from "./tables.ts";

/** Marks calls that are made inside an open transaction. */
const openTransaction = new AsyncLocalStorage<{ open: boolean }>();

/**
 * Runs a transaction of the embedded database so that a query sent outside of it, from inside, fails at once. Otherwise
 * the query would wait for the only session, which the transaction holds, while the transaction waits for the query.
 */
async function asOpenTransaction<T>(run: () => Promise<T>): Promise<T> {
  const mark = { open: true };
  try {
    return await openTransaction.run(mark, run);
  } finally {
    mark.open = false;
  }
}

/** Throws `QueryOutsideTransaction` if the caller is inside a transaction that is still open. */
export function refuseInsideTransaction(): void {
  if (openTransaction.getStore()?.open !== true) return;
  throw new QueryOutsideTransaction("A query was sent to the database from inside a transaction, but not through it.");
}

/**
 * The database; each query uses its own connection. A `Transaction` can be passed wherever a `Database` is expected.
 */
export type Database = Kysely<Tables>;

/** An open transaction. All its queries must be sent through it. */
export type Transaction = KyselyTransaction<Tables>;

/** CTEs with which one feature's store writes inside another feature's statement. */
export type StatementPart = RawBuilder<unknown>;

/**
 * A column that one feature's statement reads from another feature's tables. The store that owns the tables defines and
 * parses it.
 */
export interface ColumnBeside<Key extends string, Value> {
  /** `key`: the statement's expressions for the ids of the row to read. */
  column(key: Readonly<Record<Key, RawBuilder<unknown>>>): RawBuilder<unknown>;
  /** Parses the column; null if there is no such row. */
  read(column: unknown): Value | null;
}

interface TransactionOptions {
  isolation?: "read committed" | "repeatable read" | "serializable";
  /** The maximum number of attempts after a deadlock or a serialization failure. */
  attemptsMax?: number;
}

const defaultAttemptsMax = 5;

/**
 * Runs a function in one transaction: committed when it returns, rolled back when it throws.
 *
 * After a deadlock or a serialization failure the function is run again from its beginning, so it may do nothing but
 * database work. Throws `DatabaseUnavailable` if the connection is lost; if that happened during the commit, whether
 * the transaction took effect is unknown. Throws `TransactionRolledBack` if an error was swallowed inside.
 */
export async function inTransaction<T>(
  db: Database,
  run: (tx: Transaction) => Promise<T>,
  options: TransactionOptions = {},
): Promise<T> {
  const { isolation = "read committed", attemptsMax } = options;
  const runOnce = embedded.has(db) ? (tx: Transaction) => asOpenTransaction(() => run(tx)) : run;
  return retryTransient(db, () => db.transaction().setIsolationLevel(isolation).execute(runOnce), attemptsMax);
}

/**
 * Runs a transaction or a single statement again after a deadlock or a serialization failure, which leaves nothing
 * written.
 */
export async function retryTransient<T>(
  db: Database,
  run: () => Promise<T>,
  attemptsMax = defaultAttemptsMax,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run();
    } catch (error) {
      if (attempt >= attemptsMax || !isTransient(error)) throw error;
    }
    await (pauses.get(db) ?? wait)(2 ** attempt);
  }
}

/** Limits how long the statements of a transaction wait for locks: see `isLockTimeout`. */
export async function limitLockWaits(tx: Transaction, milliseconds: number): Promise<void> {
  await sql`select set_config('lock_timeout', ${String(milliseconds)}, true)`.execute(tx);
}

/** How to wait before a retry on databases that do not use real time. */
const pauses = new WeakMap<Database, (milliseconds: number) => Promise<unknown>>();

/** Sets how transactions on a database wait before a retry, if not in real time. */
export function pauseRetriesWith(db: Database, pause: (milliseconds: number) => Promise<unknown>): void {
  pauses.set(db, pause);
}

/** Databases with a single session, which refuse queries outside of an open transaction. */
const embedded = new WeakSet<Database>();

/** Marks a database as having a single session. */
export function markEmbedded(db: Database): void {
  embedded.add(db);
}
