import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { orderEndpoints } from "../../src/contract/order-endpoints.ts";
import { systemIds } from "../../src/platform/ids.ts";
import { startBff, type TestBff, type TestProvider } from "../start-bff.ts";
import { type Checkout, checkoutOf, NO_HASH } from "./orders/checkout.ts";
import { CARDS, orderBody, PATIENTS } from "./orders/orders-world.ts";

/**
 * The order interface for partners, line by line; each assertion quotes its line. Tests next to the code cover
 * everything else.
 */
let bff: TestBff;
let checkout: Checkout;
let clinic: TestProvider;
beforeAll(async () => {
  bff = await startBff();
  checkout = checkoutOf(bff);
  clinic = bff.clinic;
});
afterAll(() => bff.close());

const eventsOf = async (hash: string) => {
  const { db } = bff.database;
  const rows = await db
    .selectFrom("events")
    .select(["kind", "payload"])
    .where("order_id", "=", hash)
    .orderBy("sequence")
    .execute();
  return rows.map(({ kind, payload }) => ({ kind, payload }));
};
const kindsOf = async (hash: string) => (await eventsOf(hash)).map(({ kind }) => kind);
const send = (body: unknown, options = {}) =>
  bff.callOrderApi(orderEndpoints.createOrder, { as: clinic, body, ...options });
const body = (given: Partial<Parameters<typeof orderBody>[0]> = {}) =>
  orderBody({ total: 40_000, rut: PATIENTS.good, reference: systemIds.uuid(), ...given });

