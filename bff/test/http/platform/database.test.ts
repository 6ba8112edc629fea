/** @module-tag both-databases */
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openDatabase } from "../../../src/platform/database/database.ts";
import {
  DatabaseUnavailable,
  isCheckViolation,
  isForeignKeyViolation,
  isLockTimeout,
  isUniqueViolation,
  QueryOutsideTransaction,
  TransactionRolledBack,
} from "../../../src/platform/database/errors.ts";
import { type Database, inTransaction } from "../../../src/platform/database/transaction.ts";
import { asApiError } from "../../../src/platform/http/render-error.ts";
import { silentLogger } from "../../../src/platform/logger.ts";
import { openTestDatabase, type TestDatabase, testDatabaseKind } from "../../database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
  await sql`create table samples (id int primary key, amount int8 not null, constraint samples_amount_positive check (amount > 0))`.execute(
    database.db,
  );
  await sql`create table parts (sample_id int not null references samples (id))`.execute(database.db);
});
afterAll(() => database.close());

async function read(expression: ReturnType<typeof sql>): Promise<unknown> {
  const { rows } = await sql<{ value: unknown }>`select ${expression} as value`.execute(database.db);
  return rows[0]?.value;
}

describe("a value reads the same from both databases", () => {
  it.each([
    ["int2", "'7'::int2", 7],
    ["int4", "'-7'::int4", -7],
    ["int8", "'9007199254740991'::int8", 9_007_199_254_740_991],
    ["count", "(select count(*) from (values (1), (2)) v)", 2],
    ["sum of int4", "(select sum(v.column1) from (values (1), (2)) v)", 3],
    ["sum of int8", "(select sum(v.column1) from (values (1::int8), (2)) v)", 3],
    ["numeric with decimals", "'1.50'::numeric", "1.50"],
    ["numeric past the safe integers", "'9007199254740993'::numeric", "9007199254740993"],
    ["numeric that is whole", "'12'::numeric", 12],
    ["float8", "'1.5'::float8", 1.5],
    ["bool", "true", true],
    ["text", "'María José O''Ryan'::text", "María José O'Ryan"],
    ["uuid", "'5A4F0C1E-0000-4000-8000-000000000001'::uuid", "5a4f0c1e-0000-4000-8000-000000000001"],
    ["date", "'2026-09-06'::date", "2026-09-06"],
    ["timestamptz", "'2026-04-04 23:30:00.123-04'::timestamptz", new Date("2026-04-05T03:30:00.123Z")],
    ["timestamptz without milliseconds", "'2026-04-04 23:30:00+00'::timestamptz", new Date("2026-04-04T23:30:00Z")],
    ["jsonb", `'{"a": [1, null, "x"]}'::jsonb`, { a: [1, null, "x"] }],
    ["jsonb of one value", `'"x"'::jsonb`, "x"],
    ["json", `'[1]'::json`, [1]],
    ["bytea", "'\\x00ff10'::bytea", Buffer.from([0, 255, 16])],
    ["int4[]", "'{1,null,3}'::int4[]", [1, null, 3]],
    [
      "int4[][]",
      "'{{1,2},{3,4}}'::int4[]",
      [
        [1, 2],
        [3, 4],
      ],
    ],
    [
      "text[]",
      `array['a b', 'c"d', 'e\\f', '', 'NULL', null, '{g,h}']`,
      ["a b", 'c"d', "e\\f", "", "NULL", null, "{g,h}"],
    ],
    ["uuid[]", "array['5a4f0c1e-0000-4000-8000-000000000001'::uuid]", ["5a4f0c1e-0000-4000-8000-000000000001"]],
    ["timestamptz[]", "array['2026-04-04 23:30:00+00'::timestamptz]", [new Date("2026-04-04T23:30:00Z")]],
    ["jsonb[]", `array['{"a":1}'::jsonb]`, [{ a: 1 }]],
    ["empty array", "'{}'::text[]", []],
    ["null", "null::int8", null],
  ])("%s", async (_type, expression, expected) => {
    expect(await read(sql.raw(expression))).toEqual(expected);
  });

  it("an int8 beyond the safe integers throws instead of losing its last digits", async () => {
    await expect(read(sql.raw("'9007199254740993'::int8"))).rejects.toThrow(RangeError);
  });

  it("a time from a server in another time zone is the same moment", async () => {
    await inTransaction(database.db, async (tx) => {
      await sql`set local time zone 'Asia/Kolkata'`.execute(tx);
      const { rows } = await sql<{ value: Date }>`select '2026-04-04 23:30:00+00'::timestamptz as value`.execute(tx);
      expect(rows[0]?.value).toEqual(new Date("2026-04-04T23:30:00Z"));
    });
  });
});

