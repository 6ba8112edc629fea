/** @module-tag both-databases */
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { clp } from "../../../src/contract/vocabulary/clp.ts";
import { balancesOf } from "../../../src/orders/ledger/balances.ts";
import { checkBalances, closeDays } from "../../../src/orders/ledger/close-days.ts";
import { selectClosedBefore } from "../../../src/orders/ledger/closing-store.ts";
import { recordTransfers } from "../../../src/orders/ledger/transfer-store.ts";
import { inTransaction } from "../../../src/platform/database/transaction.ts";
import { seededIds } from "../../../src/platform/ids.ts";
import { addCalendarDays, santiagoMoment } from "../../../src/platform/santiago-time.ts";
import { openTestDatabase, type TestDatabase, testDatabaseKind } from "../../database.ts";
import { troubledDatabase } from "../../troubled-database.ts";

const ids = seededIds("balances");
const NOW = new Date("2026-11-21T09:00:00Z");
const dayOf = (number: number) => addCalendarDays("2026-07-01", number);

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

const PAIRS = [
  ["card_processor", "order"],
  ["financing_provider", "order"],
  ["order", "bank"],
] as const;

let causes = 0;
/** A row of a day; the amount differs, so that no two sums are equal by chance. */
function transfer(providerId: string, day: number) {
  causes += 1;
  const [debit, credit] = PAIRS[causes % PAIRS.length] ?? PAIRS[0];
  const at = new Date(santiagoMoment(dayOf(day)).getTime() + causes);
  return { providerId, orderId: ORDER, debit, credit, amount: clp(causes), cause: `cause:${causes}`, at };
}
// A row of the ledger names an order, which need not be there.
const ORDER = "11111111-1111-4111-8111-111111111111" as Parameters<typeof recordTransfers>[2][number]["orderId"];

const book = (providerId: string, ...days: number[]) =>
  inTransaction(database.db, (tx) =>
    recordTransfers(
      tx,
      ids,
      days.map((day) => transfer(providerId, day)),
    ),
  );

/** What the rows sum to, whatever is kept. */
async function summed(providerId: string): Promise<Map<string, number>> {
  const { rows } = await sql<{ account: string; balance: number }>`
    select account, sum(amount)::bigint as balance from (
      select debit as account, amount from ledger_transfers where provider_id = ${providerId}
      union all select credit, -amount from ledger_transfers where provider_id = ${providerId}) as sides
    group by account having sum(amount) <> 0`.execute(database.db);
  return new Map(rows.map(({ account, balance }) => [account, balance]));
}

/** The balances are the sums of all rows, and the check agrees. */
async function expectRight(providerId: string): Promise<void> {
  const balances = (await balancesOf(database.db, providerId)).filter(({ balance }) => balance !== 0);
  expect(new Map(balances.map(({ account, balance }) => [account, balance]))).toEqual(await summed(providerId));
  expect(await checkBalances(database.db, { providerId, at: NOW })).toEqual([]);
}

const kept = (providerId: string) =>
  database.db.selectFrom("ledger_balances").selectAll().where("provider_id", "=", providerId).execute();

describe("a balance is the sum of the rows", () => {
  it("before any day is closed, after some are, and after all are", async () => {
    const providerId = ids.uuid();
    await closeDays(database.db, { providerId, day: dayOf(100) });
    expect(await selectClosedBefore(database.db, providerId)).toBeNull();
    await book(providerId, 0, 3, 40, 80, 99, 100);
    await expectRight(providerId);
    for (const day of [1, 50, 100, 100, 30, 101]) {
      await closeDays(database.db, { providerId, day: dayOf(day) });
      await expectRight(providerId);
    }
    expect(await selectClosedBefore(database.db, providerId)).toEqual(santiagoMoment(dayOf(101)));
  });

  it("with rows that are booked into closed days, at their edges, and of several providers at once", async () => {
    const [one, other, third] = [ids.uuid(), ids.uuid(), ids.uuid()];
    for (const providerId of [one, other, third]) await book(providerId, 0, 10);
    for (const providerId of [one, other]) await closeDays(database.db, { providerId, day: dayOf(5) });
    const edge = santiagoMoment(dayOf(5));
    const rows = [one, other, third].flatMap((providerId) =>
      [-1, 0, 1].map((late) => ({ ...transfer(providerId, 0), at: new Date(edge.getTime() + late) })),
    );
    await inTransaction(database.db, (tx) => recordTransfers(tx, ids, rows));
    for (const providerId of [one, other, third]) await expectRight(providerId);
    expect(await kept(third)).toEqual([]);
  });

  it("while many book, into open and closed days, and others close days", async () => {
    const providerId = ids.uuid();
    await book(providerId, 0);
    const bookings = Array.from(
      { length: 150 },
      (_unused, number) => () => book(providerId, number % 37, number % 11, 60),
    );
    const closings = Array.from(
      { length: 30 },
      (_unused, day) => () => closeDays(database.db, { providerId, day: dayOf(day) }),
    );
    const work = [...bookings, ...closings];
    // Every closing among bookings: 77 and the 180 have no divisor in common.
    const mixed = work.flatMap((_unused, index) => work[(index * 77) % work.length] ?? []);
    const balanced = async () => {
      const balances = await balancesOf(database.db, providerId);
      expect(balances.reduce((sum, { balance }) => sum + balance, 0)).toBe(0);
    };
    await Promise.all(mixed.flatMap((one, index) => (index % 5 === 0 ? [one(), balanced()] : [one()])));
    await closeDays(database.db, { providerId, day: dayOf(29) });
    await expectRight(providerId);
  });

  it("also where a transaction that booked is rolled back", async () => {
    const providerId = ids.uuid();
    await book(providerId, 0, 9);
    await closeDays(database.db, { providerId, day: dayOf(5) });
    const before = await kept(providerId);
    const failed = inTransaction(database.db, async (tx) => {
      await recordTransfers(tx, ids, [transfer(providerId, 1), transfer(providerId, 8)]);
      throw new Error("declined after all");
    });
    await expect(failed).rejects.toThrow("declined after all");
    expect(await kept(providerId)).toEqual(before);
    await expectRight(providerId);
  });
});

