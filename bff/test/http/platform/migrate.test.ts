/** @module-tag both-databases */
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { movableClock } from "../../../src/platform/clock.ts";
import { openDatabase } from "../../../src/platform/database/database.ts";
import { MigrationRefused } from "../../../src/platform/database/errors.ts";
import { hasAllMigrations, migrate, readMigrations } from "../../../src/platform/database/migrate.ts";
import { inTransaction } from "../../../src/platform/database/transaction.ts";
import { silentLogger } from "../../../src/platform/logger.ts";
import { openTestDatabase, type TestDatabase, testDatabaseKind } from "../../database.ts";
import { untilWaiting } from "../../lock-waits.ts";

const clock = movableClock(new Date("2026-11-21T12:00:00Z"));
const parts = { clock, logger: silentLogger };
let database: TestDatabase;
let folder: string;

beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "migrations-"));
  await sql`drop table if exists schema_migrations, one, two, three`.execute(database.db);
  await writeFile(join(folder, "0001_one.sql"), "create table one (a int);\ncreate table two (a int);");
  return () => rm(folder, { recursive: true, force: true });
});

const tables = async () => {
  const { rows } = await sql<{
    name: string;
  }>`select table_name as name from information_schema.tables where table_name in ('one', 'two', 'three') order by 1`.execute(
    database.db,
  );
  return rows.map(({ name }) => name);
};

it("migrate applies each file once, in order, and records when", async () => {
  await writeFile(join(folder, "0002_three.sql"), "alter table two rename to three;");
  await migrate(database, parts, folder);
  await migrate(database, parts, folder);
  expect(await tables()).toEqual(["one", "three"]);
  const { rows } = await sql`select number, name, applied_at from schema_migrations order by number`.execute(
    database.db,
  );
  expect(rows).toEqual([
    { number: 1, name: "0001_one.sql", applied_at: clock.now() },
    { number: 2, name: "0002_three.sql", applied_at: clock.now() },
  ]);
});

it("a migration that fails changes nothing and can be corrected", async () => {
  await writeFile(join(folder, "0002_three.sql"), "create table three (a int); select no_such_function();");
  await expect(migrate(database, parts, folder)).rejects.toMatchObject({ code: "42883" });
  expect(await tables()).toEqual(["one", "two"]);
  await writeFile(join(folder, "0002_three.sql"), "create table three (a int);");
  await migrate(database, parts, folder);
  expect(await tables()).toEqual(["one", "three", "two"]);
});

it("migrate refuses an applied file that was changed", async () => {
  await migrate(database, parts, folder);
  await writeFile(join(folder, "0001_one.sql"), "create table one (b int);");
  await expect(migrate(database, parts, folder)).rejects.toThrow(/0001_one\.sql was changed/);
});

it("migrate ignores a checkout's line endings", async () => {
  await migrate(database, parts, folder);
  await writeFile(join(folder, "0001_one.sql"), "create table one (a int);\r\ncreate table two (a int);");
  await migrate(database, parts, folder);
});

it("the previous version keeps running after newer migrations: it is ready, and can restart", async () => {
  await writeFile(join(folder, "0002_three.sql"), "create table three (a int);");
  await migrate(database, parts, folder);
  await rm(join(folder, "0002_three.sql"));
  expect(await hasAllMigrations(database, await readMigrations(folder))).toBe(true);
  await migrate(database, parts, folder);
  expect(await tables()).toEqual(["one", "three", "two"]);
});

it("migrate refuses a database with a newer, incompatible migration", async () => {
  await writeFile(join(folder, "0002_three.sql"), "-- Stop: it writes into two.\ndrop table two;");
  await migrate(database, parts, folder);
  await rm(join(folder, "0002_three.sql"));
  await expect(hasAllMigrations(database, await readMigrations(folder))).rejects.toThrow(
    /0002_three\.sql.*incompatible/,
  );
  await expect(migrate(database, parts, folder)).rejects.toThrow(/0002_three\.sql.*incompatible/);
});

it("migrate refuses a newer migration of unknown compatibility", async () => {
  await writeFile(join(folder, "0002_three.sql"), "create table three (a int);");
  await migrate(database, parts, folder);
  await rm(join(folder, "0002_three.sql"));
  // As an earlier version wrote the row, without recording this.
  await sql`alter table schema_migrations drop column needs_stop`.execute(database.db);
  await expect(migrate(database, parts, folder)).rejects.toThrow(/0002_three\.sql.*incompatible/);
});

it("migrate accepts a table of migrations without the column needs_stop", async () => {
  await migrate(database, parts, folder);
  await sql`alter table schema_migrations drop column needs_stop`.execute(database.db);
  await writeFile(join(folder, "0002_three.sql"), "create table three (a int);");
  expect(await hasAllMigrations(database, await readMigrations(folder))).toBe(false);
  await migrate(database, parts, folder);
  expect(await hasAllMigrations(database, await readMigrations(folder))).toBe(true);
});

it("migrate refuses a file numbered between two applied ones", async () => {
  await writeFile(join(folder, "0003_three.sql"), "create table three (a int);");
  await migrate(database, parts, folder);
  await writeFile(join(folder, "0002_late.sql"), "select 1;");
  await expect(migrate(database, parts, folder)).rejects.toBeInstanceOf(MigrationRefused);
});

