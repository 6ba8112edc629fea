import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { OrderRecord } from "../../../src/orders/order-record.ts";
import { runRefund } from "../../../src/orders/refunds/run-refund.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { providerNow } from "../../../src/platform/provider.ts";
import { Died } from "../../died.ts";
import { rowsOfOrder } from "../../rows-of-order.ts";
import { openGate } from "./hanging-call.ts";
import {
  CARDS,
  expectSoundBooks,
  type OrdersWorld,
  type Overrides,
  PATIENTS,
  startOrdersWorld,
  watchedDatabase,
  watchedGateways,
} from "./orders-world.ts";

/**
 * Kills the process at every possible place: before and after each outside call, and before each statement. The next
 * process finds only committed rows.
 */

let world: OrdersWorld;
beforeAll(async () => {
  world = await startOrdersWorld();
});
afterAll(() => world.stop());

const DEATHS_MAX = 200;

interface Scenario {
  readonly name: string;
  readonly captureFirst?: boolean;
  readonly card?: string;
  readonly rut?: typeof PATIENTS.good;
  readonly end: string;
  /** Number of outside calls during the request. */
  readonly calls: number;
}

const scenarios: readonly Scenario[] = [
  { name: "a payment that goes well", end: "paid", calls: 4 },
  { name: "a payment that captures first", captureFirst: true, end: "paid", calls: 4 },
  { name: "a declined card", card: CARDS.declined, end: "awaiting_payment", calls: 4 },
  { name: "a refused credit", rut: PATIENTS.creditRefused, end: "payment_failed", calls: 1 },
  { name: "a refused confirmation", rut: PATIENTS.confirmationRefused, end: "payment_failed", calls: 5 },
  {
    name: "a refused credit after the capture",
    captureFirst: true,
    rut: PATIENTS.creditRefused,
    end: "credit_refused",
    calls: 4,
  },
  { name: "a loan under review", rut: PATIENTS.reviewAuthorised, end: "paid", calls: 1 },
];

/** Throws at the n-th place at which the process can die. None of its code runs afterwards. */
function mortal(at: number): { overrides: Overrides; hasDied: () => boolean } {
  let places = 0;
  const step = () => {
    places += 1;
    if (places >= at) throw new Died("on purpose");
  };
  const overrides = {
    ...watchedGateways(world.sandbox, step),
    db: watchedDatabase(world.database.db, step),
  };
  return { overrides, hasDied: () => places >= at };
}

/** Lets the process die at each place in turn until there is no further one. */
async function atEachPlace(live: (overrides: Overrides, place: number) => Promise<void>): Promise<number> {
  for (let place = 1; place <= DEATHS_MAX; place += 1) {
    const { overrides, hasDied } = mortal(place);
    await live(overrides, place);
    if (!hasDied()) return place;
  }
  throw new Error("There are more places to die at than this test expects.");
}

async function expectEnd(order: OrderRecord, end: string, place: number): Promise<void> {
  const { state, payments } = await world.reload(order);
  // A process that died before its first write leaves the order unchanged.
  expect(state, `died at ${place}`).toBe(payments.length === 0 ? "awaiting_payment" : end);
  await expectSoundBooks(world, order);
}

describe("a process that dies during a payment", () => {
  it.each(scenarios)(
    "$name: the payment ends as without the crash, with at most one charge",
    async ({ captureFirst = false, card, rut, end, calls }) => {
      const provider = world.newProvider({ captureFirst });
      const places = await atEachPlace(async (overrides, place) => {
        const order = await world.readyOrder(provider, { ...(card && { card }), ...(rut && { rut }) });
        await world.pay(order, { overrides, key: "mine" }).catch(() => undefined);
        await world.pass(120);
        await expectEnd(order, end, place);
      });
      // Before and after each call, and at the statements around them. The process survives the last one.
      expect(places).toBeGreaterThan(2 * calls + (calls + 1));
    },
  );

  it("the payment also ends if each successor dies too", async () => {
    const provider = world.newProvider();
    await atEachPlace(async (overrides, place) => {
      const order = await world.readyOrder(provider);
      await world.pay(order, { overrides }).catch(() => undefined);
      for (const next of [3, 7, 12]) {
        world.clock.advance(40_000);
        await world.runDue({ ...mortal(next).overrides });
      }
      await world.pass(1_200);
      await expectEnd(order, "paid", place);
    });
  });
});

