import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EXPIRE_ORDER_TIMER } from "../../../src/orders/lifecycle/expire-order.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { startBff, type TestBff } from "../../start-bff.ts";
import { auditOf, credentialId } from "../audit-of.ts";
import { type Checkout, checkoutOf, NO_HASH } from "./checkout.ts";
import { PATIENTS } from "./orders-world.ts";

let bff: TestBff;
let checkout: Checkout;
beforeAll(async () => {
  bff = await startBff();
  checkout = checkoutOf(bff);
});
afterAll(() => bff.close());

const cancel = (hash: string, options = {}) => checkout.call("cancelOrder", hash, { body: {}, ...options });
const eventsOf = async (hash: string) => {
  const rows = await bff.database.db.selectFrom("events").select("kind").where("order_id", "=", hash).execute();
  return rows.map(({ kind }) => kind);
};

describe("POST /orders/{hash}/cancel", () => {
  it("200 cancels the order with one event; nothing is paid or pending", async () => {
    const hash = await checkout.readyOrder();
    const { status, body } = await cancel(hash);
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: "cancelled", paid_amount: 0, pending_amount: 0 });
    expect(await eventsOf(hash)).toEqual(["order.cancelled"]);
  });

  it("records the cancellation in the audit trail", async () => {
    const hash = await checkout.newOrder();
    await cancel(hash);
    const { db } = bff.database;
    expect(await auditOf(db, hash)).toEqual([
      {
        act: "order.cancelled",
        actor: "credential:client_secret",
        credential_id: await credentialId(db, bff.clinic.provider, "client_secret"),
        provider_id: bff.clinic.provider.id,
        subject_kind: "order",
        subject_id: hash,
        details: {},
      },
    ]);
  });

  it("200 after a final refusal of the credit", async () => {
    const hash = await checkout.readyOrder({ rut: PATIENTS.creditRefused });
    await checkout.pay(hash);
    expect((await cancel(hash)).body.status).toBe("cancelled");
    expect(await eventsOf(hash)).toEqual(["order.failed", "order.cancelled"]);
  });

  it("422 for null instead of a body", async () => {
    const hash = await checkout.newOrder();
    const { status, body } = await checkout.call("cancelOrder", hash, { body: null });
    expect([status, body.code]).toEqual([422, "validation_error"]);
    expect((await checkout.read(hash)).status).toBe("pending");
  });

  it("401 for client_id", async () => {
    const hash = await checkout.newOrder();
    expect((await cancel(hash, { using: "client_id" })).status).toBe(401);
  });

  it("404 for an unknown order and for another provider's", async () => {
    expect((await cancel(NO_HASH)).status).toBe(404);
    const other = await bff.createProvider();
    expect((await cancel(await checkout.newOrder(), { as: other })).status).toBe(404);
  });

  it("409 order_not_cancellable once paid, and once cancelled", async () => {
    const paid = await checkout.paidOrder();
    expect((await cancel(paid)).body.code).toBe("order_not_cancellable");
    const hash = await checkout.newOrder();
    await cancel(hash);
    const { status, body } = await cancel(hash);
    expect([status, body.code]).toEqual([409, "order_not_cancellable"]);
  });

  it("409 payment_in_progress during a payment", async () => {
    const hash = await checkout.readyOrder({ rut: PATIENTS.reviewAuthorised });
    await checkout.pay(hash);
    expect((await cancel(hash)).body.code).toBe("payment_in_progress");
  });

  it("200 under a key that was refused during a payment, once the payment has ended", async () => {
    const hash = await checkout.readyOrder({ rut: PATIENTS.reviewRefused });
    await checkout.pay(hash);
    const headers = { "Idempotency-Key": systemIds.uuid() };
    const early = await cancel(hash, { headers });
    expect([early.status, early.body.code]).toEqual([409, "payment_in_progress"]);
    await bff.advance(60_000);
    const { status, body } = await cancel(hash, { headers });
    expect([status, body.status]).toEqual([200, "cancelled"]);
  });

  it("either a payment or a concurrent cancellation succeeds, never both", async () => {
    for (let round = 0; round < 10; round += 1) {
      const hash = await checkout.readyOrder();
      const [payment, cancelled] = await Promise.all([checkout.pay(hash), cancel(hash)]);
      await bff.advance(15_000);
      const order = await checkout.read(hash);
      if (cancelled.status === 200) expect([order.status, order.payments]).toEqual(["cancelled", []]);
      else expect([order.status, payment.status]).toEqual(["paid", 200]);
    }
  });
});

describe("unpaid orders", () => {
  it("expire after the provider's time limit and are cancelled with an event; without a limit they never do", async () => {
    const clinic = await bff.createProvider({ unpaidOrderExpiryMinutes: 60 });
    const { body: expiring } = await checkout.create({ as: clinic });
    const { body: staying } = await checkout.create();
    await bff.advance(59 * 60_000);
    expect((await checkout.call("getOrder", expiring.hash, { as: clinic })).body.status).toBe("pending");
    await bff.advance(60_000);
    expect((await checkout.call("getOrder", expiring.hash, { as: clinic })).body.status).toBe("cancelled");
    expect(await eventsOf(expiring.hash)).toEqual(["order.cancelled"]);
    const waiting = bff.database.db.selectFrom("timers").select("kind").where("provider_id", "=", clinic.provider.id);
    expect(await waiting.where("kind", "=", EXPIRE_ORDER_TIMER).where("done_at", "is", null).execute()).toEqual([]);
    // Moves the clock in one step, as after a long outage. Other daily work does not matter here.
    bff.clock.set(new Date(bff.clock.now().getTime() + 400 * 86_400_000));
    await bff.runDue();
    expect((await checkout.read(staying.hash)).status).toBe("pending");
  });
});
