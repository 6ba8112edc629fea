import { resolve } from "node:path";
import type { PGlite } from "@electric-sql/pglite";
import { Kysely, PostgresDialect, type PostgresPool } from "kysely";
import { type BackgroundPlaces, createBackgroundPlaces, enterQueue } from "../callers.ts";
import { stopwatch, systemClock } from "../clock.ts";
import type { Logger } from "../logger.ts";
import { createDatabaseClock, type DatabaseClock } from "./database-clock.ts";
import {
  DatabaseUnavailable,
  isLockTimeout,
  isNoAnswer,
  NoEmbeddedDatabase,
  TransactionRolledBack,
  writeRefusalOf,
} from "./errors.ts";
import { openPostgresPool } from "./postgres-pool.ts";
import type { PoolLoad, QueryResult, Session, SessionPool } from "./session.ts";
import type { Tables } from "./tables.ts";
import { type Database, markEmbedded } from "./transaction.ts";

/** Tracks whether the database answers at all. A refusal is an answer; silence until a timeout is not. */
export interface Pulse {
  /** A statement was sent, or a connection is being opened. */
  sent(): void;
  /** It has ended: without an error, or with this one. */
  ended(error: unknown): void;
  /** How long queries have gone without any answer, in milliseconds; 0 if the last query was answered. */
  silentMs(): number;
}

/** `now` is monotonic, in milliseconds. */
export function createPulse(now: () => number): Pulse {
  let waiting = 0;
  let silentSince: number | null = null;
  return {
    sent() {
      waiting += 1;
      silentSince ??= now();
    },
    ended(error) {
      waiting -= 1;
      if (!isNoAnswer(error)) silentSince = waiting > 0 ? now() : null;
    },
    silentMs: () => (silentSince === null ? 0 : now() - silentSince),
  };
}

/** Why a database takes no writes. It still serves reads. */
export type WriteRefusal = "disk_full" | "read_only";

/** Tracks whether the database takes writes. */
interface WriteWatch {
  /** The error to throw for a failed statement: `DatabaseUnavailable` if the database takes no writes. */
  failed(error: unknown): unknown;
  /** Why the last refused write was refused; null if there was none, or `accepted` was called since. */
  refusal(): WriteRefusal | null;
  /** Reports that a write succeeded again. */
  accepted(): void;
}

function createWriteWatch(): WriteWatch {
  let refusal: WriteRefusal | null = null;
  return {
    failed(cause) {
      const found = writeRefusalOf(cause);
      if (found === null) return cause;
      refusal = found;
      return new DatabaseUnavailable(`The database takes no writes (${found}).`, { cause });
    },
    refusal: () => refusal,
    accepted() {
      refusal = null;
    },
  };
}

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
  /** The maximum number of connections to PostgreSQL that this process opens, without that of its probes. */
  connectionsMax?: number;
  /** How many callers may wait for a connection before a request that has had none yet is refused. */
  waitingMax?: number;
  /** Whether a pooler in transaction mode is in front of PostgreSQL. Then connections must not keep any state. */
  isPooled?: boolean;
  /** How long a query waits for a connection before `DatabaseUnavailable`. */
  connectTimeoutMs?: number;
  /** How long a statement waits for a lock that another transaction holds; PostgreSQL only. */
  lockTimeoutMs?: number;
  /** How long a transaction may be idle before it is aborted and its locks are released; PostgreSQL only. */
  idleInTransactionTimeoutMs?: number;
  /** How long the database may work on a statement; PostgreSQL only. Migrations have no such limit. */
  statementTimeoutMs?: number;
  /** How long a statement waits for its answer before its connection counts as lost; PostgreSQL only. */
  answerTimeoutMs?: number;
  /**
   * The maximum age of a connection, which is closed once it is free. So none stays at a host that was replaced;
   * PostgreSQL only.
   */
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
  /**
   * Resolves if the database answers and, after it refused a write, takes writes again; measures its clock. Throws
   * `DatabaseUnavailable` or the database's own error. Uses a separate connection, however many callers wait for one.
   */
  ping(): Promise<void>;
  /** The database's time, as last measured by `ping`; before that the machine's. */
  readonly clock: Pick<DatabaseClock, "now" | "offsetMs">;
  /** The number of statements that were answered. */
  answers(): number;
  /** How long the database has left every query unanswered, in milliseconds; 0 if it answers or no query is running. */
  silentMs(): number;
  /** Why the database takes no writes; null if it takes them. */
  writeRefusal(): WriteRefusal | null;
  load(): PoolLoad;
  /** Reports every statement from now on, with its duration in seconds. */
  watchStatements(watch: StatementWatch): void;
  /** Runs a function with a separate connection, for migrations. */
  withSession<T>(run: (session: Session) => Promise<T>): Promise<T>;
  /** Runs a function with the probes' connection. */
  withProbe<T>(run: (session: Session) => Promise<T>): Promise<T>;
  /** Waits for running queries, then closes. Can be called more than once. */
  close(): Promise<void>;
}