describe("a parameter arrives the same at both databases", () => {
  it.each<[string, string, unknown, unknown]>([
    ["a number", "int8", 9_007_199_254_740_991, 9_007_199_254_740_991],
    ["a bigint", "int8", 5n, 5],
    ["a boolean", "bool", false, false],
    ["a date and time", "timestamptz", new Date("2026-04-05T03:30:00.123Z"), new Date("2026-04-05T03:30:00.123Z")],
    ["a day", "date", "2026-04-05", "2026-04-05"],
    ["bytes", "bytea", new Uint8Array([0, 255, 16]), Buffer.from([0, 255, 16])],
    ["an object", "jsonb", { a: { b: 'ñ"\\' } }, { a: { b: 'ñ"\\' } }],
    ["an array as JSON text", "jsonb", JSON.stringify([1, "x"]), [1, "x"]],
    [
      "an array",
      "text[]",
      ["a,b", 'c"d', "e\\f", "", null, "NULL", "{}"],
      ["a,b", 'c"d', "e\\f", "", null, "NULL", "{}"],
    ],
    ["an array of moments", "timestamptz[]", [new Date(0)], [new Date(0)]],
    ["an array of bytes", "bytea[]", [new Uint8Array([1, 2])], [Buffer.from([1, 2])]],
    ["null", "text", null, null],
    ["long text", "text", "ñ".repeat(300_000), "ñ".repeat(300_000)],
  ])("%s", async (_what, type, value, expected) => {
    expect(await read(sql`${value}::${sql.raw(type)}`)).toEqual(expected);
  });
});

describe("statements", () => {
  it("are named, so that the database parses each text once", async () => {
    const name = await inTransaction(database.db, async (tx) => {
      for (let index = 0; index < 3; index += 1) await sql`select ${index}::int as probe_of_names`.execute(tx);
      const { rows } = await sql<{
        name: string;
      }>`select name from pg_prepared_statements where statement like 'select %probe_of_names'`.execute(tx);
      return rows.map((row) => row.name);
    });
    expect(name).toEqual([expect.stringMatching(/^q_[\w-]{16}$/)]);
  });

  it("stay usable after a failure, and after their transaction was rolled back", async () => {
    const divide = (by: number) => sql<{ value: number }>`select 10 / ${by}::int as value`.execute(database.db);
    await expect(divide(0)).rejects.toMatchObject({ code: "22012" });
    expect((await divide(5)).rows).toEqual([{ value: 2 }]);
    for (let index = 0; index < 2; index += 1)
      await expect(sql`select * from no_such_table`.execute(database.db)).rejects.toMatchObject({ code: "42P01" });
  });

  it("run without a name beyond the limit", async () => {
    await Promise.all(Array.from({ length: 1_100 }, (_, index) => sql.raw(`select ${index}`).execute(database.db)));
    expect(await read(sql.raw("1"))).toBe(1);
  });
});

