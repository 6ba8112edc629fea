import pg from "pg";
import { isTransactionControl, RANDOM_PAGE_COST } from "../../src/platform/database/session.ts";

/*
 * Records the statements that a service sends, and sends exactly these again by `pg` alone. A service cannot send them
 * for less.
 */

/** A statement, and how many rows it returned or changed. */
interface SentStatement {
  readonly name?: string | undefined;
  readonly text: string;
  readonly values: readonly unknown[];
  readonly rows: number;
}

/** The statements of a transaction, or one outside of any. */
export interface SentTransaction {
  readonly statements: readonly SentStatement[];
  /** How many of the recorded ones had ended when it began: it must not begin before them. */
  readonly after: number;
}

/** Thrown when a replayed statement affects another number of rows than the recorded one. */
export class ReplayDiffers extends Error {
  override readonly name = "ReplayDiffers";
}

/**
 * Records every statement of this process from now on. The result returns, in the order of their ends, the transactions
 * since the last call; with `isLast` it ends the recording. Throws if one of their statements failed. Throws if a
 * transaction is still open, because `after` counts only those that ended since the last call.
 */
export function recordStatements(): (isLast?: boolean) => SentTransaction[] {
  const open = new Map<pg.Client, { readonly after: number; readonly statements: SentStatement[] }>();
  let ended: SentTransaction[] = [];
  let failure: unknown = null;
  const send: (config: pg.QueryConfig) => Promise<pg.QueryResult> = pg.Client.prototype.query;
  const recorded = async function (this: pg.Client, config: pg.QueryConfig) {
    const { name, text, values = [] } = config;
    const transaction = open.get(this) ?? { after: ended.length, statements: [] };
    open.set(this, transaction);
    try {
      const result = await send.call(this, config);
      transaction.statements.push({ name, text, values, rows: result.rowCount ?? 0 });
      return result;
    } catch (error) {
      failure = error;
      throw error;
    } finally {
      if (!isTransactionControl(transaction.statements[0]?.text ?? "") || /^(?:commit|rollback)$/i.test(text)) {
        open.delete(this);
        ended.push(transaction);
      }
    }
  };
  Reflect.set(pg.Client.prototype, "query", recorded);
  return (isLast = false) => {
    if (isLast) Reflect.set(pg.Client.prototype, "query", send);
    if (failure !== null) throw new Error("A recorded statement failed.", { cause: failure });
    if (open.size > 0) throw new Error("A recorded transaction is still open.");
    const taken = ended;
    ended = [];
    return taken;
  };
}

/** Sends recorded transactions again, with as many at once as were at once in the recording. */
export async function replay(pool: Pick<pg.Pool, "connect">, transactions: readonly SentTransaction[]): Promise<void> {
  const ends = [Promise.resolve()];
  for (const [place, { statements, after }] of transactions.entries()) {
    const own = Promise.resolve(ends[after]).then(() => send(pool, statements));
    ends.push(Promise.all([ends[place], own]).then(() => undefined));
  }
  await ends.at(-1);
}

async function send(pool: Pick<pg.Pool, "connect">, statements: readonly SentStatement[]): Promise<void> {
  const client = await pool.connect();
  try {
    for (const { name, text, values, rows } of statements) {
      const { rowCount } = await client.query({ ...(name !== undefined && { name }), text, values: [...values] });
      if ((rowCount ?? 0) !== rows)
        throw new ReplayDiffers(`A replayed statement affects ${rowCount} rows instead of ${rows}: ${text.trim()}`);
    }
    client.release();
  } catch (error) {
    client.release(true);
    throw error;
  }
}

/** Connections as the service opens them, so that statements get the same plans. */
export function openReplayPool(url: string): pg.Pool {
  const options = `-c random_page_cost=${RANDOM_PAGE_COST}`;
  const pool = new pg.Pool({ connectionString: url, max: 10, options });
  // Dropping the copy may end a connection that is just being closed. Lost statements reject by themselves.
  pool.on("error", () => undefined);
  return pool;
}

/** Copies a database to one of this name. Closes its connections; a pool opens new ones. */
export async function copyDatabase(url: string, name: string): Promise<string> {
  const copy = new URL(url);
  copy.pathname = `/${name}`;
  await onServer(url, async (client, from) => {
    await client.query("select pg_terminate_backend(pid) from pg_stat_activity where datname = $1", [from]);
    await client.query(`create database ${name} template ${from} strategy file_copy`);
  });
  return copy.href;
}

export async function dropDatabase(url: string): Promise<void> {
  await onServer(url, (client, name) => client.query(`drop database if exists ${name} with (force)`));
}

async function onServer(url: string, run: (client: pg.Client, name: string) => Promise<unknown>): Promise<void> {
  const server = new URL(url);
  const name = server.pathname.slice(1);
  server.pathname = "/postgres";
  const client = new pg.Client({ connectionString: server.href });
  await client.connect();
  try {
    await run(client, name);
  } finally {
    await client.end();
  }
}
