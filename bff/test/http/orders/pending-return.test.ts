import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { clp } from "../../../src/contract/vocabulary/clp.ts";
import type { CardProcessor } from "../../../src/gateways/card-processor.ts";
import type { OrderRecord } from "../../../src/orders/order-record.ts";
import { inTransaction } from "../../../src/platform/database/transaction.ts";
import { Died } from "../../died.ts";
import {
  CARDS,
  expectSoundBooks,
  fault,
  logged,
  type OrdersWorld,
  type Overrides,
  PATIENTS,
  RETURN_REFUSED,
  startOrdersWorld,
  watchedGateways,
} from "./orders-world.ts";

/*
 * A card processor may accept a return and report the result days later. Until then no event or answer reports the
 * money as returned. The return is never requested again, and ends exactly once, whatever crashes in between.
 */
let world: OrdersWorld;
beforeAll(async () => {
  world = await startOrdersWorld();
});
afterAll(() => world.stop());

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const kindsOf = (events: readonly { kind: string }[]) => events.map(({ kind }) => kind);

/** Lets hours pass step by step, so that each due inquiry is made. */
async function passHours(hours: number, overrides?: Overrides): Promise<void> {
  for (let hour = 0; hour < hours; hour += 1) {
    world.clock.advance(HOUR_MS);
    await world.runDue(overrides);
  }
}

const paidWith = (card: string) => world.paidOrder(world.newProvider(), { card });

/** The amounts that the processor has returned for an order so far. */
async function returnedOf({ providerId, orderId }: OrderRecord): Promise<number[]> {
  const [from, to] = [new Date(0), world.clock.now()];
  const listed = await world.sandbox.cardProcessor.listMovements(providerId, from, to);
  return listed.filter(({ kind, orderHash }) => kind === "return" && orderHash === orderId).map(({ amount }) => amount);
}

/** The processor, which counts its calls. */
function counted(changes: Partial<CardProcessor> = {}) {
  const asked: Record<string, number> = {};
  const hook = (method: string, moment: "before" | "after") => {
    if (moment === "before") asked[method] = (asked[method] ?? 0) + 1;
  };
  const { financingProvider, cardProcessor } = world.sandbox;
  const watched = watchedGateways({ financingProvider, cardProcessor: { ...cardProcessor, ...changes } }, hook);
  return { asked, overrides: { cardProcessor: watched.cardProcessor } };
}

/** Lets the coming hours pass step by step. Returns the minutes after which the processor was asked. */
async function minutesOfInquiries({ asked, overrides }: ReturnType<typeof counted>, hours: number): Promise<number[]> {
  const minutes: number[] = [];
  for (let minute = 1; minute <= hours * 60; minute += 1) {
    world.clock.advance(MINUTE_MS);
    const before = asked.inquireReturn ?? 0;
    await world.runDue(overrides);
    for (let more = before; more < (asked.inquireReturn ?? 0); more += 1) minutes.push(minute);
  }
  return minutes;
}

async function expectUnderWay(order: OrderRecord): Promise<void> {
  expect(await world.show(order)).toMatchObject({
    status: "paid",
    refunded_amount: 0,
    refunds: [{ status: "processing" }],
    payments: [{ returned_amount: 0 }],
  });
  expect(kindsOf(await world.events(order))).toEqual(["order.paid"]);
  expect(await returnedOf(order)).toEqual([]);
}

async function expectReturned(order: OrderRecord): Promise<void> {
  expect(await world.show(order)).toMatchObject({
    status: "refunded",
    refunded_amount: 40_000,
    refunds: [{ status: "succeeded" }],
    payments: [{ returned_amount: 12_000 }],
  });
  expect(kindsOf(await world.events(order))).toEqual(["order.paid", "order.refunded"]);
  expect(await returnedOf(order)).toEqual([12_000]);
  await expectSoundBooks(world, order);
}

