import { expect, test } from "vitest";
import { operationsEndpoints } from "../../../src/contract/operations-endpoints.ts";
import type { ReconciliationResponse } from "../../../src/contract/reconciliation.ts";
import type { CardProcessor, SettlementLine } from "../../../src/gateways/card-processor.ts";
import { balancesOf } from "../../../src/orders/book-reads.ts";
import { bookSettlements, listSettlements, settlementLines } from "../../../src/settlement/booked-settlements.ts";
import { reconcile } from "../../../src/settlement/reconcile.ts";
import { type AfterPaidWorld, beginEach, type Clinic, DAY_MS, START } from "../after-paid/after-paid-world.ts";

let world: AfterPaidWorld;
let clinic: Clinic;
beginEach({ at: START }, (beginning) => {
  ({ world, clinic } = beginning);
});

const advance = (milliseconds: number) => world.bff.advance(milliseconds);
const db = () => world.bff.database.db;
const providerId = () => clinic.clinic.provider.id;
const always = { from: new Date("2026-01-01"), to: new Date("2100-01-01") };

async function balances(): Promise<Record<string, number>> {
  const list = await balancesOf(db(), providerId());
  expect(list.reduce((sum, { balance }) => sum + balance, 0)).toBe(0);
  return Object.fromEntries(list.map(({ account, balance }) => [account, balance]));
}

const settlements = () => listSettlements(db(), { providerId: providerId(), ...always });
const reported = () => clinic.sandbox.cardProcessor.listSettlements(providerId(), always.from, always.to);

async function differences(): Promise<string[]> {
  const { body } = await world.bff.callSpotApi(operationsEndpoints.readReconciliation, {
    as: clinic.clinic,
    query: { from: "2026-11-15", to: "2026-12-10" },
  });
  const found: ReconciliationResponse["differences"] = body.differences;
  return found.map(({ kind, reference, expected, found }) => `${kind} ${reference} ${expected} ${found}`);
}

/** Changes a line of the processor's list, as a mistake of the processor would. */
const changeMovement = (change: { amount?: number; at?: Date }, kind: "charge" | "return" = "charge") =>
  db()
    .updateTable("sandbox_movements")
    .set(change)
    .where("provider_id", "=", providerId())
    .where("kind", "=", kind)
    .execute();

test("captures are paid in less the fee and its VAT, and each order's share is known", async () => {
  const hash = await clinic.justPaid();
  await advance(3 * DAY_MS);
  // 1,49 % of $12.000 is $178,8, so $179; 19 % of that is $34,01, so $34.
  expect(await settlements()).toEqual([
    {
      id: expect.any(String),
      amount: 11_787,
      fee: 179,
      feeVat: 34,
      // 9:00 in Santiago on the day after the payment.
      paidAt: new Date("2026-11-22T12:00:00Z"),
    },
  ]);
  const [settlement] = await settlements();
  const lines = await settlementLines(db(), { providerId: providerId(), id: settlement?.id ?? "" });
  expect(lines).toMatchObject([{ kind: "charge", orderId: hash, amount: 12_000, fee: 179, feeVat: 34 }]);
  expect(await balances()).toMatchObject({
    card_processor: 12_000,
    card_settled: -12_000,
    deposits: 11_787,
    card_fee: 179,
    card_fee_vat: 34,
  });
  expect(await differences()).toEqual([]);
});

test("a return reduces the next settlement, possibly below zero, and the books follow", async () => {
  const hash = await clinic.justPaid();
  await advance(2 * DAY_MS);
  await clinic.refund(hash);
  await advance(3 * DAY_MS);
  expect((await settlements()).map(({ amount, fee }) => [amount, fee])).toEqual([
    [11_787, 179],
    [-12_000, 0],
  ]);
  expect(await balances()).toMatchObject({
    card_processor: 0,
    card_settled: 0,
    deposits: -213,
    card_fee: 179,
    card_fee_vat: 34,
  });
  expect(await differences()).toEqual([]);
});

test("each settlement is booked once, however often the days are read, even if the list comes late", async () => {
  await clinic.justPaid();
  await clinic.fault("card-processor", "listSettlements", "fail_before", 6);
  await advance(2 * DAY_MS);
  expect(await settlements()).toEqual([]);
  await advance(5 * DAY_MS);
  expect(await settlements()).toHaveLength(1);
  expect(await balances()).toMatchObject({ card_settled: -12_000 });
});

