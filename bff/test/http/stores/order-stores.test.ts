import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createOrderRequestSchema } from "../../../src/contract/orders.ts";
import { createOrder } from "../../../src/orders/lifecycle/create-order.ts";
import { moveOrder } from "../../../src/orders/lifecycle/move-order.ts";
import { type Insertion, insertOrders, updateOrder } from "../../../src/orders/order-store.ts";
import { claimAttempt, findAttempt, releaseAttempt, writeStep } from "../../../src/orders/payments/payment-store.ts";
import {
  claimRefund,
  endRefund,
  readMovements,
  releaseRefund,
  writeAcceptedReturn,
  writeMovement,
} from "../../../src/orders/refunds/refund-store.ts";
import { inTransaction } from "../../../src/platform/database/transaction.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { leaseFrom } from "../../../src/platform/lease.ts";
import {
  CARDS,
  expectSoundBooks,
  fault,
  nowOf,
  type OrdersWorld,
  orderBody,
  PATIENTS,
  present,
  startOrdersWorld,
} from "../orders/orders-world.ts";

/* Leases and sums as the statements of orders write them. No request shows who holds a lease. */

let world: OrdersWorld;
beforeAll(async () => {
  world = await startOrdersWorld();
});
afterAll(() => world.stop());

describe("the lease of a payment", () => {
  it("cannot be claimed once it has ended", async () => {
    const { db, connectors } = world.dependencies;
    const order = await world.paidOrder(world.newProvider());
    const { id: attemptId } = present(await findAttempt(db, order, "last"));
    const key = { providerId: order.providerId, orderId: order.orderId, attemptId };
    const realNow = world.clock.now();
    const lease = leaseFrom(realNow, systemIds.uuid());
    expect(await claimAttempt(db, key, lease, { connectors, realNow })).toEqual({ busyUntil: null });
  });

  it("is no longer waited for once it has ended, even if another attempt of its order is running", async () => {
    const { db, connectors } = world.dependencies;
    const order = await world.readyOrder(world.newProvider(), { card: CARDS.declined });
    await expect(world.pay(order)).rejects.toMatchObject({ code: "card_declined" });
    const { id: attemptId } = present(await findAttempt(db, order, "last"));
    await world.addCard(await world.reload(order), CARDS.challenge);
    expect((await world.pay(order)).payment.status).toBe("requires_action");
    const key = { providerId: order.providerId, orderId: order.orderId, attemptId };
    const realNow = world.clock.now();
    const lease = leaseFrom(realNow, systemIds.uuid());
    expect(await claimAttempt(db, key, lease, { connectors, realNow })).toEqual({ busyUntil: null });
  });

  it("rejects writes of a holder whose lease expired, and keeps the new holder's lease", async () => {
    const { db, connectors } = world.dependencies;
    const order = await world.readyOrder(world.newProvider(), { card: CARDS.challenge });
    await world.pay(order);
    const { id: attemptId } = present(await findAttempt(db, order, "open"));
    const key = { providerId: order.providerId, orderId: order.orderId, attemptId };
    const lost = leaseFrom(world.clock.now(), systemIds.uuid());
    expect(await claimAttempt(db, key, lost, { connectors, realNow: world.clock.now() })).toHaveProperty("attempt");
    world.clock.advance(30_000);
    const at = world.clock.now();
    const held = leaseFrom(at, systemIds.uuid());
    const claimed = await claimAttempt(db, key, held, { connectors, realNow: at });
    const attempt = present("attempt" in claimed ? claimed.attempt : null);

    const step = { step: { state: attempt.state }, payment: null, transfers: [], timer: null };
    expect(await writeStep(db, attempt, { ...step, ids: systemIds, lease: lost, at })).toBe(false);
    await releaseAttempt(db, attempt, lost, { isInquiry: true, at });
    const third = leaseFrom(at, systemIds.uuid());
    expect(await claimAttempt(db, key, third, { connectors, realNow: at })).toEqual({ busyUntil: held.until });
    await releaseAttempt(db, attempt, held, { isInquiry: false, at });
    expect(await claimAttempt(db, key, third, { connectors, realNow: at })).toMatchObject({
      attempt: { id: attemptId, inquiries: 0 },
    });
  });
});

