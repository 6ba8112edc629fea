import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Clock } from "../clock.ts";
import type { Logger } from "../logger.ts";
import { packageFolder } from "../program.ts";
import { type ConcurrentStatement, readConcurrentStatements, runConcurrently } from "./concurrent-migration.ts";
import type { OpenDatabase } from "./database.ts";
import { isLockTimeout, MigrationRefused } from "./errors.ts";
import type { Session } from "./session.ts";

export interface Migration {
  number: number;
  /** The file's name, such as `0001_platform.sql`. */
  name: string;
  sql: string;
  sha256: string;
  /**
   * Whether the file has a line beginning with `-- Stop:`, because the previous version must not run after the
   * migration.
   */
  needsStop: boolean;
  /** The statements to run outside of a transaction; null if the file runs in one. */
  concurrently: readonly ConcurrentStatement[] | null;
}

/** A migration as recorded in the database. */
export interface AppliedMigration {
  readonly number: number;
  readonly name: string;
  readonly sha256: string;
  /** Null if it was applied by a version that did not record this. */
  readonly needs_stop: boolean | null;
}

const migrationsFolder = join(packageFolder, "migrations");

/**
 * An advisory lock for migrating. Of several processes that start at once, only one migrates. It belongs to the
 * session, because not every migration runs in a transaction.
 */
const lockNumber = 7_236_101;
const LOCK_POLL_MS = 100;

export const NEEDS_POSTGRES_ITSELF =
  "Migrations hold a session lock, which a pooler would pass on to other clients. Set DATABASE_URL to PostgreSQL itself, without DATABASE_POOLER.";

/** Reads the numbered SQL files of a folder in order. */
export async function readMigrations(folder: string = migrationsFolder): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".sql")).sort();
  const migrations = await Promise.all(names.map((name) => readMigration(folder, name)));
  const numbers = new Set(migrations.map(({ number }) => number));
  if (numbers.size !== migrations.length)
    throw new MigrationRefused(`Two migrations in ${folder} have the same number.`);
  return migrations;
}

async function readMigration(folder: string, name: string): Promise<Migration> {
  const number = Number(/^(\d{4})_[a-z0-9_]+\.sql$/.exec(name)?.[1]);
  if (!(number > 0)) throw new MigrationRefused(`${name} is not named like 0001_what_it_does.sql.`);
  const sql = (await readFile(`${folder}/${name}`, "utf8")).replaceAll("\r\n", "\n");
  const sha256 = createHash("sha256").update(sql).digest("hex");
  return {
    number,
    name,
    sql,
    sha256,
    needsStop: /^-- Stop:/m.test(sql),
    concurrently: readConcurrentStatements(name, sql),
  };
}

/**
 * Applies all missing migrations in order, each in its own transaction or, where its file says so, outside of one. Any
 * number of processes may call it at once. Throws `MigrationRefused` if an applied file has changed or is missing, or
 * if the database has a newer migration that excludes this program.
 */
export async function migrate(
  database: OpenDatabase,
  { clock, logger }: { clock: Clock; logger: Logger },
  folder?: string,
): Promise<void> {
  if (database.isPooled) throw new MigrationRefused(NEEDS_POSTGRES_ITSELF);
  const migrations = await readMigrations(folder);
  await database.withSession(async (session) => {
    await takeLock(session);
    try {
      for (;;) {
        const applied = await applyPatiently(session, migrations, clock, logger);
        if (applied === null) return;
        logger.info("database.migrated", { migration: applied.name });
      }
    } finally {
      // If the connection is lost, the lock is released anyway.
      await session.query("select pg_advisory_unlock($1)", [lockNumber]).catch(() => undefined);
    }
  });
}

/**
 * Polls for the lock instead of waiting in the database. A concurrent index build waits for every statement that began
 * before it, so a waiting process and the build would wait for each other.
 */
async function takeLock(session: Session): Promise<void> {
  for (;;) {
    const { rows }: { rows: ReadonlyArray<{ readonly taken?: unknown }> } = await session.query(
      "select pg_try_advisory_lock($1) as taken",
      [lockNumber],
    );
    if (rows[0]?.taken === true) return;
    await wait(LOCK_POLL_MS);
  }
}

/**
 * Whether the database has every migration of this program. It may have newer ones, because the previous version keeps
 * running during a deployment. Throws like `migrate`.
 */
export async function hasAllMigrations(
  { withSession }: Pick<OpenDatabase, "withSession">,
  migrations: readonly Migration[],
): Promise<boolean> {
  return withSession(async (session) => {
    if (!(await hasTable(session, "schema_migrations"))) return false;
    return nextMigration(migrations, await readApplied(session)) === null;
  });
}

/** Whether a table exists, in a database that may lack migrations. */
export async function hasTable(session: Session, table: string): Promise<boolean> {
  const { rows }: { rows: ReadonlyArray<{ readonly name?: unknown }> } = await session.query(
    "select to_regclass($1) as name",
    [table],
  );
  return rows[0]?.name != null;
}