it("migrate refuses files whose names are out of order", async () => {
  await writeFile(join(folder, "0001_again.sql"), "select 1;");
  await expect(readMigrations(folder)).rejects.toThrow(/same number/);
  await writeFile(join(folder, "two.sql"), "select 1;");
  await expect(readMigrations(folder)).rejects.toThrow(/two\.sql is not named/);
});

it.runIf(testDatabaseKind === "postgres")("several processes that start together migrate once", async () => {
  await writeFile(join(folder, "0002_three.sql"), "select pg_sleep(0.2); create table three (a int);");
  const starting = await Promise.all(
    Array.from({ length: 5 }, () => openDatabase({ url: database.url }, silentLogger)),
  );
  await Promise.all(starting.map((other) => migrate(other, parts, folder)));
  expect(await tables()).toEqual(["one", "three", "two"]);
  await Promise.all(starting.map((other) => other.close()));
});

it.runIf(testDatabaseKind === "postgres")(
  "a migration that waits for a reader blocks others only for seconds",
  async () => {
    await migrate(database, parts, folder);
    await writeFile(join(folder, "0002_three.sql"), "alter table one add column b int;");
    const [reader, migrating] = await Promise.all(
      Array.from({ length: 2 }, () => openDatabase({ url: database.url }, silentLogger)),
    );
    if (reader === undefined || migrating === undefined) throw new Error("Two databases were opened.");
    let migration: Promise<void> | undefined;
    await inTransaction(reader.db, async (tx) => {
      await sql`select from one`.execute(tx);
      migration = migrate(migrating, parts, folder);
      await untilWaiting(database.db);
      // Answered while the reader still reads, so the migration has given way.
      await sql`select from one`.execute(database.db);
    });
    await migration;
    expect(await hasAllMigrations(database, await readMigrations(folder))).toBe(true);
    await Promise.all([reader.close(), migrating.close()]);
  },
);

const indexOfOne = async () => {
  const { rows } = await sql<{ isValid: boolean }>`
    select indisvalid as "isValid" from pg_index where indexrelid = to_regclass('one_a')`.execute(database.db);
  return rows;
};

it.runIf(testDatabaseKind === "postgres")(
  "an index is created next to a writer that does not end, and blocks no other writer",
  async () => {
    await migrate(database, parts, folder);
    await writeFile(
      join(folder, "0002_one_a.sql"),
      "-- Concurrently: one is written to all day.\ncreate index concurrently if not exists one_a on one (a);",
    );
    const [writer, migrating] = await Promise.all(
      Array.from({ length: 2 }, () => openDatabase({ url: database.url }, silentLogger)),
    );
    if (writer === undefined || migrating === undefined) throw new Error("Two databases were opened.");
    let migration: Promise<void> | undefined;
    await inTransaction(writer.db, async (tx) => {
      await sql`insert into one values (1)`.execute(tx);
      migration = migrate(migrating, parts, folder);
      await untilWaiting(database.db);
      await sql`insert into one values (2)`.execute(database.db);
    });
    await Promise.all([migration, migrate(writer, parts, folder)]);
    expect(await indexOfOne()).toEqual([{ isValid: true }]);
    expect(await hasAllMigrations(database, await readMigrations(folder))).toBe(true);
    await Promise.all([writer.close(), migrating.close()]);
  },
);

it("an index left unfinished by an earlier attempt is created again", async () => {
  await migrate(database, parts, folder);
  await sql`insert into one values (1), (1)`.execute(database.db);
  const file = "-- Concurrently: one is large.\ncreate unique index concurrently if not exists one_a on one (a);";
  await writeFile(join(folder, "0002_one_a.sql"), file);
  await expect(migrate(database, parts, folder)).rejects.toMatchObject({ code: "23505" });
  expect(await hasAllMigrations(database, await readMigrations(folder))).toBe(false);
  await sql`delete from one`.execute(database.db);
  await migrate(database, parts, folder);
  expect(await indexOfOne()).toEqual([{ isValid: true }]);
  expect(await hasAllMigrations(database, await readMigrations(folder))).toBe(true);
});

it("a statement that could not be repeated is refused outside of a transaction, before anything runs", async () => {
  const file = "-- Concurrently: one is large.\nalter table one add column b int;";
  await writeFile(join(folder, "0002_one_b.sql"), file);
  await expect(migrate(database, parts, folder)).rejects.toThrow(/0002_one_b\.sql runs outside of a transaction/);
  expect(await tables()).toEqual([]);
});

it("the product's own migrations use neither time nor randomness of the database", async () => {
  for (const { name, sql: text } of await readMigrations()) {
    const statements = text.replaceAll(/--.*$/gm, "");
    expect(statements, name).not.toMatch(
      /\bnow\(\)|current_timestamp|current_date|random\(\)|gen_random_uuid|clock_timestamp/i,
    );
  }
  expect(await readdir(new URL("../../../migrations/", import.meta.url))).toContain("0001_platform.sql");
});