/** How a statement ended; `blocked`: it gave up waiting for a lock of another transaction. */
export type StatementOutcome = "answered" | "blocked" | "failed";
export type StatementWatch = (outcome: StatementOutcome, seconds: number) => void;

const defaults = {
  isPooled: false,
  connectionsMax: 10,
  connectTimeoutMs: 10_000,
  // No gateway is called inside a transaction, so each takes milliseconds. A transaction that holds a lock this long
  // has hung. It must not block all others that need the row, or use up this process's connections.
  lockTimeoutMs: 10_000,
  idleInTransactionTimeoutMs: 30_000,
  statementTimeoutMs: 30_000,
  // Longer than the database's own limit: a statement without an answer by then has lost its host.
  answerTimeoutMs: 35_000,
  connectionAgeMaxMs: 600_000,
  maintenanceIntervalMs: 600_000,
};

/** With this many callers per connection, a new request would wait for seconds if each statement took 150 ms. */
const WAITING_PER_CONNECTION = 20;

/** The share of connections that background work leaves to requests. */
const REQUESTS_SHARE = 0.3;

interface Admission {
  readonly waitingMax: number;
  readonly backgroundPlaces: BackgroundPlaces;
}

function admissionOf({ waitingMax, connectionsMax = defaults.connectionsMax }: DatabaseConfig): Admission {
  return {
    waitingMax: waitingMax ?? WAITING_PER_CONNECTION * connectionsMax,
    backgroundPlaces: createBackgroundPlaces(Math.max(1, Math.floor(connectionsMax * (1 - REQUESTS_SHARE)))),
  };
}

/** The maximum number of statements that a connection keeps parsed. The stores have fewer queries than that. */
const statementNamesMax = 1000;

/** Opens the configured database. It does not migrate it: see `migrate`. */
export async function openDatabase(config: DatabaseConfig, logger: Logger): Promise<OpenDatabase> {
  if (/^postgres(?:ql)?:\/\//.test(config.url)) return overPostgres(config, logger);
  return overPglite(config, logger);
}

function overPostgres(config: DatabaseConfig, logger: Logger): OpenDatabase {
  const pool = openPostgresPool({ ...defaults, ...config, statementNamesMax }, logger);
  return { ...over(pool, admissionOf(config)), kind: "postgres", isPooled: config.isPooled ?? defaults.isPooled };
}

async function overPglite(config: DatabaseConfig, logger: Logger): Promise<OpenDatabase> {
  const folder = config.url === "memory://" ? null : resolve(config.url.replace(/^file:(?:\/\/)?/, ""));
  const { openPglitePool } = await loadPglitePool();
  const pool = await openPglitePool({ ...defaults, ...config, folder, statementNamesMax }, logger);
  const open = over(pool, admissionOf(config));
  markEmbedded(open.db);
  return { ...open, kind: "pglite", isPooled: false };
}

/** A process on PostgreSQL does not load PGlite, which need not be installed. */
async function loadPglitePool() {
  try {
    return await import("./pglite-pool.ts");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND")
      throw new NoEmbeddedDatabase("The embedded database is not installed here: set DATABASE_URL.", { cause: error });
    throw error;
  }
}

function over(unwatched: SessionPool, admission: Admission): Omit<OpenDatabase, "kind" | "isPooled"> {
  const pulse = createPulse(() => performance.now());
  const writes = createWriteWatch();
  const clock = createDatabaseClock(systemClock, () => performance.now());
  let watch: StatementWatch = () => undefined;
  let answers = 0;
  const noted: StatementWatch = (outcome, seconds) => {
    if (outcome === "answered") answers += 1;
    watch(outcome, seconds);
  };
  const pool = watched(unwatched, { ...admission, pulse, writes, watch: noted });
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: forKysely(pool) }) });
  const withProbe: OpenDatabase["withProbe"] = (run) => using(pool.connectProbe, run);
  let closing: Promise<void> | undefined;
  return {
    db,
    withSession: (run) => using(pool.connect, run),
    withProbe,
    clock,
    answers: () => answers,
    silentMs: pulse.silentMs,
    writeRefusal: writes.refusal,
    load: pool.load,
    watchStatements(given) {
      watch = given;
    },
    ping: () =>
      withProbe(async (session) => {
        const isRefusing = writes.refusal() !== null;
        await clock.measure(() => readClock(session, isRefusing ? SMALLEST_WRITE : "select clock_timestamp() as now"));
        if (isRefusing) writes.accepted();
      }),
    // Kysely closes its pool only after a first query, so the pool is closed here.
    close: () => (closing ??= pool.end()),
  };
}

