/** @module-tag both-databases */
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { clp } from "../../../src/contract/vocabulary/clp.ts";
import {
  bookLostChargeback,
  bookPaidByHand,
  bookSettlement,
  bookWriteOff,
  reduceWriteOff,
} from "../../../src/orders/book-entries.ts";
import {
  balancesOf,
  bookedOnCards,
  bookedRows,
  collectedFor,
  firstPaymentAt,
  lentTo,
  movedMoney,
  orderSums,
  ordersCollectedFrom,
  owedByOrder,
  owedFor,
  takenFromOwed,
  underWay,
} from "../../../src/orders/book-reads.ts";
import { checkBalances, closeDays, recountBalances } from "../../../src/orders/close-days.ts";
import { selectOrderBalance } from "../../../src/orders/ledger/book-store.ts";
import { selectClosedBefore, selectFirstBookedAt } from "../../../src/orders/ledger/closing-store.ts";
import { recordTransfers, transfersWith } from "../../../src/orders/ledger/transfer-store.ts";
import type { Transfer } from "../../../src/orders/ledger/transfers.ts";
import { inTransaction } from "../../../src/platform/database/transaction.ts";
import { seededIds } from "../../../src/platform/ids.ts";
import { addCalendarDays, santiagoMoment } from "../../../src/platform/santiago-time.ts";
import { openTestDatabase, type TestDatabase, testDatabaseKind } from "../../database.ts";
import { untilWaiting } from "../../lock-waits.ts";
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
/** A row on a day. Its amount is unique, so no two sums are equal by chance. */
function transfer(providerId: string, day: number) {
  causes += 1;
  const [debit, credit] = PAIRS[causes % PAIRS.length] ?? PAIRS[0];
  const at = new Date(santiagoMoment(dayOf(day)).getTime() + causes);
  return { providerId, orderId: ORDER, debit, credit, amount: clp(causes), cause: `cause:${causes}`, at };
}
// A ledger row names an order, which need not exist.
const ORDER = "11111111-1111-4111-8111-111111111111" as Parameters<typeof recordTransfers>[2][number]["orderId"];

const book = (providerId: string, ...days: number[]) =>
  inTransaction(database.db, (tx) =>
    recordTransfers(
      tx,
      ids,
      days.map((day) => transfer(providerId, day)),
    ),
  );

/** The sums of the rows, without the stored balances. */
async function summed(providerId: string): Promise<Map<string, number>> {
  const { rows } = await sql<{ account: string; balance: number }>`
    select account, sum(amount)::bigint as balance from (
      select debit as account, amount from ledger_transfers where provider_id = ${providerId}
      union all select credit, -amount from ledger_transfers where provider_id = ${providerId}) as sides
    group by account having sum(amount) <> 0`.execute(database.db);
  return new Map(rows.map(({ account, balance }) => [account, balance]));
}

