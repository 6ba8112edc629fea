import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { orderEndpoints } from "../../../src/contract/order-endpoints.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { startBff, type TestBff, type TestProvider } from "../../start-bff.ts";
import { type Checkout, checkoutOf } from "./checkout.ts";
import { orderBody, PATIENTS } from "./orders-world.ts";

let bff: TestBff;
let checkout: Checkout;
beforeAll(async () => {
  bff = await startBff();
  checkout = checkoutOf(bff);
});
afterAll(() => bff.close());

function post(body: unknown, options: { as?: TestProvider; headers?: Record<string, string> } = {}) {
  return bff.callOrderApi(orderEndpoints.createOrder, { as: bff.clinic, body, ...options });
}

/** A valid body with some fields changed; `undefined` omits a field. */
function bodyWith({
  customer,
  ...fields
}: {
  customer?: Record<string, unknown> | undefined;
  [field: string]: unknown;
}) {
  const body = orderBody({ total: 40_000, rut: PATIENTS.good, reference: systemIds.uuid() });
  return { ...body, ...fields, customer: { ...body.customer, ...customer } };
}

describe("POST /orders", () => {
  describe("201", () => {
    it("returns the whole order, pending, with nothing paid", async () => {
      const { status, body } = await checkout.create({ reference: "ficha 17" });
      expect(status).toBe(201);
      expect(body).toMatchObject({
        status: "pending",
        reference: "ficha 17",
        total_amount: 40_000,
        paid_amount: 0,
        pending_amount: 40_000,
        captured_amount: 0,
        refunded_amount: 0,
        currency: "CLP",
        customer: {
          rut: "40100000-3",
          first_name: "Camila",
          last_name: "Rojas Fuentes",
          email: "camila@example.com",
          phone_number: "+56912345678",
        },
        plan: {
          name: "aapd_30_70",
          data: {
            installments: [
              { number: 1, percentage: 30, amount: 12_000, due: "now", status: "pending" },
              {
                number: 2,
                percentage: 70,
                amount: 28_000,
                due: "deferred",
                latest_due_date: "2027-01-05",
                status: "pending",
              },
            ],
            commission: { percentage: 7, amount: 2_800, vat_included: true, charged_with: "deferred" },
          },
        },
        readiness: { identity_validated: false, payment_method_added: false },
        payments: [],
        refunds: [],
        expense: null,
        collection: null,
        created_at: bff.clock.now().toISOString(),
      });
    });

    it.each([
      ["40100000-3", "40100000-3"],
      ["40.100.000-3", "40100000-3"],
      ["40.006.217-k", "40006217-K"],
      ["1.365.664-9", "1365664-9"],
    ])("accepts the RUT %s and stores %s", async (rut, kept) => {
      const { status, body } = await checkout.create({ rut });
      expect(status).toBe(201);
      expect(body.customer.rut).toBe(kept);
    });

    it.each([0, 1, 2, 3, 999_999_999, "45952", "0"])(
      "accepts a total of %j, in two parts that sum to it",
      async (total) => {
        const { status, body } = await checkout.create({ total });
        expect(status).toBe(201);
        const [first, deferred] = body.plan.data.installments;
        expect(first.amount + deferred.amount).toBe(Number(total));
        expect(body.total_amount).toBe(Number(total));
      },
    );

    it("returns the reference exactly as sent, including spaces", async () => {
      const reference = ` ${systemIds.uuid()} `;
      const { body } = await checkout.create({ reference });
      expect(body.reference).toBe(reference);
      expect((await checkout.read(body.hash)).reference).toBe(reference);
    });

    it("stores names and references of every script, at maximum length", async () => {
      const { status, body } = await post(
        bodyWith({ reference: "ñ".repeat(255), customer: { first_name: "María José", last_name: "O'Ryan Díaz 岩" } }),
      );
      expect(status).toBe(201);
      expect(body.reference).toBe("ñ".repeat(255));
      expect(body.customer).toMatchObject({ first_name: "María José", last_name: "O'Ryan Díaz 岩" });
    });

    it.each([
      ["Ñandú@example.cl", "ñandú@example.cl"],
      ["a@ñandú.cl", "a@xn--and-6ma2c.cl"],
    ])("accepts the e-mail %s and returns it normalised", async (email, answered) => {
      const { status, body } = await post(bodyWith({ customer: { email: email.normalize("NFD") } }));
      expect([status, body.customer.email]).toEqual([201, answered]);
      expect((await checkout.read(body.hash)).customer.email).toBe(answered);
    });

    it("returns the lines of the bill as given, to partner and patient", async () => {
      const items = [
        { description: " Consulta de traumatología ", amount: 32_000 },
        { description: "Radiografía", quantity: 2, amount: 8_000 },
      ];
      const { status, body } = await post(bodyWith({ items }));
      const kept = [
        { description: "Consulta de traumatología", quantity: 1, amount: 32_000 },
        { description: "Radiografía", quantity: 2, amount: 8_000 },
      ];
      expect([status, body.items]).toEqual([201, kept]);
      expect((await checkout.read(body.hash)).items).toEqual(kept);
      expect((await checkout.call("getOrder", body.hash, { using: "client_id" })).body.items).toEqual(kept);
    });

    it("has no lines if none were given", async () => {
      const { body } = await checkout.create();
      expect(body).not.toHaveProperty("items");
      expect(await checkout.read(body.hash)).not.toHaveProperty("items");
    });

    it("returns the same order under the same Idempotency-Key, repeated or concurrent", async () => {
      const body = orderBody({ total: 40_000, rut: PATIENTS.good, reference: systemIds.uuid() });
      const headers = { "Idempotency-Key": systemIds.uuid() };
      const answers = await Promise.all(Array.from({ length: 20 }, () => post(body, { headers })));
      const created = answers.filter(({ status }) => status === 201);
      expect(new Set(created.map((answer) => answer.body.hash)).size).toBe(1);
      for (const answer of answers) {
        if (answer.status !== 201) expect(answer.body.code).toBe("idempotency_in_flight");
      }
      const replayed = await post(body, { headers });
      expect(replayed.headers.get("idempotency-replayed")).toBe("true");
      expect(replayed.body).toEqual(created[0]?.body);
    });
  });

  describe("400", () => {
    it("leaves the Idempotency-Key free for the corrected request", async () => {
      const headers = { "Idempotency-Key": systemIds.uuid() };
      const reference = systemIds.uuid();
      const { customer, ...order } = orderBody({ total: 40_000, rut: PATIENTS.good, reference });
      const { email, ...withoutEmail } = customer;
      const refused = await post({ ...order, customer: withoutEmail }, { headers });
      expect(refused.body.code).toBe("customer_email_required");
      const mended = await post({ ...order, customer: { ...withoutEmail, email } }, { headers });
      expect(mended).toMatchObject({ status: 201, body: { reference } });
      expect(mended.headers.get("idempotency-replayed")).toBeNull();
    });

    it.each([undefined, null, "", "  "])("customer_email_required for the e-mail %j", async (email) => {
      const { status, body } = await post(bodyWith({ customer: { email } }));
      expect([status, body.code]).toEqual([400, "customer_email_required"]);
    });

    it.each([-1, "-5", -999_999_999])("total_amount_negative for %j", async (total) => {
      const { status, body } = await checkout.create({ total });
      expect([status, body.code]).toEqual([400, "total_amount_negative"]);
    });

    it("total_amount_negative whatever its lines sum to", async () => {
      const { body } = await post(bodyWith({ total_amount: -1, items: [{ description: "Consulta", amount: 1 }] }));
      expect(body.code).toBe("total_amount_negative");
    });

    it("provider_rut_not_allowed for a provider that is not a meta-provider", async () => {
      const { body } = await post(bodyWith({ provider_rut: "76.902.223-6" }));
      expect(body.code).toBe("provider_rut_not_allowed");
    });
  });

  describe("401", () => {
    it.each(["client_id", "public_key", "secret_key"] as const)("for %s instead of client_secret", async (using) => {
      const value = bff.clinic.credentials[using];
      const { status, body } = await bff.callOrderApi(orderEndpoints.createOrder, {
        body: orderBody({ total: 1_000, rut: PATIENTS.good, reference: "x" }),
        headers: { authorization: `Bearer ${value}` },
      });
      expect([status, body.code]).toEqual([401, "invalid_credential"]);
    });

    it("precedes any reading of the body if Authorization is missing", async () => {
      const { status } = await bff.callOrderApi(orderEndpoints.createOrder, { rawBody: "{" });
      expect(status).toBe(401);
    });

    it("for an inactive provider", async () => {
      const inactive = await bff.createProvider({ active: false });
      expect((await checkout.create({ as: inactive })).status).toBe(401);
    });
  });

  describe("404", () => {
    it("center_not_found for a meta-provider that names a centre of another", async () => {
      const meta = await bff.createProvider({ meta: true });
      const { status, body } = await post(bodyWith({ provider_rut: "76.902.223-6" }), { as: meta });
      expect([status, body.code]).toEqual([404, "center_not_found"]);
      expect(body.detail).toMatchObject({ error_code: "center_not_found" });
    });
  });

  describe("409", () => {
    it("duplicate_reference, with the hash of the order that has it", async () => {
      const { body: first } = await checkout.create({ reference: "una vez" });
      const { status, body } = await checkout.create({ reference: "una vez" });
      expect([status, body.code, body.order_hash]).toEqual([409, "duplicate_reference", first.hash]);
    });

    it("for nineteen of twenty concurrent requests", async () => {
      const reference = systemIds.uuid();
      const answers = await Promise.all(Array.from({ length: 20 }, () => checkout.create({ reference })));
      const created = answers.filter(({ status }) => status === 201);
      expect(created).toHaveLength(1);
      for (const { status, body } of answers) if (status !== 201) expect(body.order_hash).toBe(created[0]?.body.hash);
    });

    it("is not answered for another provider's reference", async () => {
      const clinics = [bff.clinic, await bff.createProvider()];
      const create = (as: TestProvider) => checkout.create({ reference: "de cada uno", as });
      const made = [];
      for (const as of clinics) made.push(await create(as));
      const again = [];
      for (const as of clinics) again.push(await create(as));
      expect(made.map(({ status }) => status)).toEqual([201, 201]);
      expect(again.map(({ status, body }) => [status, body.order_hash])).toEqual(
        made.map(({ body }) => [409, body.hash]),
      );
    });
  });

  describe("422", () => {
    it.each([
      ["a missing reference", { reference: undefined }, "reference"],
      ["an empty reference", { reference: "  " }, "reference"],
      ["a reference that is too long", { reference: "x".repeat(256) }, "reference"],
      ["a RUT without its check digit", { customer: { rut: "12345678" } }, "customer.rut"],
      ["a RUT with a wrong check digit", { customer: { rut: "12.345.678-K" } }, "customer.rut"],
      ["a RUT with misplaced dots", { customer: { rut: "12.34.5678-5" } }, "customer.rut"],
      ["a company's RUT", { customer: { rut: "76.900.001-1" } }, "customer.rut"],
      ["a missing name", { customer: { first_name: undefined } }, "customer.first_name"],
      ["a missing surname", { customer: { last_name: undefined } }, "customer.last_name"],
      ["a reference with a line end", { reference: "A-1\nB" }, "reference"],
      ["a reference with an invisible character", { reference: "A-1\u200B" }, "reference"],
      ["a name of one invisible character", { customer: { first_name: "\u200B" } }, "customer.first_name"],
      ["a name that changes the text direction", { customer: { last_name: "Ro\u202Ejas" } }, "customer.last_name"],
      ["a name without a letter", { customer: { first_name: "12345" } }, "customer.first_name"],
      ["a phone number in words", { customer: { phone_number: "no tengo" } }, "customer.phone_number"],
      ["a phone number with seven digits", { customer: { phone_number: "1234567" } }, "customer.phone_number"],
      ["a missing phone number", { customer: { phone_number: undefined } }, "customer.phone_number"],
      ["an invalid e-mail", { customer: { email: "camila@" } }, "customer.email"],
      ["a missing customer", null, "customer"],
      ["null in a required field", { reference: null }, "reference"],
      ["decimals", { total_amount: 10.5 }, "total_amount"],
      ["text with decimals", { total_amount: "10.0" }, "total_amount"],
      ["text with an exponent", { total_amount: "1e3" }, "total_amount"],
      ["a total that is too large", { total_amount: 1_000_000_000 }, "total_amount"],
      ["a total of another type", { total_amount: true }, "total_amount"],
      ["a missing total", { total_amount: undefined }, "total_amount"],
    ])("validation_error for %s, which names the field but not its value", async (_what, change, path) => {
      const sent = change === null ? { ...bodyWith({}), customer: undefined } : bodyWith(change);
      const { status, body } = await post(sent);
      expect([status, body.code]).toEqual([422, "validation_error"]);
      expect(body.errors.map((issue: { path: string }) => issue.path)).toContain(path);
      expect(JSON.stringify(body)).not.toContain("76.900.001-1");
    });

    it("precedes 400: a negative total with a malformed RUT is 422", async () => {
      const { status } = await checkout.create({ total: -1, rut: "abc" });
      expect(status).toBe(422);
    });

    it("provider_rut_required for a meta-provider", async () => {
      const meta = await bff.createProvider({ meta: true });
      const { body } = await checkout.create({ as: meta });
      expect(body.code).toBe("provider_rut_required");
    });

    it("stores nothing", async () => {
      const clinic = await bff.createProvider();
      await checkout.create({ as: clinic, rut: "abc" });
      await checkout.create({ as: clinic, total: -1 });
      const rows = await bff.database.db
        .selectFrom("orders")
        .select("id")
        .where("provider_id", "=", clinic.provider.id)
        .execute();
      expect(rows).toEqual([]);
    });
  });
});

