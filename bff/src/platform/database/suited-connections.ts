import type { OpenDatabase } from "./database.ts";
import { PoolerRefused, poolerNotConfigured } from "./errors.ts";
import type { Session } from "./session.ts";

/*
 * A pooler between this process and PostgreSQL that gives each transaction another connection, such as PgBouncer in
 * transaction mode. Anything kept on a connection beyond a transaction (named statements, settings, session locks) then
 * reaches other clients.
 */

/**
 * Checks at startup that connections reach PostgreSQL directly unless a pooler is configured, and have the limits
 * without which a lost statement would hold its locks for ever. Throws `PoolerRefused`.
 */
export async function requireSuitedConnections(database: OpenDatabase): Promise<void> {
  if (database.kind !== "postgres") return;
  const missing = await missingLimits(database);
  if (missing.length > 0) {
    if (!database.isPooled) throw poolerNotConfigured();
    throw new PoolerRefused(
      `DATABASE_POOLER: a process cannot set its limits through a pooler, and these are not set: ${missing.join(", ")}. Set them for the role, such as: alter role aapd set ${missing[0]} = '30s'.`,
    );
  }
  if (!database.isPooled && (await changesBackends(database))) throw poolerNotConfigured();
}

const LIMITS = ["statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout"];

async function missingLimits({ withSession }: OpenDatabase): Promise<string[]> {
  return withSession(async (session) => {
    const text = "select name from pg_settings where name = any($1) and setting = '0' order by name";
    const { rows }: { rows: ReadonlyArray<{ readonly name: string }> } = await session.query(text, [LIMITS]);
    return rows.map(({ name }) => name);
  });
}

/**
 * Whether a connection reaches different backends of PostgreSQL after two sessions have taken turns. A pooler hands out
 * the connection that was released either last or first, so in one of three rounds the backend differs.
 */
async function changesBackends({ withSession }: OpenDatabase): Promise<boolean> {
  return withSession((one) =>
    withSession(async (other) => {
      const [first, second] = await backendsOf([one, other], "first");
      const [firstAgain, secondAgain] = await backendsOf([one, other], "second");
      const [secondAtLast, firstAtLast] = await backendsOf([other, one], "third");
      return (
        [firstAgain, firstAtLast].some((pid) => pid !== first) ||
        [secondAgain, secondAtLast].some((pid) => pid !== second)
      );
    }),
  );
}

/** The PostgreSQL backends of two sessions whose transactions began in this order. */
async function backendsOf(sessions: readonly [Session, Session], round: string): Promise<readonly unknown[]> {
  for (const session of sessions) await session.query("begin", []);
  const pids: unknown[] = [];
  for (const [place, session] of sessions.entries()) {
    // Each text is sent only once, because behind a pooler a named statement may already exist, or be gone.
    const text = `select pg_backend_pid() as pid /* ${round} ${place} */`;
    const { rows }: { rows: ReadonlyArray<{ readonly pid?: unknown }> } = await session.query(text, []);
    pids.push(rows[0]?.pid);
  }
  for (const session of sessions) await session.query("commit", []);
  return pids;
}
