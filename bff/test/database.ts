import { execFile } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { PGlite } from "@electric-sql/pglite";
import pg from "pg";
import { systemClock } from "../src/platform/clock.ts";
import { type DatabaseConfig, type OpenDatabase, openDatabase } from "../src/platform/database/database.ts";
import { migrate, readMigrations } from "../src/platform/database/migrate.ts";
import { dataFolderIn } from "../src/platform/database/pglite-pool.ts";
import { markEmbedded } from "../src/platform/database/transaction.ts";
import { silentLogger } from "../src/platform/logger.ts";

export interface TestDatabase extends OpenDatabase {
  /** The address at which a second pool or another process reaches the same database. PGlite in memory has none. */
  url: string;
}

/** Which database the tests run on: PGlite in memory, unless TEST_DATABASE=postgres. */
export const testDatabaseKind = process.env.TEST_DATABASE === "postgres" ? "postgres" : "pglite";

/**
 * Opens a fresh, migrated database for one test file; close it in `afterAll`. On PGlite it is a cached copy of the
 * migrated data, or an earlier database that was emptied. On PostgreSQL it is a copy of a migrated template on the
 * server at TEST_DATABASE_URL, dropped when it is closed.
 */
export async function openTestDatabase(limits: TimeLimits = {}): Promise<TestDatabase> {
  return testDatabaseKind === "postgres" ? openOnPostgres() : openInMemory(limits);
}

/** Copies for PGlite, in the machine's temporary folder. */
type TimeLimits = Pick<DatabaseConfig, "connectTimeoutMs" | "maintenanceIntervalMs">;

/** Migrated, empty databases returned by files that have finished. Starting another one takes a second of a core. */
const idle: Embedded[] = [];

interface Embedded {
  readonly lite: PGlite;
  /** The names of everything in the migrated schema, and its initial rows. */
  readonly schema: string;
}

async function openInMemory(limits: TimeLimits): Promise<TestDatabase> {
  const url = "memory://";
  const embedded = idle.pop() ?? (await startEmbedded());
  const open = await openDatabase({ url, running: embedded.lite, ...limits }, silentLogger);
  let closing: Promise<void> | undefined;
  const close = async () => {
    await open.close();
    if (await isAsNew(embedded)) idle.push(embedded);
    else await embedded.lite.close();
  };
  return { ...open, url, close: () => (closing ??= close()) };
}

async function startEmbedded(): Promise<Embedded> {
  const snapshot = (await readSnapshot()) ?? (await makeSnapshot());
  const lite = await PGlite.create({ dataDir: "memory://", loadDataDir: snapshot });
  return { lite, schema: await schemaOf(lite) };
}

/** Returns the columns of a statement's result by name and type, without running it. */
export type DescribeOnPglite = (text: string) => Promise<[name: string, type: number][]>;

/** The migrated, empty database on PGlite, to describe statements. */
export async function openForDescriptions(): Promise<{ describe: DescribeOnPglite; close: () => Promise<void> }> {
  const { lite } = await startEmbedded();
  return {
    describe: async (text) =>
      (await lite.describeQuery(text)).resultFields.map(({ name, dataTypeID }) => [name, dataTypeID]),
    close: () => lite.close(),
  };
}

async function schemaOf(lite: PGlite): Promise<string> {
  const { rows } = await lite.query<{ names: string }>(
    `select string_agg(relname, ' ' order by relname) as names from pg_class where relnamespace = 'public'::regnamespace
    union all
    select string_agg(environment || kind || version || locale, ' ' order by kind, version, locale) from legal_texts`,
  );
  return rows.map(({ names }) => names).join(" ");
}

/** Empties a database. Returns false if it was changed in a way that this cannot undo. */
async function isAsNew({ lite, schema }: Embedded): Promise<boolean> {
  if ((await schemaOf(lite)) !== schema) return false;
  const { rows } = await lite.query<{ relname: string }>(NOT_EMPTY, [MIGRATED]);
  // Prepared statement names are per pool.
  await lite.exec(`deallocate all; ${truncateText(rows)}`);
  return true;
}

/** Tables with rows that migrations have written. */
const MIGRATED = ["schema_migrations", "legal_texts"];

/** Selects the tables that were ever written to, with exceptions. */
const NOT_EMPTY =
  "select relname from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace and pg_relation_size(oid) > 0 and relname <> all($1)";

function truncateText(tables: readonly { readonly relname: string }[]): string {
  return tables.length === 0
    ? ""
    : `truncate ${tables.map(({ relname }) => relname).join(", ")} restart identity cascade`;
}

/** Empties every table that was written to, with exceptions. */
export function emptyTables(database: OpenDatabase, kept: readonly string[]): Promise<void> {
  return database.withSession(async (session) => {
    const { rows } = await session.query(NOT_EMPTY, [[...MIGRATED, ...kept]]);
    await session.script(truncateText(rows));
  });
}

/**
 * Puts a migrated database into the folder that `openDatabase` opens next, for processes that share it one after the
 * other. Creating it there from nothing takes seconds; `folder-lock.test.ts` does.
 */