describe("errors", () => {
  it("name the violated constraint", async () => {
    const insert = (id: number, amount: number) =>
      sql`insert into samples values (${id}, ${amount})`.execute(database.db).then(
        () => null,
        (error: unknown) => error,
      );
    expect(await insert(1, 5)).toBeNull();
    const duplicate = await insert(1, 5);
    expect(isUniqueViolation(duplicate, "samples_pkey")).toBe(true);
    expect(isUniqueViolation(duplicate, "another_key")).toBe(false);
    expect(isUniqueViolation(duplicate)).toBe(true);
    const negative = await insert(2, -5);
    expect(isCheckViolation(negative, "samples_amount_positive")).toBe(true);
    expect(isUniqueViolation(negative)).toBe(false);
    const orphan = await sql`insert into parts values (99)`.execute(database.db).catch((error: unknown) => error);
    expect(isForeignKeyViolation(orphan, "parts_sample_id_fkey")).toBe(true);
  });

  it("are DatabaseUnavailable if the database cannot be reached", async () => {
    const nowhere = await openDatabase(
      { url: "postgres://nobody@127.0.0.1:1/none", connectTimeoutMs: 500 },
      silentLogger,
    );
    await expect(nowhere.ping()).rejects.toBeInstanceOf(DatabaseUnavailable);
    await expect(sql`select 1`.execute(nowhere.db)).rejects.toBeInstanceOf(DatabaseUnavailable);
    await expect(inTransaction(nowhere.db, async () => 1)).rejects.toBeInstanceOf(DatabaseUnavailable);
    await nowhere.close();
  });

  it("are DatabaseUnavailable if the database was closed, and closing twice is harmless", async () => {
    const closed = await openDatabase({ url: database.url }, silentLogger);
    await closed.ping();
    await Promise.all([closed.close(), closed.close()]);
    await expect(closed.ping()).rejects.toBeInstanceOf(DatabaseUnavailable);
  });

  it.runIf(testDatabaseKind === "postgres")(
    "a broken connection gives DatabaseUnavailable once, and the next query gets a new one",
    async () => {
      const other = await openDatabase({ url: database.url, connectionsMax: 1 }, silentLogger);
      const cut = inTransaction(other.db, async (tx) => {
        const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx);
        await sql`select pg_terminate_backend(${rows[0]?.pid})`.execute(database.db);
        await sql`select 1`.execute(tx);
      });
      await expect(cut).rejects.toBeInstanceOf(DatabaseUnavailable);
      await other.ping();
      await other.close();
    },
  );

  describe.runIf(testDatabaseKind === "postgres")("a plan that a migration outdated is replaced", () => {
    const read = async (db: Database) => (await sql`select * from evolving`.execute(db)).rows;

    it.each([
      ["in a transaction", (db: Database) => inTransaction(db, read)],
      ["of a statement by itself", read],
    ])("%s", async (_where, readAll) => {
      await sql`create table evolving (a int)`.execute(database.db);
      const other = await openDatabase({ url: database.url, connectionsMax: 1 }, silentLogger);
      await readAll(other.db);
      await sql`alter table evolving add column b int`.execute(database.db);
      await expect(readAll(other.db)).resolves.toEqual([]);
      await other.close();
      await sql`drop table evolving`.execute(database.db);
    });
  });
});

describe.runIf(testDatabaseKind === "postgres")("a transaction that never releases a row", () => {
  it("makes others wait for a limited time, after which they can retry", async () => {
    const { db, close, watchStatements } = await openDatabase({ url: database.url, lockTimeoutMs: 50 }, silentLogger);
    await sql`insert into samples values (901, 1)`.execute(db);
    const outcomes: string[] = [];
    watchStatements((outcome) => void outcomes.push(outcome));
    await inTransaction(database.db, async (tx) => {
      await sql`select from samples where id = 901 for update`.execute(tx);
      const error = await sql`update samples set amount = 2 where id = 901`
        .execute(db)
        .catch((thrown: unknown) => thrown);
      expect(isLockTimeout(error)).toBe(true);
      expect(asApiError(error).code).toBe("service_unavailable");
      // The alert DatabaseLocked counts these.
      expect(outcomes).toEqual(["blocked"]);
    });
    await sql`delete from samples where id = 901`.execute(db);
    await close();
  });

  it("is rolled back when it stays idle", async () => {
    const { db, close } = await openDatabase({ url: database.url, idleInTransactionTimeoutMs: 50 }, silentLogger);
    await sql`insert into samples values (902, 1)`.execute(db);
    const held = inTransaction(db, async (tx) => {
      await sql`select from samples where id = 902 for update`.execute(tx);
      // Waits for the row locked by the silent transaction, so that both end together.
      await sql`update samples set amount = 2 where id = 902`.execute(database.db);
      await sql`select 1`.execute(tx);
    });
    await expect(held).rejects.toThrow(DatabaseUnavailable);
    await sql`delete from samples where id = 902`.execute(db);
    await close();
  });
});

