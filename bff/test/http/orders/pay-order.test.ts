import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type OrdersWorld, startOrdersWorld } from "./orders-world.ts";

let world: OrdersWorld;
beforeAll(async () => {
  world = await startOrdersWorld();
});
afterAll(() => world.stop());

const whole = [new Date("2000-01-01"), new Date("2100-01-01")] as const;

describe("a payment that goes well", () => {
  it("captures the first instalment, has the loan confirmed, and makes the order paid with one event", async () => {
    const provider = world.newProvider();
    const order = await world.readyOrder(provider);
    const answer = await world.pay(order);
    expect(answer.payment).toEqual({ status: "succeeded" });
    expect(await world.show(order)).toMatchObject({
      status: "paid",
      paid_amount: 40_000,
      pending_amount: 0,
      captured_amount: 12_000,
      payments: [{ kind: "first", status: "captured", amount: 12_000, returned_amount: 0 }],
    });
    expect((await world.events(order)).map(({ kind }) => kind)).toEqual(["order.paid"]);
    const movements = await world.sandbox.cardProcessor.listMovements(provider.id, ...whole);
    expect(movements.map(({ kind, amount }) => [kind, amount])).toEqual([["charge", 12_000]]);
    const loans = await world.sandbox.financingProvider.listLoans(provider.id, ...whole);
    expect(loans.map(({ status, amount }) => [status, amount])).toEqual([["confirmed", 28_000]]);
  });
});
