import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readOrderId } from "../../../src/contract/vocabulary/identifiers.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { startBff, type TestBff } from "../../start-bff.ts";
import type { CallOptions, TestAnswer } from "../../test-client.ts";
import { cardFor, seal } from "../gateways/start-gateways.ts";
import { type Checkout, checkoutOf } from "./checkout.ts";
import { acceptedConsents, CARDS, orderBody, PATIENTS, present } from "./orders-world.ts";

/** Sends every mutating call twenty times at once. It must take effect once. */
const TIMES = 20;

let bff: TestBff;
let checkout: Checkout;
beforeAll(async () => {
  bff = await startBff();
  checkout = checkoutOf(bff);
});
afterAll(() => bff.close());

interface Duplicated {
  readonly name: Parameters<Checkout["call"]>[0];
  /** An order that allows the call, and the body. */
  prepare(): Promise<{ hash: string; body: unknown }>;
  /** The effects that may occur only once. */
  effects(hash: string): Promise<number>;
  /** Other possible answers, if the calls cannot be recognised as repeats. */
  readonly otherwise: readonly string[];
}

const countOf = async (table: "events" | "order_refunds" | "order_payments" | "identity_checks", hash: string) => {
  const rows = await bff.database.db.selectFrom(table).select("id").where("order_id", "=", hash).execute();
  return rows.length;
};

const cards = async (hash: string) => {
  const { db } = bff.database;
  const orderId = present(readOrderId(hash));
  const rows = await db.selectFrom("sandbox_cards").select("id").where("order_hash", "=", orderId).execute();
  return rows.length;
};

const calls: readonly Duplicated[] = [
  {
    name: "validateIdentity",
    prepare: async () => ({ hash: await checkout.newOrder(), body: { document_serial: "123456789" } }),
    effects: (hash) => countOf("identity_checks", hash),
    // Without a key each call is a separate attempt, and at most five may wait for the registry's answer.
    otherwise: ["identity_attempts_exhausted"],
  },
  {
    name: "addPaymentMethod",
    async prepare() {
      const hash = await checkout.newOrder();
      await checkout.identify(hash);
      const card = cardFor(present(readOrderId(hash)), bff.clock.now(), { number: CARDS.approved });
      return { hash, body: { sealed_card: await seal(await checkout.sandbox.cardProcessor.sealingKey(), card) } };
    },
    effects: cards,
    otherwise: [],
  },
  {
    name: "payOrder",
    prepare: async () => ({ hash: await checkout.readyOrder(), body: { consents: acceptedConsents } }),
    effects: (hash) => countOf("order_payments", hash),
    otherwise: [],
  },
  {
    name: "refundOrder",
    prepare: async () => ({ hash: await checkout.paidOrder(), body: { amount: 1_000, refund_reference: "once" } }),
    effects: (hash) => countOf("order_refunds", hash),
    otherwise: [],
  },
  {
    name: "cancelOrder",
    prepare: async () => ({ hash: await checkout.newOrder(), body: {} }),
    effects: (hash) => countOf("events", hash),
    otherwise: ["order_not_cancellable"],
  },
];

async function atOnce(call: (options: CallOptions) => Promise<TestAnswer>, options: CallOptions) {
  const answers = await Promise.all(Array.from({ length: TIMES }, () => call(options)));
  const codes = answers.filter(({ status }) => status >= 400).map(({ body }) => body.code);
  return { done: answers.filter(({ status }) => status < 400), codes };
}

describe("twenty concurrent calls with one Idempotency-Key", () => {
  it("createOrder: one order", async () => {
    const body = orderBody({ total: 40_000, rut: PATIENTS.good, reference: systemIds.uuid() });
    const headers = { "Idempotency-Key": systemIds.uuid() };
    const { done, codes } = await atOnce((options) => checkout.call("createOrder", "", options), { body, headers });
    expect(new Set(done.map(({ body: order }) => order.hash)).size).toBe(1);
    for (const code of codes) expect(code).toBe("idempotency_in_flight");
  });

  it("another clinic's request with the same key is separate and gets no part of the first answer", async () => {
    const body = orderBody({ total: 40_000, rut: PATIENTS.good, reference: systemIds.uuid() });
    const headers = { "Idempotency-Key": systemIds.uuid() };
    const other = checkoutOf({ ...bff, clinic: await bff.createProvider() });
    const first = await checkout.call("createOrder", "", { body, headers });
    const second = await other.call("createOrder", "", { body, headers });
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.headers.get("idempotency-replayed")).toBeNull();
    expect(second.body.hash).not.toBe(first.body.hash);
  });

  it.each(calls)("$name: one effect", async ({ name, prepare, effects }) => {
    const { hash, body } = await prepare();
    const headers = { "Idempotency-Key": systemIds.uuid() };
    const { done, codes } = await atOnce((options) => checkout.call(name, hash, options), { body, headers });
    expect(done.length).toBeGreaterThan(0);
    for (const code of codes) expect(code).toBe("idempotency_in_flight");
    expect(await effects(hash)).toBe(1);
    const again = await checkout.call(name, hash, { body, headers });
    expect([again.status, again.headers.get("idempotency-replayed")]).toEqual([200, "true"]);
    expect(await effects(hash)).toBe(1);
  });
});

describe("twenty concurrent calls without a key", () => {
  it.each(calls)("$name: the order is the same as after one", async ({ name, prepare, effects, otherwise }) => {
    const { hash, body } = await prepare();
    const { done, codes } = await atOnce((options) => checkout.call(name, hash, options), { body });
    expect(done.length).toBeGreaterThan(0);
    for (const code of codes) expect(otherwise).toContain(code);
    const { readiness, payments, refunds, status } = await checkout.read(hash);
    if (name === "validateIdentity") expect(readiness.identity_validated).toBe(true);
    else if (name === "addPaymentMethod") expect(readiness.payment_method_added).toBe(true);
    else expect(await effects(hash)).toBe(1);
    if (name === "payOrder") expect([status, payments.length]).toEqual(["paid", 1]);
    if (name === "refundOrder") expect(refunds.map(({ amount }) => amount)).toEqual([1_000]);
    if (name === "cancelOrder") expect(status).toBe("cancelled");
  });
});
