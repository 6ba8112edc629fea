import { resolve } from "node:path";
import type { PGlite } from "@electric-sql/pglite";
import { Kysely, PostgresDialect, type PostgresPool } from "kysely";
import type { Logger } from "../logger.ts";
import { TransactionRolledBack } from "./errors.ts";
import { openPglitePool } from "./pglite-pool.ts";
import { openPostgresPool } from "./postgres-pool.ts";
import type { QueryResult, Session, SessionPool } from "./session.ts";
import type { Tables } from "./tables.ts";
import { type Database, markEmbedded } from "./transaction.ts";

export interface DatabaseConfig {
  /**
   * `postgres://…` is PostgreSQL; `memory://` is PGlite, gone with the process; anything else is a folder for PGlite
   * (`file:` in front of it is accepted), which no second process can open.
   */
  url: string;
  /** Connections to PostgreSQL that this process holds at most. */
  connectionsMax?: number;
  /** How long a query waits for a connection before `DatabaseUnavailable`. */
  connectTimeoutMs?: number;
  /** How long a statement waits for a row or table that another transaction holds; on PostgreSQL, as the next is. */
  lockTimeoutMs?: number;
  /** After how long a transaction in which nothing is done is ended, and what it holds let go. */
  idleInTransactionTimeoutMs?: number;
  /** How often PGlite's tables are vacuumed and analysed. */
  maintenanceIntervalMs?: number;
  /** A PGlite that is open already, in place of one in memory: whoever opened it closes it; for tests. */
  running?: PGlite;
}

export interface OpenDatabase {
  db: Database;
  kind: "pglite" | "postgres";
  /** Answers when the database does; throws `DatabaseUnavailable` or the database's own error. */
  ping(): Promise<void>;
  /** Runs a function with one connection of its own; for migrations. */
  withSession<T>(run: (session: Session) => Promise<T>): Promise<T>;
  /** Waits for what is under way, then closes. May be called again. */
  close(): Promise<void>;
}

const defaults = {
  connectionsMax: 10,
  connectTimeoutMs: 10_000,
  // No outside call is made in a transaction, so that each is a matter of milliseconds: whoever holds a row for so long has
  // stopped, and must not stop everybody else who needs it, nor with them this process's connections.
  lockTimeoutMs: 10_000,
  idleInTransactionTimeoutMs: 30_000,
  maintenanceIntervalMs: 600_000,
};

/** Statements that a connection keeps parsed: about one for each query of the stores, with room. */
const statementNamesMax = 1000;

/** Opens the one database that the configuration names. It is not migrated yet: see `migrate`. */
export async function openDatabase(config: DatabaseConfig, logger: Logger): Promise<OpenDatabase> {
  if (/^postgres(?:ql)?:\/\//.test(config.url)) return overPostgres(config, logger);
  return overPglite(config, logger);
}

function overPostgres(config: DatabaseConfig, logger: Logger): OpenDatabase {
  const pool = openPostgresPool({ ...defaults, ...config, statementNamesMax }, logger);
  return { ...over(pool), kind: "postgres" };
}

async function overPglite(config: DatabaseConfig, logger: Logger): Promise<OpenDatabase> {
  const folder = config.url === "memory://" ? null : resolve(config.url.replace(/^file:(?:\/\/)?/, ""));
  const pool = await openPglitePool({ ...defaults, ...config, folder, statementNamesMax }, logger);
  const open = over(pool);
  markEmbedded(open.db);
  return { ...open, kind: "pglite" };
}

function over(pool: SessionPool): Omit<OpenDatabase, "kind"> {
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
    ping: () => withSession(async (session) => void (await session.query("select 1", []))),
    // Kysely closes its pool only after a first query; the pool is therefore closed here.
    close: () => (closing ??= pool.end()),
  };
}

/** Kysely's view of the pool. A commit that the database answered with a rollback becomes an error. */
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