describe("a return that the processor has accepted", () => {
  it("keeps the refund processing until the money is back, with ever rarer inquiries", async () => {
    const order = await paidWith(CARDS.returnPending);
    expect(await world.refund(order)).toMatchObject({ status: "paid", refund: { status: "processing" } });
    const { asked, overrides } = counted();
    await passHours(40, overrides);
    await expectUnderWay(order);
    await passHours(16, overrides);
    await expectReturned(order);
    expect(asked.returnCharge).toBeUndefined();
    expect(asked.inquireReturn).toBeLessThan(16);
  });

  it("is inquired about after 10 minutes, one hour and three hours", async () => {
    const order = await paidWith(CARDS.returnPending);
    await world.refund(order);
    expect(await minutesOfInquiries(counted(), 5)).toEqual([10, 70, 250]);
  });

  it("is first inquired about after 10 minutes, even if the processor was slow to accept it", async () => {
    const order = await paidWith(CARDS.returnPending);
    const { returnCharge } = world.sandbox.cardProcessor;
    const slow = counted({
      async returnCharge(...given) {
        world.clock.advance(11_000);
        await world.runDueNow(slow.overrides);
        return returnCharge(...given);
      },
    });
    await world.refund(order, {}, { overrides: slow.overrides });
    expect(await minutesOfInquiries(slow, 2)).toEqual([10, 70]);
  });

  it("is inquired about 10 minutes after an inquiry reported it, if the call's answer was lost", async () => {
    const order = await paidWith(CARDS.returnPending);
    const { returnCharge } = world.sandbox.cardProcessor;
    const lost = counted({ returnCharge: (...given) => returnCharge(...given).then(() => ({ outcome: "unknown" })) });
    await world.refund(order, {}, { overrides: lost.overrides });
    await world.pass(30);
    expect(await minutesOfInquiries(counted(), 2)).toEqual([10, 70]);
  });

  it("is reported at the inquiry after ten minutes if it ends after two", async () => {
    const order = await paidWith(CARDS.returnPending);
    await world.refund(order);
    const endsAt = new Date(world.clock.now().getTime() + 2 * MINUTE_MS);
    const { inquireReturn } = world.sandbox.cardProcessor;
    const returned = { outcome: "returned", returnId: "of two minutes", amount: clp(12_000) } as const;
    const { overrides } = counted({
      inquireReturn: async (call) => (world.clock.now() < endsAt ? inquireReturn(call) : returned),
    });
    await world.pass(9 * 60, overrides);
    await expectUnderWay(order);
    await world.pass(60, overrides);
    expect(await world.show(order)).toMatchObject({ status: "refunded", refunds: [{ status: "succeeded" }] });
  });

  it("fails the refund if it is refused later: nothing counts as refunded and every claim is released", async () => {
    const order = await paidWith(RETURN_REFUSED.pending);
    const { lines, overrides } = logged();
    await world.refund(order, {}, { overrides });
    await passHours(40, overrides);
    await expectUnderWay(order);
    expect(lines).toEqual([]);
    await passHours(16, overrides);
    expect(await world.show(order)).toMatchObject({
      status: "paid",
      refunded_amount: 0,
      refunds: [{ status: "failed" }],
      plan: { data: { installments: [{ status: "captured" }, { status: "scheduled" }] } },
    });
    expect(kindsOf(await world.events(order))).toEqual(["order.paid", "order.refund_failed"]);
    await expectSoundBooks(world, order);
    expect((await world.refund(order, { amount: 28_000 }, { overrides })).refund.status).toBe("succeeded");
    await expectSoundBooks(world, order);
    const line = { event: "refund.needs_attention", order_id: order.orderId, reason: "return_refused" };
    expect(lines).toEqual([expect.objectContaining(line)]);
    expect(lines[0]).not.toHaveProperty("refused_because");
  });

  it.each(["before", "after"] as const)("ends once if the process dies %s the answer is stored", async (moment) => {
    const order = await paidWith(CARDS.returnPending);
    const { financingProvider, cardProcessor } = world.sandbox;
    const dying = watchedGateways({ financingProvider, cardProcessor }, (method, when) => {
      if (method === "returnCharge" && when === "after" && moment === "before") throw new Died();
      if (method === "inquireReturn" && when === "before" && moment === "after") throw new Died();
    });
    const asked = world.refund(order, {}, { overrides: { cardProcessor: dying.cardProcessor } });
    if (moment === "before") await expect(asked).rejects.toThrow(Died);
    else await asked;
    await world.runDue({ cardProcessor: dying.cardProcessor }).catch(() => undefined);
    await passHours(40);
    await expectUnderWay(order);
    await passHours(16);
    await expectReturned(order);
  });

  it.each(["fail_after", "slow", "twice"] as const)("is found by inquiry after the fault %s", async (kind) => {
    const provider = world.newProvider();
    const order = await world.paidOrder(provider, { card: CARDS.returnPending });
    await fault(world, provider, "returnCharge", kind);
    expect((await world.refund(order)).refund.status).toBe("processing");
    await passHours(40);
    await expectUnderWay(order);
    await passHours(16);
    await expectReturned(order);
  });

  it("is never repeated, even if the processor neither knows nor lists it", async () => {
    const order = await paidWith(CARDS.returnPending);
    await world.refund(order);
    const { asked, overrides } = counted({
      inquireReturn: async () => ({ outcome: "not_found" }),
      listMovements: async () => [],
    });
    await passHours(56, overrides);
    expect(asked.returnCharge).toBeUndefined();
    expect((await world.show(order)).refunds).toMatchObject([{ status: "processing" }]);
    await passHours(6);
    await expectReturned(order);
  });

  it("allows a second refund of the same order, and each ends once", async () => {
    const order = await paidWith(CARDS.returnPending);
    await world.collect(order);
    expect((await world.refund(order, { amount: 10_000 })).refund.status).toBe("processing");
    expect((await world.refund(order, { amount: 5_000 })).refund.status).toBe("processing");
    await expect(world.refund(order, { amount: 25_001 })).rejects.toMatchObject({ code: "refund_amount_exceeds" });
    expect(await world.show(order)).toMatchObject({ status: "paid", refunded_amount: 0 });
    await passHours(56);
    expect(await world.show(order)).toMatchObject({
      status: "partially_refunded",
      refunded_amount: 15_000,
      refunds: [{ status: "succeeded" }, { status: "succeeded" }],
      payments: [{ returned_amount: 0 }, { returned_amount: 16_050 }],
    });
    expect(kindsOf(await world.events(order))).toEqual(["order.paid", "order.refunded", "order.refunded"]);
    expect((await returnedOf(order)).sort((a, b) => a - b)).toEqual([5_350, 10_700]);
    await expectSoundBooks(world, order);
  });

  it("delays the second return of a refund to two cards until the first has ended", async () => {
    const order = await paidWith(CARDS.returnPending);
    await world.collect(order);
    await world.refund(order);
    await passHours(56);
    expect(await world.show(order)).toMatchObject({
      status: "paid",
      refunds: [{ status: "processing" }],
      payments: [{ returned_amount: 0 }, { returned_amount: 30_800 }],
    });
    await passHours(56);
    expect(await world.show(order)).toMatchObject({ status: "refunded", refunds: [{ status: "succeeded" }] });
    expect(await returnedOf(order)).toEqual([30_800, 12_000]);
    await expectSoundBooks(world, order);
  });
});

