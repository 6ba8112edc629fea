import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { replaceFaults } from "../../../sandbox/calls/gateway-call-store.ts";
import { orderEndpoints } from "../../../src/contract/order-endpoints.ts";
import { webhookEndpoints } from "../../../src/contract/webhook-endpoints.ts";
import { type WebhookEvent, type WebhookEventKind, webhookEventSchema } from "../../../src/contract/webhook-events.ts";
import { inTransaction } from "../../../src/platform/database/transaction.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { rowsOfOrder } from "../../rows-of-order.ts";
import { startBff, type TestBff } from "../../start-bff.ts";
import { startReceiver, type WebhookReceiver } from "../../webhook-receiver.ts";
import { auditOf, credentialId } from "../audit-of.ts";
import { type Checkout, checkoutOf, NO_HASH } from "./checkout.ts";
import { CARDS, RETURN_REFUSED } from "./orders-world.ts";

let bff: TestBff;
let checkout: Checkout;
beforeAll(async () => {
  bff = await startBff();
  checkout = checkoutOf(bff);
});
afterAll(() => bff.close());

describe("PUT /orders/{hash}/refund", () => {
  describe("200", () => {
    it("the whole rest without an amount, and without a body", async () => {
      const hash = await checkout.paidOrder();
      const { status, body } = await checkout.call("refundOrder", hash);
      expect(status).toBe(200);
      expect(body).toMatchObject({ hash, status: "refunded", refund: { amount: 40_000, status: "succeeded" } });
    });

    it("a part with its reason and reference, and the same again for the same reference", async () => {
      const hash = await checkout.paidOrder();
      const wanted = { amount: 10_000, reason: "una prestación menos", refund_reference: "nota-7" };
      const { body } = await checkout.refund(hash, wanted);
      expect(body).toMatchObject({ status: "partially_refunded", refunded_amount: 10_000, refund: { ...wanted } });
      const again = await checkout.refund(hash, wanted);
      expect(again.body.refund).toEqual(body.refund);
      expect((await checkout.read(hash)).refunds).toHaveLength(1);
    });

    it("processing while the processor does not answer", async () => {
      const hash = await checkout.paidOrder();
      const faults = [{ party: "card-processor", method: "returnCharge", kind: "fail_after", calls: 1 }] as const;
      await inTransaction(bff.database.db, (tx) => replaceFaults(tx, bff.clinic.provider.id, faults));
      expect((await checkout.refund(hash)).body).toMatchObject({ status: "paid", refund: { status: "processing" } });
      await bff.advance(60_000);
      expect(await checkout.read(hash)).toMatchObject({ status: "refunded", refunds: [{ status: "succeeded" }] });
    });

    it("the first answer again with the same Idempotency-Key", async () => {
      const hash = await checkout.paidOrder();
      const headers = { "Idempotency-Key": systemIds.uuid() };
      const first = await checkout.refund(hash, { amount: 1_000 }, { headers });
      const second = await checkout.refund(hash, { amount: 1_000 }, { headers });
      expect(second.headers.get("idempotency-replayed")).toBe("true");
      expect(second.body).toEqual(first.body);
    });

    it("a retry after the payment with a key that was refused before it", async () => {
      const hash = await checkout.readyOrder();
      const headers = { "Idempotency-Key": systemIds.uuid() };
      const early = await checkout.refund(hash, {}, { headers });
      expect([early.status, early.body.code]).toEqual([409, "order_not_refundable"]);
      await checkout.pay(hash);
      const { status, body } = await checkout.refund(hash, {}, { headers });
      expect([status, body.refund?.status]).toEqual([200, "succeeded"]);
    });

    it("a part whose amount is sent as digits in a text, like the total of an order", async () => {
      const hash = await checkout.paidOrder();
      const { status, body } = await checkout.refund(hash, { amount: "1000" });
      expect([status, body.refund?.amount]).toEqual([200, 1_000]);
      for (const amount of ["1.000", "-1000", "0", "1e3", ""])
        expect((await checkout.refund(hash, { amount })).body.code).toBe("refund_amount_invalid");
    });

    it("is audited", async () => {
      const hash = await checkout.paidOrder();
      const { body } = await checkout.refund(hash, { amount: 1_000 });
      const { db } = bff.database;
      const rows = await auditOf(db, hash);
      expect(rows.filter(({ act }) => act.startsWith("order.refund"))).toEqual([
        {
          act: "order.refund_accepted",
          actor: "credential:client_secret",
          credential_id: await credentialId(db, bff.clinic.provider, "client_secret"),
          provider_id: bff.clinic.provider.id,
          subject_kind: "order",
          subject_id: hash,
          details: { refund_id: body.refund.id, amount: 1_000 },
        },
      ]);
    });
  });

  describe("a refund that was answered processing and fails", () => {
    const later = async (days: number) => bff.advance(days * 86_400_000);
    /** The order's events that an endpoint for these kinds has received. */
    async function received(receiver: WebhookReceiver, hash: string) {
      return receiver.received.flatMap(({ body }) =>
        body.order_hash === hash ? [webhookEventSchema.parse(body)] : [],
      );
    }
    async function receiverOf(...kinds: WebhookEventKind[]) {
      const receiver = await startReceiver(bff.clock);
      const body = { url: receiver.url, ...(kinds.length > 0 && { kinds }) };
      expect((await bff.callSpotApi(webhookEndpoints.createWebhookEndpoint, { as: bff.clinic, body })).status).toBe(
        201,
      );
      return receiver;
    }

    it("is published once, with its id, to the endpoints that subscribe to it", async () => {
      const [asking, others] = [await receiverOf("order.refund_failed"), await receiverOf()];
      const hash = await checkout.paidOrder({ card: RETURN_REFUSED.pending });
      await later(46);
      expect((await checkout.read(hash)).collection?.status).toBe("collected");
      const asked = await checkout.refund(hash, { refund_reference: "nota-9" });
      expect([asked.status, asked.body.refund.status]).toEqual([200, "processing"]);
      await later(3);
      const order = await checkout.read(hash);
      expect(order).toMatchObject({ status: "paid", refunded_amount: 0, refunds: [{ status: "failed" }] });
      const events = await received(asking, hash);
      expect(events).toEqual([
        expect.objectContaining({ event: "order.refund_failed", status: "paid", refund_id: asked.body.refund.id }),
      ]);
      expect(events[0]?.data.order.refunds).toEqual(order.refunds);
      expect((await received(others, hash)).map(({ event }) => event)).toEqual(["order.paid"]);
      await asking.close();
      await others.close();
    });

    it("is published also if the processor answers after the response, as an event of that order only", async () => {
      const otherOrder = await checkout.newOrder();
      const before = await rowsOfOrder(bff.database.db, otherOrder);
      const hash = await checkout.paidOrder({ card: RETURN_REFUSED.tooOld });
      const faults = [{ party: "card-processor", method: "returnCharge", kind: "fail_before", calls: 1 }] as const;
      await inTransaction(bff.database.db, (tx) => replaceFaults(tx, bff.clinic.provider.id, faults));
      expect((await checkout.refund(hash)).body.refund.status).toBe("processing");
      await bff.advance(60_000);
      expect(await kindsOf(hash)).toEqual(["order.paid", "order.refund_failed"]);
      expect(await rowsOfOrder(bff.database.db, otherOrder)).toEqual(before);
    });

    it("is not published if the refund's own response reports it", async () => {
      const hash = await checkout.paidOrder({ card: RETURN_REFUSED.tooOld });
      expect((await checkout.refund(hash)).body.code).toBe("refund_refused");
      await later(1);
      expect(await kindsOf(hash)).toEqual(["order.paid"]);
    });

    async function kindsOf(hash: string): Promise<string[]> {
      const log = await bff.callSpotApi(webhookEndpoints.listEvents, { as: bff.clinic, query: { limit: "100" } });
      return log.body.events.flatMap((event: WebhookEvent) => (event.order_hash === hash ? [event.event] : []));
    }
  });

  describe("400", () => {
    it.each([0, -5, 1.5, null, true, [1]])("refund_amount_invalid for %j", async (amount) => {
      const { status, body } = await checkout.refund(await checkout.paidOrder(), { amount });
      expect([status, body.code]).toEqual([400, "refund_amount_invalid"]);
    });

    it("refund_amount_exceeds", async () => {
      const hash = await checkout.paidOrder();
      expect((await checkout.refund(hash, { amount: 40_001 })).body.code).toBe("refund_amount_exceeds");
    });

    it("partial_refund_not_supported for a part of a debit charge", async () => {
      const hash = await checkout.paidOrder({ card: CARDS.debit });
      expect((await checkout.refund(hash, { amount: 30_000 })).body.code).toBe("partial_refund_not_supported");
    });
  });

  it("401 for client_id", async () => {
    const hash = await checkout.paidOrder();
    const headers = { authorization: `Bearer ${bff.clinic.credentials.client_id}` };
    expect((await bff.callOrderApi(orderEndpoints.refundOrder, { params: { hash }, body: {}, headers })).status).toBe(
      401,
    );
    expect((await checkout.read(hash)).status).toBe("paid");
  });

  it("404 for an unknown order and for another provider's", async () => {
    expect((await checkout.refund(NO_HASH)).status).toBe(404);
    const other = await bff.createProvider();
    expect((await checkout.refund(await checkout.paidOrder(), {}, { as: other })).status).toBe(404);
  });

  it("409 order_not_refundable before the payment, and when nothing is left", async () => {
    expect((await checkout.refund(await checkout.readyOrder())).body.code).toBe("order_not_refundable");
    const hash = await checkout.paidOrder();
    await checkout.refund(hash);
    const { status, body } = await checkout.refund(hash);
    expect([status, body.code]).toEqual([409, "order_not_refundable"]);
  });

  describe("422", () => {
    it.each([
      { reason: 5 },
      { reason: "x".repeat(501) },
      { refund_reference: "" },
      { refund_reference: "x".repeat(256) },
      null,
    ])("validation_error for %j", async (body) =>
      expect((await checkout.refund(await checkout.paidOrder(), body)).body.code).toBe("validation_error"),
    );

    it("validation_error for an unknown field, which it names; nothing is refunded", async () => {
      const hash = await checkout.paidOrder();
      const { status, body } = await checkout.refund(hash, { ammount: 1_000 });
      expect([status, body.code, body.errors]).toEqual([
        422,
        "validation_error",
        [{ path: "ammount", message: 'is not a field of this request. Did you mean "amount"?' }],
      ]);
      expect(await checkout.read(hash)).toMatchObject({ status: "paid", refunds: [] });
    });

    it("idempotency_key_reused for a key used with another reference, even after its answer was deleted", async () => {
      const hash = await checkout.paidOrder();
      const headers = { "Idempotency-Key": systemIds.uuid() };
      await checkout.refund(hash, { amount: 1_000, refund_reference: "nota-9" }, { headers });
      await bff.advance(25 * 3_600_000);
      const another = { amount: 1_000, refund_reference: "nota-10" };
      const { status, body } = await checkout.refund(hash, another, { headers });
      expect([status, body.code]).toEqual([422, "idempotency_key_reused"]);
      expect(await checkout.read(hash)).toMatchObject({ refunds: [{ refund_reference: "nota-9" }] });
    });

    it("refund_reference_reused for a reference that was used with another amount", async () => {
      const hash = await checkout.paidOrder();
      await checkout.refund(hash, { amount: 1_000, refund_reference: "nota-8" });
      const { status, body } = await checkout.refund(hash, { amount: 2_000, refund_reference: "nota-8" });
      expect([status, body.code]).toEqual([422, "refund_reference_reused"]);
    });
  });

  it("eight concurrent refunds that together exceed the payment never return too much", async () => {
    const hash = await checkout.paidOrder();
    const answers = await Promise.all(Array.from({ length: 8 }, () => checkout.refund(hash, { amount: 9_000 })));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(4);
    await bff.advance(15_000);
    expect((await checkout.read(hash)).refunded_amount).toBe(36_000);
  });
});