/** Checks that balances equal the sums of all rows, and that `checkBalances` agrees. */
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

  it("for rows booked into closed days, at their edges, and by several providers concurrently", async () => {
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

  it("for rows at the edge of closed days, each counted once, when only one provider's days are closed", async () => {
    const [one, other] = [ids.uuid(), ids.uuid()];
    for (const providerId of [one, other]) {
      await book(providerId, 0, 4, 7);
      const atEdge = { ...transfer(providerId, 5), at: santiagoMoment(dayOf(5)) };
      await inTransaction(database.db, (tx) => recordTransfers(tx, ids, [atEdge]));
      await closeDays(database.db, { providerId, day: dayOf(3) });
    }
    for (const day of [5, 6, 8]) {
      await closeDays(database.db, { providerId: one, day: dayOf(day) });
      await expectRight(one);
      await expectRight(other);
    }
    expect(await selectClosedBefore(database.db, other)).toEqual(santiagoMoment(dayOf(3)));
  });

  it("during many concurrent bookings into open and closed days, and closings", async () => {
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
    // Mixes closings with bookings: 77 and 180 are coprime.
    const mixed = work.flatMap((_unused, index) => work[(index * 77) % work.length] ?? []);
    const balanced = async () => {
      const balances = await balancesOf(database.db, providerId);
      expect(balances.reduce((sum, { balance }) => sum + balance, 0)).toBe(0);
    };
    await Promise.all(mixed.flatMap((one, index) => (index % 5 === 0 ? [one(), balanced()] : [one()])));
    await closeDays(database.db, { providerId, day: dayOf(29) });
    await expectRight(providerId);
  });

  it("after a booking transaction was rolled back", async () => {
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

it("balances are right after a closing dies before any of its statements, and the next closing continues", async () => {
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
      // More than one batch, each with a lock and three statements, was interrupted at every point.
      expect(dead).toBeGreaterThan(10);
      return;
    }
  }
});

describe.runIf(testDatabaseKind === "postgres")("a concurrent booking and closing", () => {
  it("closing waits for an uncommitted row, and includes it", async () => {
    const providerId = ids.uuid();
    await book(providerId, 0);
    const closing = await inTransaction(database.db, async (tx) => {
      await recordTransfers(tx, ids, [transfer(providerId, 1)]);
      const closed = closeDays(database.db, { providerId, day: dayOf(5) });
      await untilWaiting(database.db);
      return { closed };
    });
    await closing.closed;
    expect(await selectClosedBefore(database.db, providerId)).toEqual(santiagoMoment(dayOf(5)));
    await expectRight(providerId);
  });

  it("booking waits for days that are being closed, and adds to them", async () => {
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
      await untilWaiting(database.db);
      await sql`commit`.execute(connection);
      return { booked };
    });
    await slow.booked;
    await expectRight(providerId);
  });

  it("booking waits for days that are being recomputed, and adds to them", async () => {
    const providerId = ids.uuid();
    await book(providerId, 0, 1, 2);
    await closeDays(database.db, { providerId, day: dayOf(5) });
    // The first row of its accounts, so there is no balance row to wait for.
    const row = { ...transfer(providerId, 3), debit: "chargeback_loss", credit: "commission" } as const;
    const recount = await inTransaction(database.db, async (tx) => {
      await recountBalances(tx, providerId);
      const booked = inTransaction(database.db, (other) => recordTransfers(other, ids, [row]));
      await untilWaiting(database.db);
      return { booked };
    });
    await recount.booked;
    await expectRight(providerId);
  });
});

it("booking is rejected in a transaction that does not see concurrent commits", async () => {
  const providerId = ids.uuid();
  const booked = inTransaction(database.db, (tx) => recordTransfers(tx, ids, [transfer(providerId, 1)]), {
    isolation: "repeatable read",
  });
  await expect(booked).rejects.toThrow("read committed");
});