describe("2.1 Order", () => {
  it("hash: string, UUID. The order_token.", async () => {
    const { body: order } = await checkout.create();
    expect(order.hash).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  });

  it("reference: the partner's internal order id", async () => {
    const { body: order } = await checkout.create({ reference: "folio-2.1" });
    expect(order.reference).toBe("folio-2.1");
  });

  it("total_amount: integer, CLP, no decimals", async () => {
    const { body: order } = await checkout.create({ total: 45_952 });
    expect(order.total_amount).toBe(45_952);
  });

  it("paid_amount: 0 at creation; equals total_amount when paid", async () => {
    const hash = await checkout.readyOrder();
    expect((await checkout.read(hash)).paid_amount).toBe(0);
    await checkout.pay(hash);
    expect((await checkout.read(hash)).paid_amount).toBe(40_000);
  });

  it("pending_amount: equals total_amount at creation; 0 when paid", async () => {
    const hash = await checkout.readyOrder();
    expect((await checkout.read(hash)).pending_amount).toBe(40_000);
    await checkout.pay(hash);
    expect((await checkout.read(hash)).pending_amount).toBe(0);
  });

  it("customer: rut, first_name, last_name, email, phone_number (all strings)", async () => {
    const { body: order } = await checkout.create();
    for (const field of ["rut", "first_name", "last_name", "email", "phone_number"]) {
      expect(typeof order.customer[field]).toBe("string");
    }
  });

  it("plan: name (string, a plan identifier) and data (installments array and commission object)", async () => {
    const { plan } = (await checkout.create()).body;
    expect(typeof plan.name).toBe("string");
    expect(Array.isArray(plan.data.installments)).toBe(true);
    expect(plan.data.commission).toEqual(expect.any(Object));
  });

  it("created_at: ISO 8601 UTC timestamp", async () => {
    expect((await checkout.create()).body.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
  });
});

describe("3. States and transitions", () => {
  it("(creation) POST /orders succeeds → pending. Response 201; paid_amount 0.", async () => {
    const { status, body: order } = await checkout.create();
    expect([status, order.status, order.paid_amount]).toEqual([201, "pending", 0]);
  });

  it("pending → partially_paid when the first 30% instalment is captured; webhook on every status change", async () => {
    const capturing = checkoutOf({ ...bff, clinic: await bff.createProvider({ captureFirst: true }) });
    const hash = await capturing.readyOrder({ rut: PATIENTS.reviewAuthorised });
    await capturing.pay(hash);
    expect(await capturing.read(hash)).toMatchObject({ status: "partially_paid", captured_amount: 12_000 });
    expect(await kindsOf(hash)).toEqual(["order.partially_paid"]);
  });

  it("partially_paid → paid when the loan is approved and financed in full; webhook order.paid, exactly once", async () => {
    const capturing = checkoutOf({ ...bff, clinic: await bff.createProvider({ captureFirst: true }) });
    const hash = await capturing.readyOrder({ rut: PATIENTS.reviewAuthorised });
    await capturing.pay(hash);
    await bff.advance(120_000);
    expect((await capturing.read(hash)).status).toBe("paid");
    expect(await kindsOf(hash)).toEqual(["order.partially_paid", "order.paid"]);
  });

  it("pending → paid when checkout completes: 30% captured and the 70% loan authorised. Fully paid in the books.", async () => {
    const hash = await checkout.paidOrder();
    expect(await checkout.read(hash)).toMatchObject({ status: "paid", captured_amount: 12_000, paid_amount: 40_000 });
    const loans = await checkout.sandbox.financingProvider.listLoans(
      clinic.provider.id,
      new Date("2000-01-01"),
      new Date("2100-01-01"),
    );
    expect(loans.find(({ orderHash: orderId }) => orderId === hash)).toMatchObject({
      amount: 28_000,
      status: "confirmed",
    });
  });

  it("paid → refunded by PUT /orders/{hash}/refund, full refund processed; webhook order.refunded", async () => {
    const hash = await checkout.paidOrder();
    expect((await checkout.refund(hash)).body.status).toBe("refunded");
    expect(await kindsOf(hash)).toEqual(["order.paid", "order.refunded"]);
  });

  it("paid → partially_refunded when a partial refund is issued; webhook on the status change", async () => {
    const hash = await checkout.paidOrder();
    expect((await checkout.refund(hash, { amount: 1 })).body.status).toBe("partially_refunded");
    expect((await eventsOf(hash))[1]?.payload).toMatchObject({ status: "partially_refunded" });
  });

  it("pending → cancelled by cancellation before payment; webhook on the status change", async () => {
    const hash = await checkout.newOrder();
    expect((await checkout.call("cancelOrder", hash, { body: {} })).body.status).toBe("cancelled");
    expect(await kindsOf(hash)).toEqual(["order.cancelled"]);
  });

  it("rule 1: AAPD orders go from pending to paid directly, and do not pass through partially_paid", async () => {
    expect(await kindsOf(await checkout.paidOrder())).toEqual(["order.paid"]);
  });

  it("rule 2: a refund may be requested at any time after paid", async () => {
    const hash = await checkout.paidOrder();
    const paidAt = bff.clock.now();
    bff.clock.advance(1_000 * 86_400_000);
    const { status, body: answer } = await checkout.refund(hash).finally(() => bff.clock.set(paidAt));
    expect([status, answer.status]).toEqual([200, "refunded"]);
  });
});

describe("4.1 Order API", () => {
  it.each([
    ["POST /orders", orderEndpoints.createOrder, ["client_secret"]],
    ["POST /orders/{hash}/validate_customer_identity", orderEndpoints.validateIdentity, ["client_id"]],
    ["POST /orders/{hash}/add_payment_method", orderEndpoints.addPaymentMethod, ["client_id"]],
    ["POST /orders/{hash}/payment", orderEndpoints.payOrder, ["client_id"]],
    ["PUT /orders/{hash}/refund", orderEndpoints.refundOrder, ["client_secret"]],
    ["GET /orders/{hash}", orderEndpoints.getOrder, ["client_secret", "client_id"]],
  ] as const)("%s takes only the credential of its row", async (name, endpoint, credentials) => {
    expect(`${endpoint.method} ${endpoint.path}`).toBe(name);
    const hash = await checkout.newOrder();
    for (const using of ["client_secret", "client_id"] as const) {
      const { status } = await bff.callOrderApi(endpoint, {
        as: clinic,
        using,
        params: { hash },
        ...("body" in endpoint ? { body: {} } : {}),
      });
      if (credentials.some((taken) => taken === using)) expect(status).not.toBe(401);
      else expect(status).toBe(401);
    }
  });

  describe("POST /orders", () => {
    it("total_amount: a numeric string is also accepted", async () => {
      expect((await checkout.create({ total: "45952" })).body.total_amount).toBe(45_952);
    });

    it("customer.rut: with or without dots", async () => {
      const hashes = await Promise.all(["40100000-3", "40.100.000-3"].map((rut) => checkout.create({ rut })));
      for (const answer of hashes) expect(answer.body.customer.rut).toBe("40100000-3");
    });

    it.each(["reference", "total_amount", "customer"])("%s is required", async (field) => {
      const { [field]: _left, ...rest } = { ...body() } as Record<string, unknown>;
      expect((await send(rest)).status).toBe(422);
    });

    it.each(["rut", "first_name", "last_name", "email", "phone_number"])("customer.%s is required", async (field) => {
      const sent = body();
      const { [field]: _left, ...customer } = sent.customer as Record<string, unknown>;
      expect((await send({ ...sent, customer })).status).toBe(field === "email" ? 400 : 422);
    });

    it("errors: 401 missing or invalid client_secret (client_id is not accepted)", async () => {
      expect((await bff.callOrderApi(orderEndpoints.createOrder, { body: body() })).status).toBe(401);
      const invalid = { authorization: "Bearer cs_nothing" };
      expect((await bff.callOrderApi(orderEndpoints.createOrder, { body: body(), headers: invalid })).status).toBe(401);
      expect((await send(body(), { using: "client_id" })).status).toBe(401);
    });

    it("errors: 400 business validation error", async () => {
      expect((await send(body({ total: -1 }))).status).toBe(400);
    });

    it("errors: 422 schema validation error (malformed RUT, missing fields)", async () => {
      expect((await send(body({ rut: "12345678" }))).status).toBe(422);
      expect((await send({})).status).toBe(422);
    });

    it("errors: 409 duplicate reference", async () => {
      await send(body({ reference: "repetida" }));
      expect((await send(body({ reference: "repetida" }))).status).toBe(409);
    });
  });

  describe("GET /orders/{order_hash}", () => {
    it("response 200: same shape as POST /orders, with the current state; used to reconcile against webhooks", async () => {
      const hash = await checkout.paidOrder();
      const order = await checkout.read(hash);
      expect(order).toMatchObject({ status: "paid", paid_amount: 40_000 });
      expect((await eventsOf(hash))[0]?.payload).toMatchObject({
        order: { status: order.status, paid_amount: order.paid_amount },
      });
    });

    it("errors: 401 missing or invalid credential; 404 unknown hash", async () => {
      const params = { hash: NO_HASH };
      expect((await bff.callOrderApi(orderEndpoints.getOrder, { params })).status).toBe(401);
      expect((await checkout.call("getOrder", NO_HASH)).status).toBe(404);
    });
  });

  describe("Widget-called order steps", () => {
    it("a malformed serial gives 422, and a rejected identity gives 422", async () => {
      const hash = await checkout.newOrder({ rut: "40926386-0" });
      expect((await checkout.identify(hash, "1")).status).toBe(422);
      expect((await checkout.identify(hash, "100000001")).status).toBe(422);
    });

    it("payment before readiness answers 400 with codes such as processor_customer_identity_not_validated", async () => {
      const { status, body: answer } = await checkout.pay(await checkout.newOrder());
      expect([status, answer.code]).toEqual([400, "processor_customer_identity_not_validated"]);
    });
  });

  it("PUT /orders/{hash}/refund: total or partial refund", async () => {
    const hash = await checkout.paidOrder();
    expect((await checkout.refund(hash, { amount: 10_000 })).body.refund.amount).toBe(10_000);
    expect((await checkout.refund(hash)).body.refund.amount).toBe(30_000);
  });
});

describe("5. Authentication", () => {
  it("rule 2: client_id to an endpoint that needs client_secret gives 401", async () => {
    const hash = await checkout.paidOrder();
    expect((await checkout.refund(hash, {}, { using: "client_id" })).status).toBe(401);
    expect((await checkout.call("cancelOrder", hash, { using: "client_id", body: {} })).status).toBe(401);
  });

  it("rule 3: credentials of an inactive provider give 401", async () => {
    const inactive = await bff.createProvider({ active: false });
    expect((await send(body(), { as: inactive })).status).toBe(401);
  });

  it("rule 4: missing Authorization header on POST /orders gives 401", async () => {
    expect((await bff.callOrderApi(orderEndpoints.createOrder, { body: body() })).status).toBe(401);
  });

  it("rule 5: a credential of the wrong environment gives 401; the key carries no environment prefix", async () => {
    const elsewhere = await bff.createProvider();
    const { db } = bff.database;
    await db
      .updateTable("providers")
      .set({ environment: "production" })
      .where("id", "=", elsewhere.provider.id)
      .execute();
    expect((await send(body(), { as: elsewhere })).status).toBe(401);
    expect(elsewhere.credentials.client_secret).not.toMatch(/stag|prod|test|live/i);
  });

  it("rule 7: in staging no real money moves: the sandbox's parties know of every charge", async () => {
    const hash = await checkout.paidOrder();
    const movements = await checkout.sandbox.cardProcessor.listMovements(
      clinic.provider.id,
      new Date("2000-01-01"),
      new Date("2100-01-01"),
    );
    expect(movements.filter(({ orderHash: orderId }) => orderId === hash)).toHaveLength(1);
  });
});

describe("7. Errors", () => {
  it("the human-readable text is in detail on all endpoints; code is there to be matched on", async () => {
    const answers = await Promise.all([
      send({}),
      send(body({ total: -1 })),
      checkout.pay(await checkout.newOrder()),
      checkout.refund(await checkout.newOrder()),
      checkout.call("getOrder", NO_HASH),
    ]);
    for (const { body: answer } of answers) {
      expect(answer).toHaveProperty("detail");
      expect(answer.code).toMatch(/^[a-z_]+$/);
    }
  });

  it("order endpoints: detail is a string or, for 404, an object {error_code, message}", async () => {
    expect(typeof (await send({})).body.detail).toBe("string");
    for (const name of [
      "getOrder",
      "refundOrder",
      "cancelOrder",
      "payOrder",
      "validateIdentity",
      "addPaymentMethod",
    ] as const) {
      const options = name === "getOrder" ? {} : { body: {} };
      const { status, body: answer } = await checkout.call(name, NO_HASH, options);
      expect(status).toBe(404);
      expect(answer.detail).toEqual({ error_code: "order_not_found", message: expect.any(String) });
    }
  });

  it("400: missing customer.email; negative total_amount; payment readiness probe", async () => {
    const sent = body();
    const { email: _email, ...customer } = sent.customer;
    expect((await send({ ...sent, customer })).body.code).toBe("customer_email_required");
    expect((await send(body({ total: -1 }))).body.code).toBe("total_amount_negative");
    const probe = await checkout.pay(await checkout.newOrder());
    expect(probe.body.code).toBe("processor_customer_identity_not_validated");
  });

  it("404: unknown order hash", async () => {
    expect((await checkout.call("getOrder", systemIds.uuid())).body.code).toBe("order_not_found");
  });

  it("409: duplicate order reference on POST /orders; a unique reference per attempt recovers", async () => {
    await checkout.create({ reference: "intento" });
    expect((await checkout.create({ reference: "intento" })).body.code).toBe("duplicate_reference");
    expect((await checkout.create({ reference: "intento 2" })).status).toBe(201);
  });

  it("422: malformed RUT (no check digit); malformed identity-document serial; identity rejected; schema errors", async () => {
    expect((await send(body({ rut: "12345678" }))).body.errors).toEqual([
      { path: "customer.rut", message: expect.any(String) },
    ]);
    const hash = await checkout.newOrder({ rut: "41064117-8" });
    expect((await checkout.identify(hash, "12")).body.code).toBe("document_serial_malformed");
    expect((await checkout.identify(hash, "100000001")).body.code).toBe("identity_rejected");
    expect((await send({ reference: 5 })).body.code).toBe("validation_error");
  });

  it("the service cannot bypass identity rejection: no card, no payment", async () => {
    const hash = await checkout.newOrder({ rut: "41201848-6" });
    await checkout.identify(hash, "100000001");
    expect((await checkout.addCard(hash, CARDS.approved)).body.code).toBe("processor_customer_identity_not_validated");
    expect((await checkout.pay(hash)).body.code).toBe("processor_customer_identity_not_validated");
  });
});
