import { resolve } from "node:path";
import type { PGlite } from "@electric-sql/pglite";
import { Kysely, PostgresDialect, type PostgresPool } from "kysely";
import type { Logger } from "../logger.ts";
import { stopwatch } from "../stopwatch.ts";
import { NoEmbeddedDatabase, TransactionRolledBack } from "./errors.ts";
import { openPostgresPool } from "./postgres-pool.ts";
import { createPulse, type Pulse } from "./pulse.ts";
import { createRoomToWrite, type RoomToWrite } from "./room-to-write.ts";
import type { PoolLoad, QueryResult, Session, SessionPool } from "./session.ts";
import type { Tables } from "./tables.ts";
import { type Database, markEmbedded } from "./transaction.ts";

/*
 * The service's one database: PostgreSQL, or PGlite inside the process. Opens it, runs transactions and applies
 * migrations.
 */

export interface DatabaseConfig {
  /**
   * `postgres://…` opens PostgreSQL; `memory://` opens PGlite in memory; anything else is a folder for PGlite (with or
   * without `file:` in front), which only one process can open.
   */
  url: string;
  /** The most connections to PostgreSQL that this process opens. */
  connectionsMax?: number;
  /** Whether a pooler in transaction mode stands before PostgreSQL: nothing is then kept on a connection. */
  isPooled?: boolean;
  /** How long a query waits for a connection before `DatabaseUnavailable`. */
  connectTimeoutMs?: number;
  /** How long a statement waits for a lock that another transaction holds; PostgreSQL only. */
  lockTimeoutMs?: number;
  /** After how long an idle transaction is ended and its locks released; PostgreSQL only. */
  idleInTransactionTimeoutMs?: number;
  /** How long the database works on a statement; PostgreSQL only. Migrations have no such limit. */
  statementTimeoutMs?: number;
  /** How long a statement waits for its answer before its connection counts as lost; PostgreSQL only. */
  answerTimeoutMs?: number;
  /** After how long a connection is closed once it is free, so that none stays at a host that was replaced; PostgreSQL only. */
  connectionAgeMaxMs?: number;
  /** How often PGlite's tables are vacuumed and analysed. */
  maintenanceIntervalMs?: number;
  /** An open PGlite to use instead of opening one, for tests; its opener closes it. */
  running?: PGlite;
}

export interface OpenDatabase {
  db: Database;
  kind: "pglite" | "postgres";
  /** Whether a pooler gives each transaction another connection. */
  isPooled: boolean;
  /** Resolves if the database answers and, after a full disk, takes writes again; throws `DatabaseUnavailable` or the database's own error. */
  ping(): Promise<void>;
  /** For how long the database has answered nothing although it was asked; 0 if it answers, or nobody asks. */
  silentMs(): number;
  /** Whether it took no writes, because its disk is full, when it was last asked to. */
  isFull(): boolean;
  load(): PoolLoad;
  /** Is told of each statement from now on, in seconds. */
  watchStatements(watch: StatementWatch): void;
  /** Runs a function with one connection of its own; for migrations. */
  withSession<T>(run: (session: Session) => Promise<T>): Promise<T>;
  /** Waits for running queries, then closes. Can be called more than once. */
  close(): Promise<void>;
}

export type StatementWatch = (outcome: "answered" | "failed", seconds: number) => void;

const defaults = {
  isPooled: false,
  connectionsMax: 10,
  connectTimeoutMs: 10_000,
  // No gateway is called inside a transaction, so each takes milliseconds. One that holds a lock this long has hung,
  // and must not block every other transaction that needs the row, nor use up this process's connections with them.
  lockTimeoutMs: 10_000,
  idleInTransactionTimeoutMs: 30_000,
  statementTimeoutMs: 30_000,
  // The database's own limit comes first; what has no answer by then has lost its host.
  answerTimeoutMs: 35_000,
  connectionAgeMaxMs: 600_000,
  maintenanceIntervalMs: 600_000,
};

/** The most statements that a connection keeps parsed: the stores have fewer queries than that. */
const statementNamesMax = 1000;