async function using<T>(connect: () => Promise<Session>, run: (session: Session) => Promise<T>): Promise<T> {
  const session = await connect();
  try {
    return await run(session);
  } finally {
    session.release();
  }
}

/** Changes no value, but needs room on the disk and a database that takes writes. */
const SMALLEST_WRITE = "update deployment set environment = environment returning clock_timestamp() as now";

async function readClock(session: Session, query: string): Promise<Date | null> {
  const { rows }: { rows: ReadonlyArray<{ readonly now?: unknown }> } = await session.query(query, []);
  return rows[0]?.now instanceof Date ? rows[0].now : null;
}

interface Watching extends Admission {
  readonly pulse: Pulse;
  readonly writes: WriteWatch;
  readonly watch: StatementWatch;
}

/** The pool with its connections and statements watched. */
function watched(pool: SessionPool, watching: Watching): SessionPool {
  const { pulse, waitingMax, backgroundPlaces } = watching;
  // Each connection stays the same object, because Kysely keeps a state for each object that it gets.
  const known = new WeakMap<Session, WatchedSession>();
  const connected = async (connect: () => Promise<Session>, releasePlace: () => void): Promise<Session> => {
    pulse.sent();
    try {
      const session = await connect();
      pulse.ended(null);
      const found = known.get(session) ?? new WatchedSession(session, watching);
      known.set(session, found);
      return found.takenWith(releasePlace);
    } catch (error) {
      pulse.ended(error);
      releasePlace();
      throw error;
    }
  };
  return {
    load: pool.load,
    async connect() {
      enterQueue({ waiting: pool.load().waiting, waitingMax });
      return connected(pool.connect, await backgroundPlaces.take());
    },
    connectProbe: () => connected(pool.connectProbe, () => undefined),
    end: () => pool.end(),
  };
}

/** A connection whose statements are watched. The pool gives it to one caller after another. */
class WatchedSession implements Session {
  readonly #session: Session;
  readonly #watching: Watching;
  #releasePlace: () => void = () => undefined;

  constructor(session: Session, watching: Watching) {
    this.#session = session;
    this.#watching = watching;
  }

  /** Gives it to a caller, whose place among all callers is released together with the connection. */
  takenWith(releasePlace: () => void): this {
    this.#releasePlace = releasePlace;
    return this;
  }

  async query(sql: string, parameters: readonly unknown[]): Promise<QueryResult> {
    const { pulse, writes, watch } = this.#watching;
    const took = stopwatch();
    pulse.sent();
    let result: QueryResult;
    try {
      result = await this.#session.query(sql, parameters);
    } catch (error) {
      pulse.ended(error);
      watch(isLockTimeout(error) ? "blocked" : "failed", took());
      throw writes.failed(error);
    }
    pulse.ended(null);
    watch("answered", took());
    if (sql === "commit" && result.command !== "COMMIT")
      throw new TransactionRolledBack("The transaction was rolled back at its commit: a statement in it had failed.");
    return result;
  }

  /** Not watched: a migration's script may take long, which is no silence. */
  script(sql: string): Promise<void> {
    return this.#session.script(sql);
  }

  release(isBroken?: boolean): void {
    this.#session.release(isBroken);
    this.#releasePlace();
  }
}

/** The pool as Kysely expects it, without the cursors that Kysely could also use. */
function forKysely(pool: SessionPool): PostgresPool {
  return { options: {}, connect: () => pool.connect() as Promise<never>, end: () => pool.end() };
}
