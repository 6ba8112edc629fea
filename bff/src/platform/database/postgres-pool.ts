import pg from "pg";
import type { Logger } from "../logger.ts";
import { DatabaseUnavailable, isConnectionLoss, isOutdatedPlan } from "./errors.ts";
import { createStatementNames, type QueryResult, RANDOM_PAGE_COST, type Session, type SessionPool } from "./session.ts";
import { encodeParameter, parserOf } from "./values.ts";

export interface PostgresPoolOptions {
  url: string;
  /** Connections that this process holds at most. */
  connectionsMax: number;
  /** How long a caller waits for a connection before the database counts as unavailable. */
  connectTimeoutMs: number;
  lockTimeoutMs: number;
  idleInTransactionTimeoutMs: number;
  /** Texts that are sent as named statements at most. */
  statementNamesMax: number;
}

/**
 * Connections to PostgreSQL. Every query goes as a named statement: parsed and planned once per connection.
 *
 * `pg` could also write several queries in one flight (`pipeline: true`), but Kysely hands a transaction's queries over
 * one by one, so that nothing would be gained; where round trips count, one statement with CTEs does the whole write.
 */
export function openPostgresPool(options: PostgresPoolOptions, logger: Logger): SessionPool {
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.connectionsMax,
    connectionTimeoutMillis: options.connectTimeoutMs,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    lock_timeout: options.lockTimeoutMs,
    idle_in_transaction_session_timeout: options.idleInTransactionTimeoutMs,
    application_name: "aapd-bff",
    options: `-c random_page_cost=${RANDOM_PAGE_COST}`,
    types: { getTypeParser: (oid: number) => parserOf(oid) },
  });
  // Without listeners, a connection that the server closes would end the process: the pool's hears of idle ones, the
  // client's of those in use, where the query under way, or the next one, fails with it.
  pool.on("error", (error) => logger.warn("database.connection_lost", { error }));
  pool.on("connect", (client) => client.on("error", (error) => logger.debug("database.connection_lost", { error })));
  const nameOf = createStatementNames(options.statementNamesMax);
  return {
    connect: async () => openSession(await connect(pool), nameOf),
    end: () => pool.end(),
  };
}

async function connect(pool: pg.Pool): Promise<pg.PoolClient> {
  try {
    return await pool.connect();
  } catch (cause) {
    if (isConnectionLoss(cause))
      throw new DatabaseUnavailable("No connection to the database could be had.", { cause });
    throw cause;
  }
}

function openSession(client: pg.PoolClient, nameOf: (sql: string) => string | undefined): Session {
  let unusable = false;
  const guarded = async <T>(run: () => Promise<T>): Promise<T> => {
    try {
      return await run();
    } catch (cause) {
      unusable ||= isOutdatedPlan(cause) || isConnectionLoss(cause);
      if (isConnectionLoss(cause)) throw new DatabaseUnavailable("The connection to the database was lost.", { cause });
      throw cause;
    }
  };
  return {
    query: (sql, parameters) => guarded(() => send(client, nameOf(sql), sql, parameters)),
    script: (sql) => guarded(async () => void (await client.query(sql))),
    // A connection that failed, or holds an outdated plan, is closed instead of going back to the pool.
    release: () => client.release(unusable),
  };
}

async function send(
  client: pg.PoolClient,
  name: string | undefined,
  text: string,
  parameters: readonly unknown[],
): Promise<QueryResult> {
  const values = parameters.map(encodeParameter);
  const query = name === undefined ? { text, values } : { name, text, values };
  const { command, rowCount, rows } = await client.query(query);
  return { command, rowCount: rowCount ?? 0, rows };
}
