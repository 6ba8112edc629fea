import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { OrderId } from "../../../src/contract/vocabulary/identifiers.ts";
import { classifyLostCharge, mayBeFound } from "../../../src/orders/charge-lost-in-restore.ts";
import { deferredChargeId, firstChargeId } from "../../../src/orders/derived-ids.ts";
import type { OrderRecord } from "../../../src/orders/order-record.ts";
import { inTransaction } from "../../../src/platform/database/transaction.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { CARDS, type OrdersWorld, PATIENTS, startOrdersWorld } from "./orders-world.ts";

/* The processor has a charge that the books lost. An order may still find it; otherwise it must be returned. */

let world: OrdersWorld;
beforeAll(async () => {
  world = await startOrdersWorld();
});
afterAll(() => world.stop());

type Key = Pick<OrderRecord, "providerId" | "orderId">;
const found = (order: Key, id: string) => inTransaction(world.database.db, (tx) => mayBeFound(tx, order, id));
const meet = (order: Key, id: string) =>
  inTransaction(world.database.db, (tx) => classifyLostCharge(tx, order, { id, at: world.clock.now() }));
const first = ({ orderId }: Key, number: number) => firstChargeId(orderId, number);
const later = ({ orderId }: Key, number: number) => deferredChargeId(orderId, number);

const OF_NO_ORDER = "00000000-0000-4000-8000-000000000000" as OrderId;

describe("a lost charge of an unpaid order", () => {
  it("is found only under the ids of its possible first instalments and later charges", async () => {
    const order = await world.readyOrder(world.newProvider());
    for (const id of [first(order, 1), first(order, 50), later(order, 1), later(order, 50)])
      expect([await found(order, id), await meet(order, id)]).toEqual([true, "found_when_paid"]);
    for (const id of [first(order, 51), later(order, 51), systemIds.uuid()])
      expect([await found(order, id), await meet(order, id)]).toEqual([false, "never_found"]);
    expect((await world.reload(order)).payments).toEqual([]);
  });

  it("is not found under an id that the order has already used", async () => {
    const order = await world.readyOrder(world.newProvider(), { card: CARDS.declined });
    await expect(world.pay(order)).rejects.toMatchObject({ code: "card_declined" });
    const asked = await Promise.all([1, 2].map((number) => found(order, first(order, number))));
    expect(asked).toEqual([false, true]);
  });
});

describe("a lost charge during a payment or a later charge", () => {
  it("may be the running one, so it stays undecided", async () => {
    const paying = await world.readyOrder(world.newProvider(), { rut: PATIENTS.reviewAuthorised });
    expect((await world.pay(paying)).payment.status).toBe("processing");
    const collecting = await world.paidOrder(world.newProvider());
    await world.collect(collecting, "unresolved");
    for (const order of [paying, collecting])
      for (const id of [systemIds.uuid(), later(order, 2)])
        expect([await found(order, id), await meet(order, id)]).toEqual([true, "undecided"]);
  });
});

describe("a lost charge of a paid order", () => {
  it.each([40_000, 2])("is found only as the later charge of an order of %d pesos", async (total) => {
    const order = await world.paidOrder(world.newProvider(), { total });
    const other = systemIds.uuid();
    expect([await found(order, later(order, 1)), await found(order, other)]).toEqual([true, false]);
    expect([await meet(order, other), await meet(order, later(order, 1))]).toEqual([
      "never_found",
      "found_when_charged",
    ]);
    expect((await world.collect(order)).paymentId).toBe(later(order, 1));
    expect([await found(order, later(order, 2)), await meet(order, later(order, 2))]).toEqual([false, "never_found"]);
  });

  it("has the earlier lost attempts recorded as not made", async () => {
    const order = await world.paidOrder(world.newProvider());
    expect(await meet(order, later(order, 3))).toBe("found_when_charged");
    const { payments } = await world.reload(order);
    expect(payments.map(({ id, status }) => [id, status])).toEqual([
      [first(order, 1), "captured"],
      [later(order, 1), "failed"],
      [later(order, 2), "failed"],
    ]);
    expect((await world.collect(order)).paymentId).toBe(later(order, 3));
  });

  it("stays undecided if the order has no card", async () => {
    const order = await world.paidOrder(world.newProvider());
    const { db } = world.database;
    await db.updateTable("orders").set({ card: null }).where("id", "=", order.orderId).execute();
    expect([await found(order, later(order, 1)), await meet(order, later(order, 1))]).toEqual([true, "undecided"]);
    expect(await meet(order, systemIds.uuid())).toBe("never_found");
  });
});

it("a lost charge of an unknown order is never found", async () => {
  const key = { providerId: world.newProvider().id, orderId: OF_NO_ORDER };
  expect([await found(key, first(key, 1)), await meet(key, first(key, 1))]).toEqual([false, "never_found"]);
});
