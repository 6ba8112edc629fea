import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { answerChallenge } from "../../../sandbox/card-processor/challenge.ts";
import { cancelOrder } from "../../../src/orders/lifecycle/cancel-order.ts";
import { findTransition, ORDER_TRIGGERS, type OrderState } from "../../../src/orders/order.ts";
import type { OrderRecord } from "../../../src/orders/order-record.ts";
import { ApiError } from "../../../src/platform/http/api-error.ts";
import { Died } from "../../died.ts";
import {
  CARDS,
  expectSoundBooks,
  fault,
  nowOf,
  type OrdersWorld,
  PATIENTS,
  START,
  startOrdersWorld,
  watchedGateways,
} from "./orders-world.ts";

/**
 * Random lives of an order: partners, patients, failing parties, dying processes and passing time. The books balance
 * once nothing is in progress, and the state changes only as the table allows.
 */
let world: OrdersWorld;
beforeAll(async () => {
  world = await startOrdersWorld();
});
afterAll(() => world.stop());

const steps = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("pay" as const), key: fc.constantFrom("a", "b", null) }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("card" as const), card: fc.constantFrom(...Object.values(CARDS)) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("refund" as const),
      amount: fc.option(fc.integer({ min: 1, max: 45_000 })),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("cancel" as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("collect" as const),
      ending: fc.constantFrom("captured" as const, "declined" as const),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("challenge" as const),
      choice: fc.constantFrom("approve" as const, "reject" as const, "cancel" as const),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("pass" as const), seconds: fc.constantFrom(5, 40, 700) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("fault" as const),
      method: fc.constantFrom("authoriseLoan", "authenticate", "charge", "confirmLoan", "reduceLoan", "returnCharge"),
      kind: fc.constantFrom("fail_before" as const, "fail_after" as const, "slow" as const, "twice" as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("die" as const), at: fc.integer({ min: 1, max: 8 }) }) },
);
type Step = typeof steps extends fc.Arbitrary<infer Value> ? Value : never;

const lives = fc.record({
  total: fc.constantFrom(2, 3, 10, 999, 40_000, 45_952),
  rut: fc.constantFrom(...Object.values(PATIENTS)),
  card: fc.constantFrom(...Object.values(CARDS)),
  captureFirst: fc.boolean(),
  steps: fc.array(steps, { maxLength: 12 }),
});

type Life = typeof lives extends fc.Arbitrary<infer Value> ? Value : never;

/** Rare in random lives: the answer to a collection's charge is slow. */
const SLOW_COLLECTION: Life = {
  total: 2,
  rut: PATIENTS.good,
  card: CARDS.approved,
  captureFirst: false,
  steps: [
    { do: "pay", key: "a" },
    { do: "fault", method: "charge", kind: "slow" },
    { do: "collect", ending: "captured" },
  ],
};

/** Both returns of one refund take two days, one after the other. */
const SLOW_RETURNS: Life = {
  total: 2,
  rut: PATIENTS.good,
  card: "4051885600000206",
  captureFirst: false,
  steps: [
    { do: "pay", key: "a" },
    { do: "collect", ending: "captured" },
    { do: "refund", amount: null },
  ],
};

/** Refusals are answers, and a death is expected; any other error is a defect. */
async function allowed(work: Promise<unknown>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!(error instanceof ApiError || error instanceof Died)) throw error;
  });
}

async function take(order: OrderRecord, step: Step): Promise<void> {
  const now = await world.reload(order);
  const provider = await world.dependencies.findProvider(order.providerId);
  switch (step.do) {
    case "pay":
      return allowed(world.pay(order, step.key === null ? {} : { key: step.key }));
    case "card":
      return allowed(world.addCard(now, step.card));
    case "refund":
      return allowed(world.refund(order, step.amount === null ? {} : { amount: step.amount }));
    case "cancel":
      return allowed(cancelOrder(world.dependencies, world.principal(provider), now, nowOf(provider, world.clock)));
    case "collect":
      return world.tryToCollect(order, step.ending);
    case "challenge":
      return pressOpenChallenge(order, step.choice);
    case "pass":
      return world.pass(step.seconds);
    case "fault":
      return fault(world, provider, step.method, step.kind);
    case "die": {
      let calls = 0;
      const overrides = watchedGateways(world.sandbox, () => {
        calls += 1;
        if (calls >= step.at) throw new Died("on purpose");
      });
      await allowed(world.pay(order, { overrides }));
      return world.runDue(overrides);
    }
  }
}

async function pressOpenChallenge(order: OrderRecord, choice: "approve" | "reject" | "cancel"): Promise<void> {
  const rows = await world.database.db
    .selectFrom("sandbox_authentications")
    .select("id")
    .where("order_hash", "=", order.orderId)
    .where("state", "=", "pending")
    .execute();
  for (const { id } of rows) await answerChallenge(world.dependencies, id, choice);
}

/** Whether the table leads from one state to the other, in any number of steps. */
function isReachable(from: OrderState, to: OrderState): boolean {
  const seen = new Set([from]);
  for (const state of seen) {
    for (const trigger of ORDER_TRIGGERS) {
      const next = findTransition(state, trigger)?.to;
      if (next !== undefined) seen.add(next);
    }
  }
  return seen.has(to);
}

it("any sequence of commands keeps the books balanced and the state in the table", async () => {
  await fc.assert(
    fc.asyncProperty(lives, async ({ total, rut, card, captureFirst, steps: taken }) => {
      // A life ends a day later, and after a thousand of them the cards would have expired.
      world.clock.set(START);
      const order = await world.readyOrder(world.newProvider({ captureFirst }), { total, rut, card });
      let state = order.state;
      for (const step of taken) {
        await take(order, step);
        const now = await world.reload(order);
        expect(isReachable(state, now.state), `${state} → ${now.state} by ${step.do}`).toBe(true);
        state = now.state;
      }
      await world.settleDown();
      expect((await world.reload(order)).payments.filter(({ status }) => status === "processing")).toEqual([]);
      expect((await world.reload(order)).refunds.filter(({ status }) => status === "processing")).toEqual([]);
      await expectSoundBooks(world, order);
    }),
    { numRuns: Number(process.env.MODEL_RUNS ?? 60), examples: [[SLOW_COLLECTION], [SLOW_RETURNS]] },
  );
});