it("whatever statement a closing dies before, the balances are right, and the next closing goes on from there", async () => {
  for (let dead = 1; ; dead += 1) {
    const providerId = ids.uuid();
    await book(providerId, 0, 20, 45, 90);
    let statements = 0;
    const dying = troubledDatabase(database.db, () => {
      statements += 1;
      if (statements === dead) throw new Error("killed");
    });
    const closed = await closeDays(dying, { providerId, day: dayOf(91) }).then(
      () => true,
      () => false,
    );
    await expectRight(providerId);
    await book(providerId, 1, 91);
    await closeDays(database.db, { providerId, day: dayOf(92) });
    await expectRight(providerId);
    expect((await kept(providerId)).reduce((sum, { balance }) => sum + balance, 0)).toBe(0);
    if (closed) {
      // More than one piece, with its lock and three statements each, was interrupted everywhere.
      expect(dead).toBeGreaterThan(10);
      return;
    }
  }
});

describe.runIf(testDatabaseKind === "postgres")("of one who books and one who closes at the same moment", () => {
  /** Until somebody waits for a lock that is held. */
  async function untilSomebodyWaits(): Promise<void> {
    for (;;) {
      const { rows } = await sql`
        select from pg_locks join pg_database d on d.oid = database
        where datname = current_database() and locktype = 'advisory' and not granted`.execute(database.db);
      if (rows.length > 0) return;
    }
  }

  it("who closes waits for a row that is not committed yet, and has it", async () => {
    const providerId = ids.uuid();
    await book(providerId, 0);
    const closing = await inTransaction(database.db, async (tx) => {
      await recordTransfers(tx, ids, [transfer(providerId, 1)]);
      const closed = closeDays(database.db, { providerId, day: dayOf(5) });
      await untilSomebodyWaits();
      return { closed };
    });
    await closing.closed;
    expect(await selectClosedBefore(database.db, providerId)).toEqual(santiagoMoment(dayOf(5)));
    await expectRight(providerId);
  });

  it("who books waits for days that are being closed, and adds to them", async () => {
    const providerId = ids.uuid();
    await book(providerId, 0);
    const slow = await database.db.connection().execute(async (connection) => {
      await sql`begin`.execute(connection);
      await sql`select pg_advisory_xact_lock(7236131, hashtext(${providerId}))`.execute(connection);
      await sql`insert into ledger_closings (provider_id, closed_before) values (${providerId}, ${santiagoMoment(dayOf(5))})`.execute(
        connection,
      );
      await sql`insert into ledger_balances select provider_id, account, sum(amount) from (
        select provider_id, debit as account, amount from ledger_transfers where provider_id = ${providerId}
        union all select provider_id, credit, -amount from ledger_transfers where provider_id = ${providerId}) as sides
        group by provider_id, account`.execute(connection);
      const booked = book(providerId, 1, 7);
      await untilSomebodyWaits();
      await sql`commit`.execute(connection);
      return { booked };
    });
    await slow.booked;
    await expectRight(providerId);
  });
});

it("nobody books in a transaction that does not see what is committed meanwhile", async () => {
  const providerId = ids.uuid();
  const booked = inTransaction(database.db, (tx) => recordTransfers(tx, ids, [transfer(providerId, 1)]), {
    isolation: "repeatable read",
  });
  await expect(booked).rejects.toThrow("read committed");
});

it("a balance that is not what its rows sum to is found by the check, as old as it is", async () => {
  const providerId = ids.uuid();
  await book(providerId, 0, 1, 2);
  await closeDays(database.db, { providerId, day: dayOf(5) });
  const set = { balance: sql<number>`balance + 7` };
  await database.db
    .updateTable("ledger_balances")
    .set(set)
    .where("provider_id", "=", providerId)
    .where("account", "=", "order")
    .execute();
  const found = await checkBalances(database.db, { providerId, at: NOW });
  expect(found).toMatchObject([{ account: "order" }]);
  expect((found[0]?.kept ?? 0) - (found[0]?.booked ?? 0)).toBe(7);
  await checkBalances(database.db, { providerId, at: new Date(NOW.getTime() + 1) });
  const noted = () =>
    database.db.selectFrom("ledger_balance_differences").selectAll().where("provider_id", "=", providerId).execute();
  expect(await noted()).toMatchObject([{ account: "order", found_at: NOW }]);
});