it("a refund is handled by one worker: its lease holds to the last moment, and a former holder cannot write", async () => {
  const { db, connectors } = world.dependencies;
  const provider = world.newProvider();
  const order = await world.paidOrder(provider);
  await fault(world, provider, "reduceLoan", "fail_before");
  const { refund } = await world.refund(order);
  const key = { ...order, refundId: refund.id };
  const from = world.clock.now();
  const [lost, held] = [leaseFrom(from, systemIds.uuid()), leaseFrom(from, systemIds.uuid())];
  expect(await claimRefund(db, key, lost, { connectors, realNow: from })).toHaveProperty("connectors");
  const justBefore = new Date(lost.until.getTime() - 1);
  expect(await claimRefund(db, key, held, { connectors, realNow: justBefore })).toEqual({ busyUntil: lost.until });
  await releaseRefund(db, key, held, { isInquiry: true, at: from });
  expect(await claimRefund(db, key, held, { connectors, realNow: justBefore })).toEqual({ busyUntil: lost.until });
  expect(await claimRefund(db, key, held, { connectors, realNow: lost.until })).toHaveProperty("connectors");
  const pending = async () => (await readMovements(db, key)).filter(({ status }) => status === "pending");
  const [movement] = await pending();
  if (movement === undefined) throw new Error("One had no answer.");
  const done = { status: "done", returnId: "r", refusal: null, voucher: {}, at: from } as const;
  expect(await writeMovement(db, key, movement, { ...done, lease: lost })).toBe(false);
  const taken = { returnId: "r", takenAt: from, endsBy: from, leaseId: lost.id, timer: null };
  expect(await writeAcceptedReturn(db, key, movement, taken)).toBe(false);
  const ended = { status: "failed", leaseId: lost.id, at: from } as const;
  expect(await inTransaction(db, (tx) => endRefund(tx, key, ended))).toBe(false);
  expect(await pending()).toEqual([movement]);
  await world.pass(90);
  expect(await world.show(order)).toMatchObject({ status: "refunded", refunds: [{ status: "succeeded" }] });
  await expectSoundBooks(world, order);
  // An ended refund cannot be claimed.
  expect(await claimRefund(db, key, held, { connectors, realNow: world.clock.now() })).toEqual({ busyUntil: null });
});

it("sums computed from an outdated order are rejected, not dropped", async () => {
  const before = await world.readyOrder(world.newProvider());
  await world.pay(before);
  const write = inTransaction(world.database.db, (tx) =>
    updateOrder(tx, before, { deferred_collected: before.deferred }, world.clock.now()),
  );
  await expect(write).rejects.toThrow("is no longer awaiting_payment");
  expect((await world.reload(before)).deferredCollected).toBe(0);
  const move = inTransaction(world.database.db, (tx) =>
    moveOrder(
      tx,
      world.dependencies,
      { ...before, state: "paying" },
      { trigger: "decline_payment", at: world.clock.now() },
    ),
  );
  await expect(move).rejects.toThrow("the order is no longer paying");
  expect((await world.reload(before)).state).toBe("paid");
});

it("an order whose reference is taken leaves neither an answer nor a timer in a shared insert", async () => {
  const { clock, dependencies, database } = world;
  const provider = world.newProvider({ unpaidOrderExpiryMinutes: 60 });
  const composed = async (reference: string) => {
    const found: Insertion[] = [];
    const write = async (insertion: Insertion) => found.push(insertion) > 0;
    const now = nowOf(provider, clock);
    const kept = { method: "POST", path: "/orders", bodyHash: "b", status: 201, bodySealed: "s" };
    const times = { expiresAt: now, answeredAt: now };
    const keep = ({ hash }: { hash: string }) => ({ ...kept, ...times, keyHash: hash });
    const body = createOrderRequestSchema.parse(orderBody({ total: 40_000, rut: PATIENTS.good, reference }));
    await createOrder({ ...dependencies, write }, world.principal(provider), body, {
      now,
      maximumRate: null,
      keep,
    });
    return found;
  };
  const insertions = [...(await composed("one")), ...(await composed("other")), ...(await composed("one"))];
  expect(await insertOrders(database.db, insertions.slice(0, 1))).toEqual([true]);
  expect(await insertOrders(database.db, insertions.slice(1))).toEqual([true, false]);
  const [one, other] = insertions.map(({ created }) => created.order.orderId);
  const keys = database.db.selectFrom("idempotency_keys").select("key").where("provider_id", "=", provider.id);
  const both = expect.arrayContaining([{ key: one }, { key: other }]);
  expect(await keys.execute()).toEqual(both);
  expect(await keys.execute()).toHaveLength(2);
  const timers = database.db.selectFrom("timers").select("key").where("provider_id", "=", provider.id);
  expect(await timers.execute()).toEqual(both);
  expect(await timers.execute()).toHaveLength(2);
});