describe("an accepted return of a payment that is undone", () => {
  const undone = (card: string) => world.readyOrder(world.newProvider(), { rut: PATIENTS.confirmationRefused, card });

  it("keeps the payment processing, and no event reports the money as returned until it is back", async () => {
    const order = await undone(CARDS.returnPending);
    expect((await world.pay(order)).payment.status).toBe("processing");
    await passHours(40);
    expect((await world.pay(order, { key: "pressed again" })).payment.status).toBe("processing");
    expect(await world.show(order)).toMatchObject({
      status: "pending",
      payments: [{ status: "captured", returned_amount: 0 }],
    });
    expect(await world.events(order)).toEqual([]);
    await passHours(16);
    expect(await world.show(order)).toMatchObject({ payments: [{ status: "undone", returned_amount: 12_000 }] });
    expect(kindsOf(await world.events(order))).toEqual(["order.failed"]);
    expect(await returnedOf(order)).toEqual([12_000]);
    await expectSoundBooks(world, order);
  });

  it("is inquired about after 10 minutes, one hour and three hours", async () => {
    const order = await undone(CARDS.returnPending);
    expect((await world.pay(order)).payment.status).toBe("processing");
    expect(await minutesOfInquiries(counted(), 5)).toEqual([10, 70, 250]);
  });

  it("is inquired about 10 minutes after an inquiry first reported it", async () => {
    const order = await undone(CARDS.returnPending);
    const { returnCharge } = world.sandbox.cardProcessor;
    const lost = counted({ returnCharge: (...given) => returnCharge(...given).then(() => ({ outcome: "unknown" })) });
    expect((await world.pay(order, { overrides: lost.overrides })).payment.status).toBe("processing");
    await world.pass(30);
    expect(await minutesOfInquiries(counted(), 2)).toEqual([10, 70]);
  });

  it("becomes money that an operator repays if it is refused later", async () => {
    const order = await undone(RETURN_REFUSED.pending);
    const { lines, overrides } = logged();
    await world.pay(order, { overrides });
    await passHours(40, overrides);
    expect(lines).toEqual([]);
    await passHours(16, overrides);
    expect(await world.show(order)).toMatchObject({ payments: [{ status: "captured", returned_amount: 0 }] });
    expect(await attemptsOf(order)).toMatchObject([{ attention: "return_refused", return_refusal: null }]);
    expect(kindsOf(await world.events(order))).toEqual(["order.failed"]);
    const line = { event: "payment.needs_attention", order_id: order.orderId, reason: "return_refused" };
    expect(lines).toEqual([expect.objectContaining(line)]);
    expect(lines[0]).not.toHaveProperty("refused_because");
  });

  it("is handled the same way if the charge is too old, with that reason", async () => {
    const order = await undone(RETURN_REFUSED.tooOld);
    const { lines, overrides } = logged();
    await expect(world.pay(order, { overrides })).rejects.toMatchObject({ code: "credit_declined" });
    expect(lines).toMatchObject([{ event: "payment.needs_attention", refused_because: "too_old" }]);
    expect(await attemptsOf(order)).toMatchObject([{ attention: "return_refused", return_refusal: "too_old" }]);
  });
});