describe("a process that dies during a refund", () => {
  it.each([
    { name: "before the collection", collected: false, amount: undefined },
    { name: "partial, after the collection", collected: true, amount: 35_000 },
  ])("$name: returns the accepted amount once", async ({ collected, amount }) => {
    const provider = world.newProvider();
    await atEachPlace(async (overrides) => {
      const order = await world.paidOrder(provider);
      if (collected) await world.collect(order);
      await world.refund(order, amount === undefined ? {} : { amount }, { overrides }).catch(() => undefined);
      await world.pass(120);
      const after = await world.reload(order);
      expect([0, amount ?? 40_000]).toContain(after.refunded);
      expect(after.refunds.map(({ status }) => status)).toEqual(after.refunded === 0 ? [] : ["succeeded"]);
      await expectSoundBooks(world, order);
    });
  });
});

describe("two runners, after a lease expired while the first is still alive", () => {
  /** Parties whose answer to one call is held until `goOn` opens, as are the runner's later calls. */
  function heardLate(late: string) {
    const [arrived, goOn] = [openGate(), openGate()];
    const callsAfter: string[] = [];
    let isLate = false;
    const overrides = watchedGateways(world.sandbox, async (method, moment) => {
      if (isLate) callsAfter.push(method);
      if (method !== late || moment !== "after") return;
      arrived.open();
      await goOn.opened;
      isLate = true;
    });
    return { overrides, arrived, goOn, callsAfter };
  }

  it.each(["charge", "confirmLoan"])("a payment that hangs at $0 makes one charge and one event", async (late) => {
    const order = await world.readyOrder(world.newProvider());
    const { overrides, arrived, goOn, callsAfter } = heardLate(late);
    const first = world.pay(order, { overrides });
    await arrived.opened;
    world.clock.advance(60_000);
    await world.runDueNow();
    expect((await world.reload(order)).state).toBe("paid");
    goOn.open();
    expect((await first).payment.status).toBe("succeeded");
    expect(callsAfter).toEqual([]);
    await expectSoundBooks(world, order);
  });

  it("a payment whose credit was refused in the second runner: the first reports that nothing is left to pay", async () => {
    const provider = world.newProvider({ captureFirst: true });
    const order = await world.readyOrder(provider, { rut: PATIENTS.creditRefused });
    const { overrides, arrived, goOn, callsAfter } = heardLate("authoriseLoan");
    const first = world.pay(order, { overrides }).catch((error: unknown) => error);
    await arrived.opened;
    world.clock.advance(60_000);
    await world.runDueNow();
    expect((await world.reload(order)).state).toBe("credit_refused");
    goOn.open();
    expect([await first, callsAfter]).toMatchObject([{ code: "order_not_payable" }, []]);
    await expectSoundBooks(world, order);
  });

  it.each(["returnCharge", "reduceLoan"])(
    "a refund that hangs at $0 is returned once and publishes one event",
    async (late) => {
      const provider = world.newProvider();
      const order = await world.paidOrder(provider);
      const { overrides, arrived, goOn, callsAfter } = heardLate(late);
      const first = world.refund(order, {}, { overrides });
      await arrived.opened;
      world.clock.advance(60_000);
      await world.runDueNow();
      const before = await rowsOfOrder(world.database.db, order.orderId);
      goOn.open();
      const { status, refund } = await first;
      expect([status, refund.status, callsAfter]).toEqual(["refunded", "succeeded", []]);
      await expectSoundBooks(world, order);
      // A late runner does not end it either, if nothing is left to move.
      const { providerId, orderId } = order;
      const key = { providerId, orderId, refundId: refund.id };
      const { connectors } = world.dependencies;
      const now = () => providerNow(provider, world.clock.now());
      const run = { key, now, leaseId: systemIds.uuid(), mayHaveArrived: true, wasAnswered: () => true };
      await runRefund(world.dependencies, { ...run, connectors, endTimer: null });
      expect(await rowsOfOrder(world.database.db, orderId)).toEqual(before);
    },
  );
});
