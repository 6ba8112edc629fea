import { sql } from "kysely";
import { afterAll, beforeAll, expect, it } from "vitest";
import { expectSoundBooks, type OrdersWorld, startOrdersWorld } from "./orders-world.ts";

/** Rounds of each race. `RACE_ROUNDS=1000` on PostgreSQL is the measured setting. */
const ROUNDS = Number(process.env.RACE_ROUNDS ?? 10);

let world: OrdersWorld;
beforeAll(async () => {
  world = await startOrdersWorld();
});
afterAll(() => world.stop());

it("eight concurrent refunds that together exceed the payment never return too much", async () => {
  const provider = world.newProvider();
  for (let round = 0; round < ROUNDS; round += 1) {
    const order = await world.paidOrder(provider);
    if (round % 2 === 1) await world.collect(order);
    const amounts = [9_000, 12_000, 3_000, 40_000, 1, 28_000, 7_777, 15_000];
    await Promise.allSettled(amounts.map((amount) => world.refund(order, { amount })));
    await world.runDue();
    const { refunded, refundAccepted } = await world.reload(order);
    expect(refunded).toBe(refundAccepted);
    expect(refunded).toBeLessThanOrEqual(40_000);
    if (round % 25 === 0) await expectSoundBooks(world, order);
  }
  // In a deadlock, PostgreSQL aborts one of the two transactions after a second, and it is retried.
  expect(await deadlocks()).toBe(0);
}, 900_000);

/** The number of deadlocks in this file's database. Those of the last second may not be counted yet. */
async function deadlocks(): Promise<number> {
  const { rows } = await sql<{ deadlocks: string }>`
    select deadlocks from pg_stat_database where datname = current_database()`.execute(world.database.db);
  return Number(rows[0]?.deadlocks ?? Number.NaN);
}

it("two concurrent payments never make two charges", async () => {
  const provider = world.newProvider();
  for (let round = 0; round < ROUNDS; round += 1) {
    const order = await world.readyOrder(provider);
    const answers = await Promise.all([world.pay(order, { key: "a" }), world.pay(order, { key: "b" })]);
    expect(answers.map(({ payment }) => payment.status)).toContain("succeeded");
    expect((await world.reload(order)).payments).toHaveLength(1);
    if (round % 25 === 0) await expectSoundBooks(world, order);
  }
  const charges = await world.sandbox.cardProcessor.listMovements(
    provider.id,
    new Date("2000-01-01"),
    new Date("2100-01-01"),
  );
  expect(charges).toHaveLength(ROUNDS);
}, 900_000);

it("a payment whose order keeps changing gives service_unavailable, and charges nothing", async () => {
  const provider = world.newProvider();
  const order = await world.readyOrder(provider);
  const { db } = world.database;
  await sql`create function changed_meanwhile() returns trigger language plpgsql as $$
    begin return case when new.state = 'paying' then null else new end; end $$`.execute(db);
  await sql`create trigger changed_meanwhile before update on orders
    for each row execute function changed_meanwhile()`.execute(db);
  await expect(world.pay(order)).rejects.toMatchObject({ code: "service_unavailable" });
  await sql`drop function changed_meanwhile cascade`.execute(db);
  expect((await world.reload(order)).payments).toEqual([]);
  expect((await world.pay(order)).payment.status).toBe("succeeded");
});