it("checkBalances finds a stored balance that differs from its rows, with its first date", async () => {
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

it("a difference is deleted once it is corrected or recomputed, without effect on another provider's", async () => {
  const [one, other] = [ids.uuid(), ids.uuid()];
  const spoil = (providerId: string, by: number) =>
    database.db
      .updateTable("ledger_balances")
      .set({ balance: sql<number>`balance + ${by}` })
      .where("provider_id", "=", providerId)
      .where("account", "=", "order")
      .execute();
  const noted = async (...providerIds: string[]) => {
    const differences = database.db.selectFrom("ledger_balance_differences").select("provider_id");
    const found = await differences.where("provider_id", "in", providerIds).execute();
    return found.map(({ provider_id }) => provider_id);
  };
  const check = (providerId: string) => checkBalances(database.db, { providerId, at: NOW });
  for (const providerId of [one, other]) {
    await book(providerId, 0, 1, 2);
    await closeDays(database.db, { providerId, day: dayOf(5) });
    await spoil(providerId, 7);
    await check(providerId);
  }
  expect((await noted(one, other)).sort()).toEqual([one, other].sort());
  await spoil(one, -7);
  await check(one);
  expect(await noted(one, other)).toEqual([other]);

  await spoil(one, 3);
  await check(one);
  const keptOfOne = await kept(one);
  await inTransaction(database.db, (tx) => recountBalances(tx, other));
  expect(await noted(one, other)).toEqual([one]);
  await expectRight(other);
  expect(await kept(one)).toEqual(keptOfOne);
  for (const providerId of [one, other])
    expect(await selectClosedBefore(database.db, providerId)).toEqual(santiagoMoment(dayOf(5)));
  const never = ids.uuid();
  await book(never, 0);
  await inTransaction(database.db, (tx) => recountBalances(tx, never));
  expect([await selectClosedBefore(database.db, never), await kept(never)]).toEqual([null, []]);
});

describe("ledger reads select by provider, order, account and time", () => {
  const MOMENT = new Date("2026-08-03T12:00:00Z");
  const [ONE, OTHER, THIRD] = ["1", "2", "3"].map(
    (digit) => `${digit.repeat(8)}-1111-4111-8111-111111111111` as NonNullable<Transfer["orderId"]>,
  ) as [NonNullable<Transfer["orderId"]>, NonNullable<Transfer["orderId"]>, NonNullable<Transfer["orderId"]>];
  /** Every pair of accounts whose sides a sum could confuse. */
  const ACCOUNTS = [
    ["card_processor", "order"],
    ["order", "card_processor"],
    ["financing_provider", "order"],
    ["order", "financing_provider"],
    ["card_processor", "financing_provider"],
    ["paid_otherwise", "financing_provider"],
    ["written_off", "financing_provider"],
    ["financing_provider", "written_off"],
    ["chargeback_loss", "card_processor"],
    ["order", "bank"],
    ["bank", "order"],
    ["order", "payout_fee"],
    ["payout_fee", "order"],
    ["order", "payout_fee_vat"],
    ["payout_fee_vat", "order"],
  ] as const;
  const TIMES = [-1, 0, 1].map((late) => new Date(MOMENT.getTime() + late));
  const [providerId, otherId] = [ids.uuid(), ids.uuid()];
  let rows: readonly Transfer[];

  beforeAll(async () => {
    // Every amount is a different power of two, so no two sums are equal.
    const own = [ONE, OTHER, THIRD].flatMap((orderId, place) =>
      ACCOUNTS.map(([debit, credit], pair) => ({ orderId, debit, credit, at: TIMES[(place + pair) % 3] ?? MOMENT })),
    );
    rows = own.map((row, place) => ({ ...row, providerId, cause: `row:${place}`, amount: clp(2 ** place) }));
    const others = rows.map((row) => ({ ...row, providerId: otherId }));
    await inTransaction(database.db, (tx) => recordTransfers(tx, ids, [...rows, ...others]));
  });

  const sum = (some: readonly Transfer[], plus: (row: Transfer) => boolean) =>
    some.reduce((total, row) => total + (plus(row) ? row.amount : -row.amount), 0);
  const isOwed = ({ debit, credit }: Transfer) =>
    [debit, credit].includes("order") &&
    ![debit, credit].some((account) => ["bank", "payout_fee", "payout_fee_vat"].includes(account));
  const isCollected = ({ debit, credit }: Transfer) =>
    credit === "financing_provider" && ["card_processor", "paid_otherwise"].includes(debit);
  const of = (...orderIds: unknown[]) => rows.filter(({ orderId }) => orderIds.includes(orderId));
  const before = (row: Transfer) => row.at < MOMENT;
  const causes = (some: readonly { readonly cause: string }[]) => some.map(({ cause }) => cause).sort();
  const asked = { providerId, orderIds: [ONE, OTHER], before: MOMENT };

  it("bookedRows includes the start of the period and excludes its end", async () => {
    const period = { providerId, from: MOMENT, to: TIMES[2] ?? MOMENT };
    const read = await inTransaction(database.db, (tx) => bookedRows(tx, period));
    expect(causes(read)).toEqual(causes(rows.filter(({ at }) => at >= period.from && at < period.to)));
    expect(await selectFirstBookedAt(database.db, providerId)).toEqual(TIMES[0]);
  });

  it("lentTo and bookedOnCards return the rows of loans and of cards", async () => {
    const [lent, onCards] = await inTransaction(database.db, async (tx) => [
      await lentTo(tx, asked),
      await bookedOnCards(tx, asked),
    ]);
    const isLent = ({ debit, credit }: Transfer) =>
      debit === "financing_provider" || (debit === "order" && credit === "financing_provider");
    expect(causes(lent)).toEqual(causes(of(ONE, OTHER).filter(isLent)));
    const isOnCards = ({ debit, credit }: Transfer) => [debit, credit].includes("card_processor");
    expect(causes(onCards)).toEqual(causes(of(ONE, OTHER).filter(isOnCards)));
  });

  it("selectOrderBalance returns one account's balance of one order, or zero", async () => {
    const balance = (account: Transfer["debit"], orderId = ONE) =>
      selectOrderBalance(database.db, { providerId, orderId }, account);
    for (const account of ["order", "card_processor", "bank", "written_off"] as const) {
      const held = of(ONE).filter(({ debit, credit }) => [debit, credit].includes(account));
      expect(await balance(account)).toBe(sum(held, ({ debit }) => debit === account));
    }
    expect(await balance("commission")).toBe(0);
  });

  it("owedFor ignores payouts, by a moment or in total, and takenFromOwed lists the reductions", async () => {
    const owed = (some: readonly Transfer[]) => sum(some.filter(isOwed), ({ credit }) => credit === "order");
    expect(await owedFor(database.db, asked)).toEqual(
      new Map([ONE, OTHER].map((orderId) => [orderId, owed(of(orderId).filter(before))])),
    );
    const sums = await sql`select order_id, owed::float8 as owed from (${owedByOrder()}) as o
      where provider_id = ${providerId} order by order_id`.execute(database.db);
    expect(sums.rows).toEqual([ONE, OTHER, THIRD].map((orderId) => ({ order_id: orderId, owed: owed(of(orderId)) })));
    const read = await sql<{ order_id: string; at: Date }>`select order_id, at from (${takenFromOwed()}) as t
      where provider_id = ${providerId} order by order_id, at`.execute(database.db);
    const taken = rows.filter((row) => isOwed(row) && row.debit === "order");
    expect(read.rows.map(({ order_id, at }) => `${order_id} ${at.getTime()}`).sort()).toEqual(
      taken.map(({ orderId, at }) => `${String(orderId)} ${at.getTime()}`).sort(),
    );
  });

  it("collectedFor sums collections before a moment, and ordersCollectedFrom lists their orders", async () => {
    const collected = [ONE, OTHER].flatMap((orderId) => {
      const some = of(orderId).filter((row) => isCollected(row) && before(row));
      return some.length === 0 ? [] : [[orderId, sum(some, () => true)] as const];
    });
    expect(await collectedFor(database.db, asked)).toEqual(new Map(collected));
    expect(collected.length).toBeGreaterThan(0);
    const nothing = { ...(rows[0] as Transfer), orderId: ids.uuid() as typeof ONE, cause: "captured-only" };
    const elsewhere = { ...(rows[4] as Transfer), providerId: otherId, orderId: ids.uuid() as typeof ONE, cause: "x" };
    await inTransaction(database.db, (tx) => recordTransfers(tx, ids, [nothing, elsewhere]));
    expect((await ordersCollectedFrom(database.db, providerId)).sort()).toEqual([ONE, OTHER, THIRD]);
  });

  it("movedMoney sums the last hour of the given providers", async () => {
    const [mine, theirs, now] = [ids.uuid(), ids.uuid(), new Date("2026-08-09T12:00:00Z")];
    const row = (cause: string, amount: number, secondsAgo: number, owner = mine): Transfer => {
      const at = new Date(now.getTime() - secondsAgo * 1_000);
      return {
        providerId: owner,
        orderId: ONE,
        debit: "card_processor",
        credit: "order",
        amount: clp(amount),
        cause,
        at,
      };
    };
    const moved = [
      ...[row("capture:a", 1, 0), row("capture:b", 2, 3_599), row("capture:c", 4, 3_600), row("collection:a", 8, 60)],
      ...[row("commission:a", 16, 60), row("capture:a", 32, 60, theirs)],
    ];
    await inTransaction(database.db, (tx) => recordTransfers(tx, ids, moved));
    const clocks = sql`select ${mine}::uuid as id, ${now}::timestamptz as now`;
    expect(Object.fromEntries(await movedMoney(database.db, clocks))).toEqual({
      captured: 3,
      collected: 8,
      returned: 0,
      paid_out: 0,
    });
  });
});

describe("booking writes rows", () => {
  const booked = async (providerId: string) =>
    (
      await sql<{ row: string }>`
        select debit || ' ' || credit || ' ' || amount || ' ' || split_part(cause, ':', 1) as row
        from ledger_transfers where provider_id = ${providerId} order by cause collate "C"`.execute(database.db)
    ).rows.map(({ row }) => row);
  const at = NOW;
  const order = () => ({ providerId: ids.uuid(), orderId: ORDER as NonNullable<typeof ORDER>, at });

  it("for a repayment by hand and a lost chargeback", async () => {
    const one = order();
    await inTransaction(database.db, async (tx) => {
      await bookPaidByHand(tx, ids, { ...one, attemptId: "a", amount: clp(5) });
      await bookLostChargeback(tx, ids, { ...one, chargebackId: "c", amount: clp(7) });
    });
    expect(await booked(one.providerId)).toEqual([
      "chargeback_loss card_processor 7 chargeback",
      "order paid_by_hand 5 paid-by-hand",
    ]);
  });

  it("for each non-zero part of a settlement, in its direction", async () => {
    const [{ providerId }, { providerId: other }] = [order(), order()];
    const of = (owner: string, amount: number, fee: number, feeVat: number) =>
      inTransaction(database.db, (tx) =>
        bookSettlement(tx, ids, {
          ...{ providerId: owner, settlementId: "s", at },
          ...{ amount: clp(amount), fee: clp(fee), feeVat: clp(feeVat) },
        }),
      );
    await of(providerId, 100, 10, 0);
    await of(other, -100, 0, 1);
    expect(await booked(providerId)).toEqual([
      "card_fee card_settled 10 card-fee",
      "deposits card_settled 100 settled",
    ]);
    expect(await booked(other)).toEqual([
      "card_fee_vat card_settled 1 card-fee-vat",
      "card_settled deposits 100 settled",
    ]);
  });

  it("for a write-off of the rest of the loan, reduced by a later refund", async () => {
    const one = order();
    const lend = (debit: "order" | "financing_provider", credit: typeof debit, amount: number, cause: string) =>
      inTransaction(database.db, (tx) =>
        recordTransfers(tx, ids, [{ ...one, debit, credit, amount: clp(amount), cause }]),
      );
    const reduce = (name: string) => inTransaction(database.db, (tx) => reduceWriteOff(tx, ids, one, name));
    await lend("financing_provider", "order", 70, "loan");
    expect(await inTransaction(database.db, (tx) => bookWriteOff(tx, ids, one))).toBe(70);
    await reduce("nothing");
    await lend("order", "financing_provider", 1, "reduction");
    await reduce("first");
    await reduce("again");
    await lend("order", "financing_provider", 80, "more");
    await reduce("more");
    expect(await booked(one.providerId)).toEqual([
      ...[
        "financing_provider order 70 loan",
        "order financing_provider 80 more",
        "order financing_provider 1 reduction",
      ],
      "financing_provider written_off 1 write-off-reduced",
      "financing_provider written_off 69 write-off-reduced",
      "written_off financing_provider 70 write-off",
    ]);
  });

  it("only for amounts other than zero", async () => {
    const one = order();
    const row = (amount: number) => ({
      ...({ ...one, debit: "order", credit: "bank" } as const),
      ...{ amount: clp(amount), cause: `cause-${amount}` },
    });
    await inTransaction(database.db, (tx) => recordTransfers(tx, ids, [row(0)]));
    expect(await booked(one.providerId)).toEqual([]);
    // Nothing is booked if the owning row was not written, for example after a lost lease.
    await sql`with lost as (select where false) ${transfersWith("lost", ids, [row(1)])}`.execute(database.db);
    expect(await booked(one.providerId)).toEqual([]);
    await inTransaction(database.db, (tx) => recordTransfers(tx, ids, [row(0), row(1)]));
    expect(await booked(one.providerId)).toEqual(["order bank 1 cause-1"]);
  });
});

describe("the daily comparison's input", () => {
  const FROM = new Date("2026-09-01T00:00:00Z");
  const TO = new Date("2026-09-02T00:00:00Z");
  const BEFORE = new Date(FROM.getTime() - 1);
  const CARD = JSON.stringify({ id: "card", brand: "visa", last4: "6623" });

  /** An order with payments, refunds and ledger rows of every kind. The amounts show which ones are counted. */
  async function writeOrder(providerId: string, updatedAt: Date, isPaid = true) {
    const [id, first, later, processing] = [ids.uuid(), ids.uuid(), ids.uuid(), ids.uuid()];
    const [refund, done, ofFirst, ofLater, ofDone] = [ids.uuid(), ids.uuid(), ids.uuid(), ids.uuid(), ids.uuid()];
    const { db } = database;
    const key = sql`${providerId}::uuid, ${id}::uuid`;
    await sql`
      insert into orders (provider_id, id, environment, reference, state, total, first_part, deferred_part, commission_basis_points,
        customer_rut, customer_first_name, customer_last_name, customer_email, customer_phone, paid_at, refunded, refund_accepted,
        created_by, created_at, updated_at)
      values (${key}, 'staging', ${id}, ${isPaid ? "partially_refunded" : "awaiting_payment"}, 40000, 12000, 28000, 700,
        '40100000-1', 'Camila', 'Rojas', 'camila@example.com', '+56912345678', ${isPaid ? BEFORE : null}, ${isPaid ? 8_000 : 0}, ${isPaid ? 8_000 : 0},
        ${providerId}, ${BEFORE}, ${updatedAt})`.execute(db);
    await sql`
      insert into order_payments (provider_id, order_id, id, number, kind, status, amount, return_accepted, returned, disputed,
        commission, commission_return_accepted, card, charge_id, created_at, updated_at)
      values (${key}, ${first}, 1, 'first', 'captured', 12000, 12000, 12000, 500, 0, 0, ${CARD}, ${first}, ${FROM}, ${FROM}),
        (${key}, ${later}, 2, 'deferred', 'captured', 30000, 1000, 1000, 0, 2000, 300, ${CARD}, ${later}, ${FROM}, ${FROM}),
        (${key}, ${processing}, 3, 'deferred', 'processing', 7000, 0, 0, 0, 50, 0, ${CARD}, null, ${FROM}, ${FROM})`.execute(
      db,
    );
    await sql`
      insert into payments_otherwise (provider_id, order_id, id, amount, commission, evidence, booked_by, created_at, updated_at)
      values (${key}, ${ids.uuid()}, 5000, 400, 'seen', 'somebody', ${FROM}, ${FROM})`.execute(db);
    await sql`
      insert into order_refunds (provider_id, order_id, id, number, amount, whole_rest, status, allocated, created_by, created_at, updated_at)
      values (${key}, ${refund}, 1, 4000, false, 'processing', true, ${providerId}, ${FROM}, ${FROM}),
        (${key}, ${done}, 2, 4000, false, 'succeeded', true, ${providerId}, ${FROM}, ${FROM})`.execute(db);
    await sql`
      insert into refund_movements (provider_id, order_id, refund_id, id, position, kind, payment_id, amount, commission, status, updated_at)
      values (${key}, ${refund}, ${ofFirst}, 0, 'card_return', ${first}, 2000, 0, 'pending', ${FROM}),
        (${key}, ${refund}, ${ofLater}, 1, 'card_return', ${later}, 2000, 0, 'pending', ${FROM}),
        (${key}, ${done}, ${ofDone}, 0, 'card_return', ${later}, 4000, 0, 'done', ${FROM})`.execute(db);
    await sql`
      insert into payment_attempts (provider_id, order_id, id, state, capture_first, quote, inquiries, started_at, updated_at, ended_at)
      values (${key}, ${first}, 'succeeded', false, '{}', 0, ${FROM}, ${FROM}, ${FROM}),
        (${key}, ${later}, 'capturing', false, '{}', 0, ${updatedAt}, ${FROM}, null)`.execute(db);
    const rows = [
      ["card_processor", "order", 1, `capture:${first}`],
      ["order", "card_processor", 2, `return:${ofFirst}`],
      ["order", "card_processor", 4, `return:${ofLater}`],
      ["order", "bank", 8, `payout:${id}`],
      ["card_processor", "financing_provider", 16, `collection:${later}`],
      ["card_processor", "commission", 32, `commission:${later}`],
      ["commission", "card_processor", 64, `commission-return:${later}`],
      ["card_processor", "vat", 128, `vat:${later}`],
      ["vat", "card_processor", 256, `vat-return:${later}`],
      ["paid_otherwise", "financing_provider", 512, `otherwise:${id}`],
      ["paid_otherwise", "commission", 1_024, `commission-otherwise:${id}`],
      ["paid_otherwise", "vat", 2_048, `vat-otherwise:${id}`],
      ["chargeback_loss", "card_processor", 4_096, `chargeback:${id}`],
    ] as const;
    const booked = rows.map(([debit, credit, amount, cause]) => ({
      ...{ providerId, orderId: id as NonNullable<Transfer["orderId"]>, debit, credit },
      ...{ amount: clp(amount), cause, at: FROM },
    }));
    await inTransaction(db, (tx) => recordTransfers(tx, ids, booked));
    return { id, underWay: [id, processing, refund, ofFirst, ofLater, later] };
  }

  it("has the sums of all orders that changed or are named, and the ids of everything in progress", async () => {
    const [providerId, other] = [ids.uuid(), ids.uuid()];
    const [changed, named, unpaid] = [
      await writeOrder(providerId, FROM),
      await writeOrder(providerId, TO),
      await writeOrder(providerId, new Date(TO.getTime() - 1), false),
    ];
    const rest = [await writeOrder(providerId, TO), await writeOrder(providerId, BEFORE)];
    await writeOrder(other, new Date(BEFORE.getTime() - 1));
    await writeOrder(other, FROM);
    const [sums, busy] = await inTransaction(database.db, async (tx) => [
      await orderSums(tx, { providerId, from: FROM, to: TO }, [named.id as NonNullable<Transfer["orderId"]>]),
      await underWay(tx, providerId),
    ]);
    const of = (orderId: string, price: number) => ({
      ...{ orderId, price, bookedPrice: 1 - 2 - 4 },
      ...{ collected: 30_000 - 1_000 + 5_000, bookedCollected: 16 + 32 + 128 + 512 + 1_024 + 2_048 - 4 - 64 - 256 },
      ...{ patientExcess: 500, commissionKept: 2_000 - 300 + 400, commissionDue: expect.any(Number) },
    });
    const byId = <One>(some: readonly One[], idOf: (one: One) => string) =>
      new Map(some.map((one) => [idOf(one), one]));
    expect(
      byId(
        sums.map(({ updatedAt: _at, ...rest }) => rest),
        ({ orderId }) => orderId,
      ),
    ).toEqual(byId([of(changed.id, 32_000), of(named.id, 32_000), of(unpaid.id, 0)], ({ orderId }) => orderId));
    const all = [changed, named, unpaid, ...rest].flatMap((one) => one.underWay);
    expect([...new Set(busy)].sort()).toEqual(all.sort());
    expect(await firstPaymentAt(database.db, providerId)).toEqual(BEFORE);
  });
});