/**
 * A probe: whether the database has every migration that this program had at its start. A build of the next version may
 * replace the files while it runs.
 */
export function migrationCheck(database: OpenDatabase): () => Promise<boolean> {
  const migrations = readMigrations();
  return async () => hasAllMigrations({ withSession: database.withProbe }, await migrations);
}

/** Throws `MigrationRefused` if the database lacks a migration of this program. */
export async function requireMigrations(database: OpenDatabase): Promise<void> {
  if (await hasAllMigrations(database, await readMigrations())) return;
  throw new MigrationRefused("The database lacks migrations of this version. Run `pnpm aapd migrate` first.");
}

async function readApplied(session: Session): Promise<readonly AppliedMigration[]> {
  // Read as JSON, because in an earlier version the table lacks this column.
  const text =
    "select number, name, sha256, (to_jsonb(m) ->> 'needs_stop')::boolean as needs_stop from schema_migrations m order by number";
  const { rows }: { rows: readonly AppliedMigration[] } = await session.query(text, []);
  return rows;
}

/**
 * How long a migration waits for a lock. While it waits, every statement on the table queues behind it, so it gives up
 * soon and retries once those have run.
 */
const LOCK_WAIT_MS = 2_000;
const LOCK_PAUSE_MS = 1_000;
const LOCK_TRIES_MAX = 60;

/** Calls `applyNext` again and again while other transactions hold the locks that it needs. */
async function applyPatiently(
  session: Session,
  migrations: readonly Migration[],
  clock: Clock,
  logger: Logger,
): Promise<Migration | null> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await applyNext(session, migrations, clock);
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
      if (tries === LOCK_TRIES_MAX)
        throw new MigrationRefused(
          "Other transactions held the locks that a migration needs, each time that it tried. Nothing of it was applied; end long transactions (reports, dumps) and run it again.",
          { cause: error },
        );
      logger.info("database.migration_waits", { count: tries });
      await wait(LOCK_PAUSE_MS);
    }
  }
}

/** Applies the first missing migration; returns null if none is missing. */
async function applyNext(session: Session, migrations: readonly Migration[], clock: Clock): Promise<Migration | null> {
  const next = await inOneTransaction(session, async () => {
    await session.script(
      "create table if not exists schema_migrations (number int primary key, name text not null, sha256 text not null, applied_at timestamptz not null, needs_stop boolean)",
    );
    const missing = nextMigration(migrations, await readApplied(session));
    if (missing === null) return null;
    await session.script("alter table schema_migrations add column if not exists needs_stop boolean");
    if (missing.concurrently !== null) return missing;
    await session.script(missing.sql);
    await record(session, missing, clock);
    return missing;
  });
  if (next?.concurrently == null) return next;
  await runConcurrently(session, next.concurrently);
  await record(session, next, clock);
  return next;
}

async function inOneTransaction<T>(session: Session, run: () => Promise<T>): Promise<T> {
  await session.query("begin", []);
  try {
    await session.script(`set local lock_timeout = ${LOCK_WAIT_MS}; set local statement_timeout = 0`);
    const result = await run();
    await session.query("commit", []);
    return result;
  } catch (error) {
    await session.query("rollback", []).catch(() => undefined);
    throw error;
  }
}

async function record(session: Session, { number, name, sha256, needsStop }: Migration, clock: Clock): Promise<void> {
  await session.query(
    "insert into schema_migrations (number, name, sha256, applied_at, needs_stop) values ($1, $2, $3, $4, $5)",
    [number, name, sha256, clock.now(), needsStop],
  );
}

/** Returns the next migration to apply; throws if the files and the applied migrations differ. */
export function nextMigration(
  migrations: readonly Migration[],
  applied: readonly AppliedMigration[],
): Migration | null {
  for (const [index, row] of applied.entries()) {
    const file = migrations[index];
    if (file === undefined) requireHarmless(row);
    else requireSame(file, row);
  }
  return migrations[applied.length] ?? null;
}

/**
 * Throws if an unknown, newer migration is marked `-- Stop:`; other newer migrations are compatible with this program.
 */
function requireHarmless({ name, needs_stop: needsStop }: AppliedMigration): void {
  if (needsStop === false) return;
  throw new MigrationRefused(
    `The database has migration ${name}, which is newer than this program and incompatible with it. Start the newer program.`,
  );
}

function requireSame(file: Migration, row: AppliedMigration): void {
  if (file.number !== row.number)
    throw new MigrationRefused(`The database has migration ${row.name} where this program has ${file.name}.`);
  if (file.sha256 !== row.sha256) {
    throw new MigrationRefused(
      `${file.name} was changed after it had been applied. Restore it and put the change into a new migration.`,
    );
  }
}