export async function layTestDatabase(folder: string): Promise<void> {
  const path = await snapshotPath();
  if (!existsSync(path)) await makeSnapshot();
  const dataDir = dataFolderIn(folder);
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  await promisify(execFile)("tar", ["-x", "-f", path, "-C", dataDir]);
}

async function readSnapshot(): Promise<Blob | null> {
  const bytes = await readFile(await snapshotPath()).catch(() => null);
  return bytes === null ? null : new Blob([new Uint8Array(bytes)]);
}

async function makeSnapshot(): Promise<Blob> {
  const lite = await PGlite.create("memory://");
  const database = await openDatabase({ url: "memory://", running: lite }, silentLogger);
  await migrate(database, { clock: systemClock, logger: silentLogger });
  await database.close();
  const snapshot = await lite.dumpDataDir("none");
  await lite.close();
  const path = await snapshotPath();
  const draft = `${path}.${randomUUID()}`;
  await mkdir(dirname(path), { recursive: true });
  await purgeExpired(path);
  await writeFile(draft, Buffer.from(await snapshot.arrayBuffer()));
  await rename(draft, path);
  return snapshot;
}

/** Removes copies of older schemas, 40 MB each. This schema's may be in use. */
async function purgeExpired(current: string): Promise<void> {
  const folder = dirname(current);
  const copies = (await readdir(folder)).filter((name) => name.startsWith("test-database-") && name.endsWith(".tar"));
  const outdated = copies.filter((name) => name !== basename(current));
  await Promise.all(outdated.map((name) => rm(join(folder, name), { force: true })));
}

async function snapshotPath(): Promise<string> {
  // A folder made by one version of PGlite may not open in another.
  const pglite = await readFile(new URL("../node_modules/@electric-sql/pglite/package.json", import.meta.url), "utf8");
  const { version } = JSON.parse(pglite);
  return fileURLToPath(new URL(`../.cache/test-database-${version}-${await schemaHash()}.tar`, import.meta.url));
}

/**
 * Identifies the state of the schema. Any change of a migration, or of the code that applies migrations, changes it.
 */
async function schemaHash(): Promise<string> {
  const hash = createHash("sha256").update(
    await readFile(new URL("../src/platform/database/migrate.ts", import.meta.url)),
  );
  for (const { name, sha256 } of await readMigrations()) hash.update(`${name}:${sha256}\n`);
  return hash.digest("hex").slice(0, 16);
}

async function openOnPostgres(): Promise<TestDatabase> {
  const serverUrl = process.env.TEST_DATABASE_URL;
  if (serverUrl === undefined)
    throw new Error(
      "TEST_DATABASE=postgres needs TEST_DATABASE_URL, the address of a server on which it may create databases.",
    );
  const name = `aapd_test_${randomUUID().replaceAll("-", "")}`;
  const template = `aapd_template_${await schemaHash()}`;
  await onServer(serverUrl, async (client) => {
    await makeTemplate(client, serverUrl, template);
    // PostgreSQL's default strategy also logs each page of the template, and costs twice as much.
    await client.query(`create database ${name} template ${template} strategy file_copy`);
  });
  const url = databaseUrl(serverUrl, name);
  const { TEST_POOLER_URL: poolerUrl } = process.env;
  const database = await openDatabase(
    poolerUrl === undefined ? { url } : { url: databaseUrl(poolerUrl, name), isPooled: true },
    silentLogger,
  );
  // Under `watch-postgres.ts` a query that bypasses an open transaction is refused, as on PGlite.
  if (process.env.VITEST === "true") markEmbedded(database.db);
  const close = async () => {
    await database.close();
    await onServer(serverUrl, (client) => client.query(`drop database if exists ${name} with (force)`));
  };
  return { ...database, url: overTcp(url), close };
}

/** Connects by TCP, like a program in production or a test's proxy, instead of the socket in the server's address. */
function overTcp(databaseUrl: string): string {
  const url = new URL(databaseUrl);
  url.searchParams.delete("host");
  return url.href;
}

/**
 * Test files start in parallel. A lock on the server lets one of them create the template; copies are made one by one.
 */
async function onServer(serverUrl: string, run: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  try {
    await client.query("select pg_advisory_lock(7236102)");
    await run(client);
  } finally {
    await client.end();
  }
}

async function makeTemplate(client: pg.Client, serverUrl: string, template: string): Promise<void> {
  const { rowCount } = await client.query("select 1 from pg_database where datname = $1", [template]);
  if (rowCount === 1) return;
  const draft = `${template}_draft`;
  await client.query(`drop database if exists ${draft} with (force)`);
  await client.query(`create database ${draft}`);
  const database = await openDatabase({ url: databaseUrl(serverUrl, draft) }, silentLogger);
  try {
    await migrate(database, { clock: systemClock, logger: silentLogger });
  } finally {
    await database.close();
  }
  await client.query(`alter database ${draft} rename to ${template}`);
}

function databaseUrl(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}
