import { afterAll, beforeAll, expect, it } from "vitest";
import { replaceFaults } from "../../sandbox/calls/gateway-call-store.ts";
import { RECEIPT_DUE_DAYS } from "../../src/contract/terms.ts";
import { webhookEndpoints } from "../../src/contract/webhook-endpoints.ts";
import { type CourseKind, type WebhookEventKind, webhookEventSchema } from "../../src/contract/webhook-events.ts";
import { webhookExample } from "../../src/partner-docs/webhook-event-example.ts";
import { inTransaction } from "../../src/platform/database/transaction.ts";
import { startBff, type TestBff } from "../start-bff.ts";
import { startReceiver } from "../webhook-receiver.ts";
import { comparable } from "./comparable-event.ts";
import { type Checkout, checkoutOf } from "./orders/checkout.ts";
import { PATIENTS, RETURN_REFUSED } from "./orders/orders-world.ts";

/*
 * The guide shows one webhook of each kind. Each is compared with the webhook that an endpoint receives for such an
 * order, without ids, days and names.
 */
let bff: TestBff;
let checkout: Checkout;
beforeAll(async () => {
  bff = await startBff();
  checkout = checkoutOf(bff);
});
afterAll(() => bff.close());

const lives: Readonly<Record<Exclude<WebhookEventKind, "order.partially_paid" | CourseKind>, () => Promise<string>>> = {
  "order.paid": () => checkout.paidOrder(),
  "order.changed": () => checkout.paidOrder(),
  "order.refunded": async () => {
    const hash = await checkout.paidOrder();
    await bff.advance(1_000);
    await checkout.refund(hash, { amount: 10_000, reason: "Examen no realizado", refund_reference: "dev-77" });
    return hash;
  },
  "order.failed": () => checkout.paidOrder({ rut: PATIENTS.creditRefused }),
  "order.cancelled": async () => {
    const hash = await checkout.newOrder();
    await checkout.call("cancelOrder", hash, { body: {} });
    return hash;
  },
  "order.receipt_missing": async () => {
    const hash = await checkout.paidOrder();
    await bff.advance((RECEIPT_DUE_DAYS + 1) * 86_400_000);
    return hash;
  },
  "order.refund_failed": async () => {
    const hash = await checkout.paidOrder({ card: RETURN_REFUSED.tooOld });
    await bff.advance(1_000);
    const faults = [{ party: "card-processor", method: "returnCharge", kind: "fail_before", calls: 1 }] as const;
    await inTransaction(bff.database.db, (tx) => replaceFaults(tx, bff.clinic.provider.id, faults));
    await checkout.refund(hash, { reason: "Atención no realizada", refund_reference: "dev-77" });
    return hash;
  },
};

it.each(Object.keys(lives) as (keyof typeof lives)[])("the example of %s equals the sent webhook", async (kind) => {
  const receiver = await startReceiver(bff.clock);
  const body = { url: receiver.url, kinds: [kind] };
  await bff.callSpotApi(webhookEndpoints.createWebhookEndpoint, { as: bff.clinic, body });
  const hash = await lives[kind]();
  await bff.advance(60_000);
  const received = receiver.received.map((webhook) => webhookEventSchema.parse(webhook.body));
  expect(received.filter(({ order_hash }) => order_hash === hash).map(comparable)).toEqual([
    comparable(webhookEventSchema.parse(webhookExample(kind))),
  ]);
  await receiver.close();
});

it("the example of order.partially_paid equals the sent webhook", async () => {
  const as = await bff.createProvider({ captureFirst: true });
  const receiver = await startReceiver(bff.clock);
  const body = { url: receiver.url, kinds: ["order.partially_paid"] };
  await bff.callSpotApi(webhookEndpoints.createWebhookEndpoint, { as, body });
  const { hash } = (await checkout.create({ as, rut: PATIENTS.reviewAuthorised })).body;
  await checkout.call("validateIdentity", hash, { as, body: { document_serial: "123456789" } });
  await checkout.call("addPaymentMethod", hash, { as, body: { sealed_card: await checkout.sealed(hash) } });
  await checkout.pay(hash, { as });
  await bff.advance(5_000);
  expect(receiver.received.map((webhook) => comparable(webhookEventSchema.parse(webhook.body)))).toEqual([
    comparable(webhookEventSchema.parse(webhookExample("order.partially_paid"))),
  ]);
  await receiver.close();
});