describe("a transaction", () => {
  const count = async () =>
    Number(
      (await sql<{ n: number }>`select count(*) as n from samples where id >= 100`.execute(database.db)).rows[0]?.n,
    );

  it("is committed as a whole or not at all", async () => {
    await inTransaction(database.db, async (tx) => {
      await sql`insert into samples values (100, 1)`.execute(tx);
    });
    const failing = inTransaction(database.db, async (tx) => {
      await sql`insert into samples values (101, 1)`.execute(tx);
      throw new Error("changed our mind");
    });
    await expect(failing).rejects.toThrow("changed our mind");
    expect(await count()).toBe(1);
  });

  it("runs again after a deadlock or a serialization failure, up to a limited number of times", async () => {
    for (const state of ["40001", "40P01"]) {
      let runs = 0;
      const conflicting = (failures: number) =>
        inTransaction(database.db, async (tx) => {
          runs += 1;
          if (runs <= failures)
            await sql.raw(`do $$ begin raise exception using errcode = '${state}'; end $$`).execute(tx);
          return runs;
        });
      expect(await conflicting(3)).toBe(4);
      runs = 0;
      await expect(conflicting(99)).rejects.toMatchObject({ code: state });
      expect(runs).toBe(5);
    }
  });

  it("does not run again after any other error", async () => {
    let runs = 0;
    const failing = inTransaction(database.db, async (tx) => {
      runs += 1;
      await sql`insert into samples values (100, 1)`.execute(tx);
    });
    await expect(failing).rejects.toSatisfy((error: unknown) => isUniqueViolation(error, "samples_pkey"));
    expect(runs).toBe(1);
  });

  it("reports that nothing was written if it swallowed a statement's error", async () => {
    const swallowing = inTransaction(database.db, async (tx) => {
      await sql`insert into samples values (102, 1)`.execute(tx);
      await sql`insert into samples values (102, 1)`.execute(tx).catch(() => undefined);
    });
    await expect(swallowing).rejects.toBeInstanceOf(TransactionRolledBack);
    expect(await count()).toBe(1);
  });

  it("reads committed data unless it requests more", async () => {
    const level = (isolation?: "serializable") =>
      inTransaction(
        database.db,
        async (tx) =>
          (await sql<{ level: string }>`select current_setting('transaction_isolation') as level`.execute(tx)).rows[0]
            ?.level,
        isolation ? { isolation } : {},
      );
    expect(await level()).toBe("read committed");
    expect(await level("serializable")).toBe("serializable");
  });

  it("is not disturbed by concurrent queries and transactions", async () => {
    const seen: number[] = [];
    const concurrentQueries = Array.from({ length: 20 }, (_, index) =>
      inTransaction(database.db, async (tx) => {
        await sql`insert into samples values (${200 + index}, 1)`.execute(tx);
        await sql`insert into parts values (${200 + index})`.execute(tx);
        seen.push(index);
      }),
    );
    const alone = Array.from({ length: 20 }, () => read(sql.raw("1")));
    await Promise.all([...concurrentQueries, ...alone]);
    expect(seen).toHaveLength(20);
    expect(await count()).toBe(21);
  });
});

describe.runIf(testDatabaseKind === "pglite")("the one session of the embedded database", () => {
  it("serves its callers in the order of their arrival", async () => {
    const order: string[] = [];
    const note = (name: string) => async () => void order.push(name);
    const first = inTransaction(database.db, async (tx) => {
      await sql`select 1`.execute(tx);
      await sql`select 2`.execute(tx);
      order.push("transaction");
    });
    const others = ["a", "b", "c"].map((name) => read(sql.raw("1")).then(note(name)));
    await Promise.all([first, ...others]);
    expect(order).toEqual(["transaction", "a", "b", "c"]);
  });

  it("refuses a query that would wait for the transaction that waits for it", async () => {
    const past = inTransaction(database.db, async () => read(sql.raw("1")));
    await expect(past).rejects.toBeInstanceOf(QueryOutsideTransaction);
    expect(await read(sql.raw("1"))).toBe(1);
  });

  it("limits how long a caller waits for it", async () => {
    const patient = await openDatabase({ url: "memory://", connectTimeoutMs: 50 }, silentLogger);
    await patient.withSession(async () => {
      await expect(patient.ping()).rejects.toBeInstanceOf(DatabaseUnavailable);
    });
    await patient.ping();
    await patient.close();
  });

  it("lets the event loop run while queries wait", async () => {
    let turns = 0;
    const turning = setInterval(() => (turns += 1), 0);
    await Promise.all(Array.from({ length: 300 }, () => read(sql.raw("pg_sleep(0.001)"))));
    clearInterval(turning);
    expect(turns).toBeGreaterThan(20);
  });
});