test("a day whose list was unavailable counts as not compared, and is read again, however late", async () => {
  await clinic.justPaid();
  for (let day = 1; day <= 6; day += 1) {
    // The list is first read for booking, and then for the comparison, which succeeds.
    await clinic.fault("card-processor", "listSettlements", "fail_before", 1);
    await advance(DAY_MS);
  }
  expect(await settlements()).toEqual([]);
  await advance(DAY_MS);
  expect(await settlements()).toHaveLength(1);
});

test("a charge booked late is settled by all days on which it can have been made", async () => {
  await clinic.justPaid();
  const at = new Date(START.getTime() - 6 * DAY_MS);
  await changeMovement({ at });
  await db().updateTable("payment_attempts").set({ started_at: at }).where("provider_id", "=", providerId()).execute();
  await advance(2 * DAY_MS);
  expect(await settlements()).toMatchObject([{ paidAt: new Date("2026-11-16T12:00:00Z") }]);
});

test("a settlement whose lines do not sum to its amount is a difference, and not booked, until corrected", async () => {
  await clinic.justPaid();
  const { cardProcessor } = clinic.sandbox;
  await advance(DAY_MS);
  const [settlement] = await reported();
  expect(settlement).toBeDefined();
  const short = {
    ...cardProcessor,
    listSettlements: async () =>
      (await reported()).map((one) => ({ ...one, amount: (one.amount - 1) as typeof one.amount })),
  };
  const { context, clock } = world.bff;
  const dependencies = { ...context, ...clinic.sandbox, db: db(), cardProcessor: short };
  const period = { providerId: providerId(), from: START, to: new Date(START.getTime() + 2 * DAY_MS) };
  await bookSettlements(dependencies, period, clock.now());
  expect(await settlements()).toEqual([]);
  const found = await reconcile(dependencies, period, new Date(clock.now().getTime() + DAY_MS));
  expect(found.differences).toMatchObject([
    { kind: "settlement_not_booked", reference: settlement?.id, expected: null, found: 11_786 },
  ]);
  await advance(2 * DAY_MS);
  expect(await settlements()).toHaveLength(1);
});

test("a settlement that is later reported differently, or not at all, is a difference", async () => {
  await clinic.justPaid();
  await advance(2 * DAY_MS);
  const [{ id } = { id: "" }] = await settlements();
  await changeMovement({ amount: 13_000 });
  // 1,49 % of $13.000 is $193,7, so $194, and 19 % of that $36,86, so $37. $12.769 are left.
  expect(await differences()).toContain(`settlement_amount_differs ${id} 11787 12769`);
  await changeMovement({ at: new Date("2026-10-01T12:00:00Z") });
  expect(await differences()).toContain(`settlement_missing ${id} 11787 null`);
});

test("a charge settled twice, or for another amount, is a difference", async () => {
  await clinic.justPaid();
  await advance(2 * DAY_MS);
  const [line] = await db()
    .selectFrom("card_settlement_lines")
    .selectAll()
    .where("provider_id", "=", providerId())
    .execute();
  if (line === undefined) throw new Error("There must be a settlement.");
  await db()
    .insertInto("card_settlement_lines")
    .values({ ...line, id: `${line.id}-again` })
    .execute();
  expect(await differences()).toEqual([`settled_differs ${line.source} 12000 24000`]);
});

test("a charge without a settlement after ten days is a difference from then on", async () => {
  await clinic.justPaid();
  await advance(DAY_MS);
  const hash = await clinic.justPaid();
  await advance(2 * DAY_MS);
  await db().deleteFrom("card_settlement_lines").where("order_id", "=", hash).execute();
  const isOf = (line: SettlementLine) => line.orderHash === hash;
  const { cardProcessor } = clinic.sandbox;
  const without: Pick<CardProcessor, "listMovements" | "listSettlements"> = {
    listMovements: (...asked) => cardProcessor.listMovements(...asked),
    listSettlements: async (...asked) =>
      (await cardProcessor.listSettlements(...asked)).filter(({ lines }) => !lines.some(isOf)),
  };
  const notSettled = async (days: number, processor = without) => {
    const now = new Date(START.getTime() + days * DAY_MS);
    const period = { providerId: providerId(), from: new Date(now.getTime() - 5 * DAY_MS), to: now };
    const { differences: found } = await reconcile(
      { ...clinic.sandbox, db: db(), cardProcessor: processor },
      period,
      now,
    );
    return found.filter(({ kind }) => kind === "not_settled");
  };
  expect(await notSettled(10.9)).toEqual([]);
  expect(await notSettled(11.1)).toMatchObject([{ orderId: hash, expected: 12_000, found: null }]);
  // A listed settlement that is not booked yet is not late.
  expect(await notSettled(11.1, cardProcessor)).toEqual([]);
});
