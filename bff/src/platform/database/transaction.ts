import { setTimeout as wait } from "node:timers/promises";
import { type Kysely, type Transaction as KyselyTransaction, type RawBuilder, sql } from "kysely";
import { isTransient } from "./errors.ts";
import { asOpenTransaction } from "./open-transaction.ts";
import type { Tables } from "./tables.ts";

/** The database: each query takes a connection of its own. A `Transaction` may stand wherever a `Database` is asked for. */
export type Database = Kysely<Tables>;

/** An open transaction. Everything that belongs to it goes through it. */
export type Transaction = KyselyTransaction<Tables>;

/** What one feature writes in another's statement: CTEs, made by its own store. */
export type StatementPart = RawBuilder<unknown>;

/** What one feature's statement reads of another's beside its own: a column, made and read by the store whose tables they are. */
export interface ColumnBeside<Key extends string, Value> {
  /** `key`: where the statement has the names of what is read. */
  column(key: Readonly<Record<Key, RawBuilder<unknown>>>): RawBuilder<unknown>;
  /** What the column says; null where there is no such thing. */
  read(column: unknown): Value | null;
}

export interface TransactionOptions {
  isolation?: "read committed" | "repeatable read" | "serializable";
  /** How often the transaction is run at most, when it meets a deadlock or cannot be serialized. */
  attemptsMax?: number;
}

const defaultAttemptsMax = 5;

/**
 * Runs a function in one transaction: committed when it returns, rolled back when it throws.
 *
 * It is run again, from its beginning, after a deadlock or a serialization failure, so it must do nothing but work on
 * the database. A connection that is lost gives `DatabaseUnavailable`; if that happened during the commit, whether the
 * transaction took effect is unknown. An error that was swallowed inside gives `TransactionRolledBack`.
 */
export async function inTransaction<T>(
  db: Database,
  run: (tx: Transaction) => Promise<T>,
  options: TransactionOptions = {},
): Promise<T> {
  const { isolation = "read committed", attemptsMax = defaultAttemptsMax } = options;
  const runOnce = embedded.has(db) ? (tx: Transaction) => asOpenTransaction(() => run(tx)) : run;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await db.transaction().setIsolationLevel(isolation).execute(runOnce);
    } catch (error) {
      if (attempt >= attemptsMax || !isTransient(error)) throw error;
    }
    await (pauses.get(db) ?? wait)(2 ** attempt);
  }
}

/** Lets the statements of a transaction wait no longer than this for what another one holds: see `isLockTimeout`. */
export async function limitLockWaits(tx: Transaction, milliseconds: number): Promise<void> {
  await sql`select set_config('lock_timeout', ${String(milliseconds)}, true)`.execute(tx);
}

/** How long a transaction waits before it is run again, where that is not the machine's time. */
const pauses = new WeakMap<Database, (milliseconds: number) => Promise<unknown>>();

/** Says how transactions on a database wait before they are run again: by another time than the machine's. */
export function pauseRetriesWith(db: Database, pause: (milliseconds: number) => Promise<unknown>): void {
  pauses.set(db, pause);
}

/** Databases of one session, whose transactions are guarded against queries that go past them. */
const embedded = new WeakSet<Database>();

/** Says that a database has one session only. */
export function markEmbedded(db: Database): void {
  embedded.add(db);
}
