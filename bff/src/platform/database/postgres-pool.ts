import pg from "pg";
import type { Logger } from "../logger.ts";
import {
  DatabaseUnavailable,
  isConnectionLoss,
  isOutdatedPlan,
  isPoolersRefusal,
  loginRefusalOf,
  poolerNotConfigured,
} from "./errors.ts";
import { createStatementNames, type QueryResult, RANDOM_PAGE_COST, type Session, type SessionPool } from "./session.ts";
import { encodeParameter, parserOf } from "./values.ts";

export interface PostgresPoolOptions {
  url: string;
  /** The maximum number of connections that this process opens. */
  connectionsMax: number;
  /** Whether a pooler gives each transaction another connection. */
  isPooled: boolean;
  /** How long a caller waits for a connection before the database counts as unavailable. */
  connectTimeoutMs: number;
  lockTimeoutMs: number;
  idleInTransactionTimeoutMs: number;
  statementTimeoutMs: number;
  answerTimeoutMs: number;
  connectionAgeMaxMs: number;
  /** The most SQL texts that are sent as named statements. */
  statementNamesMax: number;
}

/** How long a connection may be silent before the operating system checks that the other side still exists. */
const KEEP_ALIVE_AFTER_MS = 10_000;
/** The longest time of a Node timer, because a migration's script may take any time. */
const NO_TIMEOUT_MS = 2 ** 31 - 1;

/**
 * Connections to PostgreSQL. Every query is a named statement, parsed and planned once per connection, except through a
 * pooler.
 *
 * `pg` can also pipeline queries (`pipeline: true`), but Kysely sends a transaction's queries one by one, so that would
 * gain nothing. Where round trips matter, one statement with CTEs does all writes.
 */
export function openPostgresPool(options: PostgresPoolOptions, logger: Logger): SessionPool {
  const pool = openPool(options, logger);
  // Opened at the first probe and kept, so that an exhausted pool or a full server does not look like a missing
  // database.
  const probes = openPool({ ...options, connectionsMax: 1, answerTimeoutMs: probeTimeoutMs(options) }, logger);
  // A pooler hands a connection to others together with its named statements.
  const nameOf = createStatementNames(options.isPooled ? 0 : options.statementNamesMax);
  const sessions = new WeakMap<pg.PoolClient, Session>();
  const sessionOf = (client: pg.PoolClient) => {
    const session = sessions.get(client) ?? openSession(client, nameOf);
    sessions.set(client, session);
    return session;
  };
  return {
    connect: async () => sessionOf(await connect(pool)),
    connectProbe: async () => sessionOf(await connect(probes)),
    load: () => ({ connections: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    end: async () => void (await Promise.all([pool.end(), probes.end()])),
  };
}

/** After this time a dead probe connection is replaced, long before one that serves a request. */
const PROBE_ANSWER_TIMEOUT_MS = 10_000;

function probeTimeoutMs({ answerTimeoutMs }: PostgresPoolOptions): number {
  return Math.min(answerTimeoutMs, PROBE_ANSWER_TIMEOUT_MS);
}

function openPool(options: PostgresPoolOptions, logger: Logger): pg.Pool {
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.connectionsMax,
    connectionTimeoutMillis: options.connectTimeoutMs,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
    maxLifetimeSeconds: Math.ceil(options.connectionAgeMaxMs / 1_000),
    query_timeout: options.answerTimeoutMs,
    application_name: "aapd-bff",
    ...(options.isPooled ? {} : settingsOf(options)),
    types: { getTypeParser: (oid: number) => parserOf(oid) },
  });
  // Without error listeners, a connection closed by the server would end the process. The pool reports errors of idle
  // connections. The client reports those of connections in use, whose current or next query then fails.
  pool.on("error", (error) => logger.warn("database.connection_lost", { error }));
  pool.on("connect", (client) => client.on("error", (error) => logger.debug("database.connection_lost", { error })));
  return pool;
}

/** Settings of each new connection. Behind a pooler, the role has them instead (`suited-connections.ts`). */
function settingsOf(options: PostgresPoolOptions): pg.ClientConfig {
  return {
    statement_timeout: options.statementTimeoutMs,
    lock_timeout: options.lockTimeoutMs,
    idle_in_transaction_session_timeout: options.idleInTransactionTimeoutMs,
    options: `-c random_page_cost=${RANDOM_PAGE_COST}`,
  };
}

async function connect(pool: pg.Pool): Promise<pg.PoolClient> {
  try {
    return await pool.connect();
  } catch (cause) {
    if (isPoolersRefusal(cause)) throw poolerNotConfigured({ cause });
    if (isConnectionLoss(cause))
      throw new DatabaseUnavailable(
        "Cannot connect to the database. Check DATABASE_URL, and that the server is running.",
        { cause },
      );
    throw loginRefusalOf(cause) ?? cause;
  }
}

function openSession(client: pg.PoolClient, nameOf: (sql: string) => string | undefined): Session {
  let unusable = false;
  const failed = (cause: unknown): unknown => {
    unusable ||= isOutdatedPlan(cause) || isConnectionLoss(cause);
    return isConnectionLoss(cause)
      ? new DatabaseUnavailable("The connection to the database was lost.", { cause })
      : cause;
  };
  return {
    async query(sql, parameters) {
      const isAlone = client.getTransactionStatus() === "I";
      try {
        return await send(client, nameOf(sql), sql, parameters);
      } catch (cause) {
        const error = failed(cause);
        if (!isAlone || !isOutdatedPlan(cause)) throw error;
      }
      // The statement was refused before it ran. No transaction was open, so no caller retries it.
      return send(client, undefined, sql, parameters).catch((cause: unknown) => {
        throw failed(cause);
      });
    },
    async script(sql) {
      try {
        await client.query({ text: sql, query_timeout: NO_TIMEOUT_MS } as pg.QueryConfig);
      } catch (cause) {
        throw failed(cause);
      }
    },
    // A connection that failed or holds an outdated plan is closed instead of being returned to the pool.
    release: (isBroken = false) => client.release(unusable || isBroken),
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