/** Opens the configured database. It does not migrate it: see `migrate`. */
export async function openDatabase(config: DatabaseConfig, logger: Logger): Promise<OpenDatabase> {
  if (/^postgres(?:ql)?:\/\//.test(config.url)) return overPostgres(config, logger);
  return overPglite(config, logger);
}

function overPostgres(config: DatabaseConfig, logger: Logger): OpenDatabase {
  const pool = openPostgresPool({ ...defaults, ...config, statementNamesMax }, logger);
  return { ...over(pool), kind: "postgres", isPooled: config.isPooled ?? defaults.isPooled };
}

async function overPglite(config: DatabaseConfig, logger: Logger): Promise<OpenDatabase> {
  const folder = config.url === "memory://" ? null : resolve(config.url.replace(/^file:(?:\/\/)?/, ""));
  const { openPglitePool } = await loadPglitePool();
  const pool = await openPglitePool({ ...defaults, ...config, folder, statementNamesMax }, logger);
  const open = over(pool);
  markEmbedded(open.db);
  return { ...open, kind: "pglite", isPooled: false };
}

/** What runs on PostgreSQL neither loads PGlite nor needs it installed. */
async function loadPglitePool() {
  try {
    return await import("./pglite-pool.ts");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND")
      throw new NoEmbeddedDatabase("The embedded database is not installed here: set DATABASE_URL.", { cause: error });
    throw error;
  }
}

function over(unwatched: SessionPool): Omit<OpenDatabase, "kind" | "isPooled"> {
  const pulse = createPulse(() => performance.now());
  const room = createRoomToWrite();
  let watch: StatementWatch = () => undefined;
  const pool = watched(unwatched, { pulse, room, watch: (outcome, seconds) => watch(outcome, seconds) });
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: forKysely(pool) }) });
  const withSession = async <T>(run: (session: Session) => Promise<T>): Promise<T> => {
    const session = await pool.connect();
    try {
      return await run(session);
    } finally {
      session.release();
    }
  };
  let closing: Promise<void> | undefined;
  return {
    db,
    withSession,
    silentMs: pulse.silentMs,
    isFull: room.isMissing,
    load: pool.load,
    watchStatements(given) {
      watch = given;
    },
    ping: () =>
      withSession(async (session) => {
        const wasFull = room.isMissing();
        await session.query(wasFull ? SMALLEST_WRITE : "select 1", []);
        if (wasFull) room.found();
      }),
    // Kysely closes its pool only after a first query; the pool is therefore closed here.
    close: () => (closing ??= pool.end()),
  };
}

/** Changes nothing, and needs room all the same. */
const SMALLEST_WRITE = "update deployment set environment = environment";

/** The pool with its connections and queries watched. A migration's script may take long, which is no silence. */
function watched(
  pool: SessionPool,
  { pulse, room, watch }: { readonly pulse: Pulse; readonly room: RoomToWrite; readonly watch: StatementWatch },
): SessionPool {
  const timed = async (query: () => Promise<QueryResult>) => {
    const took = stopwatch();
    let outcome: "answered" | "failed" = "failed";
    try {
      const result = await query();
      outcome = "answered";
      return result;
    } finally {
      watch(outcome, took());
    }
  };
  return {
    load: pool.load,
    async connect() {
      const session = await pulse.watch(() => pool.connect());
      return {
        ...session,
        query: (sql, parameters) => pulse.watch(() => room.watch(() => timed(() => session.query(sql, parameters)))),
      };
    },
    end: () => pool.end(),
  };
}

/** The pool as Kysely expects it. A commit that the database answered with a rollback is turned into an error. */
function forKysely(pool: SessionPool): PostgresPool {
  return {
    async connect() {
      const session = await pool.connect();
      return {
        query: (sql: unknown, parameters: readonly unknown[] = []) =>
          sendChecked(session, String(sql), parameters) as never,
        release: () => session.release(),
      };
    },
    end: () => pool.end(),
  };
}

async function sendChecked(session: Session, sql: string, parameters: readonly unknown[]): Promise<QueryResult> {
  const result = await session.query(sql, parameters);
  if (sql === "commit" && result.command !== "COMMIT") {
    throw new TransactionRolledBack("The transaction was rolled back at its commit: a statement in it had failed.");
  }
  return result;
}