const attemptsOf = ({ orderId }: OrderRecord) =>
  world.database.db.selectFrom("payment_attempts").selectAll().where("order_id", "=", orderId).execute();

describe("a charge that is too old to be returned", () => {
  it("refuses the refund with that reason, and changes nothing", async () => {
    const order = await paidWith(RETURN_REFUSED.tooOld);
    const { lines, overrides } = logged();
    await expect(world.refund(order, {}, { overrides })).rejects.toMatchObject({
      code: "refund_refused",
      additions: { reason: "card_refused", refused_because: "too_old" },
    });
    expect(lines).toMatchObject([{ event: "refund.needs_attention", refused_because: "too_old" }]);
    expect(await world.show(order)).toMatchObject({
      status: "paid",
      refunded_amount: 0,
      refunds: [{ status: "failed", refused_because: "too_old" }],
    });
    expect(kindsOf(await world.events(order))).toEqual(["order.paid"]);
    await expectSoundBooks(world, order);
  });

  it("leaves the uncollected part refundable", async () => {
    const order = await paidWith(RETURN_REFUSED.tooOld);
    await expect(world.refund(order)).rejects.toMatchObject({ code: "refund_refused" });
    expect(await world.refund(order, { amount: 28_000 })).toMatchObject({ status: "partially_refunded" });
    await expectSoundBooks(world, order);
  });
});

it("table constraints accept a return only together with its deadline", async () => {
  const order = await paidWith(CARDS.returnPending);
  await world.refund(order);
  const half = inTransaction(world.database.db, (tx) =>
    tx.updateTable("refund_movements").set({ return_ends_by: null }).where("order_id", "=", order.orderId).execute(),
  );
  await expect(half).rejects.toThrow("refund_movements_taken");
});