describe("the lines of a bill", () => {
  const line = { description: "Consulta", amount: 40_000 };

  it.each([
    ["a sum below the total", [{ ...line, amount: 39_999 }], "items"],
    ["a sum above it", [line, { ...line, amount: 1 }], "items"],
    ["no line at all", [], "items"],
    ["too many lines", Array.from({ length: 51 }, () => ({ ...line, amount: 1 })), "items"],
    ["an amount of 0", [line, { ...line, amount: 0 }], "items.1.amount"],
    [
      "a negative amount",
      [
        { ...line, amount: 40_001 },
        { ...line, amount: -1 },
      ],
      "items.1.amount",
    ],
    ["half a peso", [{ ...line, amount: 39_999.5 }], "items.0.amount"],
    ["a blank description", [{ ...line, description: "  " }], "items.0.description"],
    ["an overlong description", [{ ...line, description: "x".repeat(121) }], "items.0.description"],
    ["no amount and no description", [{ ...line, quantity: 0 }], "items.0.quantity"],
    ["no amount", [{ ...line, quantity: 0.5 }], "items.0.quantity"],
  ])("422 validation_error for %s, and no order is created", async (_what, items, path) => {
    const reference = systemIds.uuid();
    const { status, body } = await post(bodyWith({ reference, items }));
    expect([status, body.code]).toEqual([422, "validation_error"]);
    expect(body.errors).toContainEqual({ path, message: expect.any(String) });
    expect((await post(bodyWith({ reference }))).status).toBe(201);
  });

  it("names the problem of each line in words", async () => {
    const { body } = await post(bodyWith({ items: [{ ...line, amount: 0, quantity: 0.5 }, { amount: 1 }] }));
    expect(body.errors).toEqual([
      { path: "items.0.quantity", message: "must be a whole number" },
      { path: "items.0.amount", message: "must be at least 1" },
      { path: "items.1.description", message: "is missing" },
    ]);
  });

  it("422 validation_error for a card number in a description, which no answer or log repeats", async () => {
    const { status, body } = await post(bodyWith({ items: [{ ...line, description: "pago 4051 8856 0044 6623" }] }));
    expect([status, body.code]).toEqual([422, "validation_error"]);
    expect(body.errors).toMatchObject([{ path: "items.0.description" }]);
    expect(JSON.stringify(body)).not.toMatch(/4051|6623/);
  });
});
