import { MigrationRefused } from "./errors.ts";
import type { Session } from "./session.ts";

/*
 * Migrations with a line beginning with `-- Concurrently:` create or drop indexes without blocking writers. PostgreSQL
 * only does that outside of transactions, so each statement must be repeatable after a crash halfway.
 */

/** A statement of a concurrent migration. */
export interface ConcurrentStatement {
  readonly index: string;
  readonly sql: string;
}

const CREATES = /^create (?:unique )?index concurrently if not exists (\w+)\s/i;
const DROPS = /^drop index concurrently if exists (\w+)$/i;

/**
 * The statements of a file; null if it runs in a transaction, as most do. Throws `MigrationRefused` for a statement
 * that could not be repeated.
 */
export function readConcurrentStatements(name: string, file: string): readonly ConcurrentStatement[] | null {
  if (!/^-- Concurrently:/m.test(file)) return null;
  const statements = file
    .replaceAll(/--.*$/gm, "")
    .split(";")
    .map((statement) => statement.trim().replaceAll(/\s+/g, " "))
    .filter((statement) => statement !== "");
  return statements.map((sql) => {
    const index = (CREATES.exec(sql) ?? DROPS.exec(sql))?.[1];
    if (index !== undefined) return { index, sql };
    throw new MigrationRefused(
      `${name} runs outside of a transaction, and may hold only "create [unique] index concurrently if not exists …" and "drop index concurrently if exists …": ${sql}`,
    );
  });
}

/**
 * How long a statement waits for the transactions that began before it. Longer than in other migrations, because no
 * other statement queues behind it and giving up means building the index again.
 */
const LOCK_WAIT_MS = 60_000;

/** Runs the statements one by one. An index that an earlier try left unfinished is dropped first. */
export async function runConcurrently(session: Session, statements: readonly ConcurrentStatement[]): Promise<void> {
  await session.script(`set lock_timeout = ${LOCK_WAIT_MS}`);
  await session.script("set statement_timeout = 0");
  try {
    for (const { index, sql } of statements) {
      if (await isUnfinished(session, index)) await session.script(`drop index concurrently if exists ${index}`);
      await session.script(sql);
    }
  } finally {
    await session.script("reset lock_timeout");
    await session.script("reset statement_timeout");
  }
}

async function isUnfinished(session: Session, index: string): Promise<boolean> {
  const { rows } = await session.query("select from pg_index where indexrelid = to_regclass($1) and not indisvalid", [
    index,
  ]);
  return rows.length > 0;
}
