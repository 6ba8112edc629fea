import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { IdentityRegistry } from "../../../src/gateways/identity-registry.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { createLogger } from "../../../src/platform/logger.ts";
import { changeProvider } from "../../../src/tenants/manage-provider.ts";
import { startBff, type TestBff } from "../../start-bff.ts";
import { type Checkout, checkoutOf, NO_HASH } from "./checkout.ts";

const REJECTED = "100000001";
const NOT_VALID = "100000002";
const REGISTRY_DOWN = "100000003";
const UNDER_AGE = "100000004";

let bff: TestBff;
let checkout: Checkout;
const lines: string[] = [];
beforeAll(async () => {
  const logger = createLogger({ level: "debug", destination: { write: (line) => lines.push(line) } });
  bff = await startBff({ logger });
  checkout = checkoutOf(bff);
});
afterAll(() => bff.close());

let people = 0;
/** Each test has its own person, because attempts count per person. */
const RUTS = [
  "41477310-9",
  "41615041-9",
  "41752772-9",
  "41890503-4",
  "40926386-0",
  "41064117-8",
  "41201848-6",
  "41339579-8",
  "40006217-K",
  "40008548-K",
  "40000778-0",
];
const newOrder = () => checkout.newOrder({ rut: RUTS[people++ % RUTS.length] ?? "" });

describe("POST /orders/{hash}/validate_customer_identity", () => {
  describe("200", () => {
    it.each(["123.456.789", "a123456789", " 123-456-789 "])(
      "validates the order with the serial %j",
      async (serial) => {
        const hash = await newOrder();
        const { status, body } = await checkout.identify(hash, serial);
        expect(status).toBe(200);
        expect(body).toMatchObject({ status: "validated", order: { hash, readiness: { identity_validated: true } } });
      },
    );

    it("on a validated order again, even with a serial that would be rejected", async () => {
      const hash = await newOrder();
      await checkout.identify(hash);
      expect((await checkout.identify(hash, REJECTED)).status).toBe(200);
    });

    it("accepts a foreigner's document", async () => {
      const hash = await newOrder();
      const body = { document_serial: "123456789", document_type: "CEDULA_EXT" };
      expect((await checkout.call("validateIdentity", hash, { body })).status).toBe(200);
    });
  });

  describe("404", () => {
    it("for an unknown order and for another provider's, before the body is validated", async () => {
      expect((await checkout.call("validateIdentity", NO_HASH, { body: { nothing: 1 } })).status).toBe(404);
      const other = await bff.createProvider();
      const hash = await newOrder();
      expect(
        (await checkout.call("validateIdentity", hash, { as: other, body: { document_serial: "123456789" } })).status,
      ).toBe(404);
    });
  });

  describe("409", () => {
    it("order_not_payable for a cancelled order, without asking the registry", async () => {
      const hash = await newOrder();
      await checkout.call("cancelOrder", hash, { body: {} });
      expect((await checkout.identify(hash)).body.code).toBe("order_not_payable");
      const asked = bff.database.db.selectFrom("identity_checks").select("outcome").where("order_id", "=", hash);
      expect(await asked.execute()).toEqual([]);
    });

    it("order_not_payable for an order cancelled during the registry's answer; it stays cancelled", async () => {
      const hash = await newOrder();
      const registry = bff.context.parties.identityRegistry;
      const { check } = registry;
      const cancelledMeanwhile: IdentityRegistry["check"] = async (input) => {
        await checkout.call("cancelOrder", hash, { body: {} });
        bff.clock.advance(5_000);
        return check.call(registry, input);
      };
      Object.assign(registry, { check: cancelledMeanwhile });
      const { status, body } = await checkout.identify(hash).finally(() => Object.assign(registry, { check }));
      expect([status, body.code]).toEqual([409, "order_not_payable"]);
      const order = await bff.database.db
        .selectFrom("orders")
        .select(["state", "identity_validated_at", "updated_at"])
        .where("id", "=", hash)
        .executeTakeFirstOrThrow();
      expect(order).toMatchObject({ state: "cancelled", identity_validated_at: null });
      expect(order.updated_at.getTime()).toBe(bff.clock.now().getTime() - 5_000);
    });
  });

  describe("422", () => {
    it.each(["12345678", "1234567890", "ABC", "ñ123456789"])(
      "document_serial_malformed for %j, without counting an attempt",
      async (serial) => {
        const { status, body } = await checkout.identify(await newOrder(), serial);
        expect(status).toBe(422);
        expect(body.code).toBe("document_serial_malformed");
        expect(body.attempts_left).toBeGreaterThan(0);
      },
    );

    it("identity_rejected and identity_document_not_valid, each with the attempts left", async () => {
      const hash = await newOrder();
      const first = await checkout.identify(hash, REJECTED);
      expect(first.body).toMatchObject({ code: "identity_rejected", attempts_left: 4 });
      expect(first.body.detail).toMatch(/RUT/);
      // An error without an inquiry also returns the number of attempts left.
      expect((await checkout.identify(hash, "ABC")).body).toMatchObject({
        code: "document_serial_malformed",
        attempts_left: 4,
      });
      const second = await checkout.identify(hash, NOT_VALID);
      expect(second.body).toMatchObject({ code: "identity_document_not_valid", attempts_left: 3 });
      expect((await checkout.identify(hash)).status).toBe(200);
    });

    it("patient_under_age for a minor, without counting an attempt, unless the clinic accepts minors", async () => {
      const hash = await newOrder();
      const { status, body } = await checkout.identify(hash, UNDER_AGE);
      expect([status, body.code, body.attempts_left]).toEqual([422, "patient_under_age", undefined]);
      expect((await checkout.read(hash)).readiness.identity_validated).toBe(false);
      for (const left of [4, 3]) expect((await checkout.identify(hash, REJECTED)).body.attempts_left).toBe(left);
      const change = (takesMinors: boolean) => {
        const operations = { db: bff.database.db, clock: bff.clock, ids: systemIds };
        return changeProvider(operations, bff.clinic.provider.id, { takesMinors });
      };
      await change(true);
      expect((await checkout.identify(hash, UNDER_AGE)).status).toBe(200);
      await change(false);
    });

    it("identity_attempts_exhausted after five rejections in an hour, with Retry-After, across the person's orders", async () => {
      const rut = "40788655-0";
      const hash = await checkout.newOrder({ rut });
      for (const left of [4, 3, 2, 1, 0]) {
        expect((await checkout.identify(hash, REJECTED)).body).toMatchObject({
          code: "identity_rejected",
          attempts_left: left,
        });
        await bff.advance(60_000);
      }
      const another = await checkout.newOrder({ rut });
      for (const closed of [hash, another]) {
        const { status, body, headers } = await checkout.identify(closed);
        expect([status, body.code, body.attempts_left]).toEqual([422, "identity_attempts_exhausted", 0]);
        expect(headers.get("retry-after")).toBe(String(55 * 60));
      }
      await bff.advance(55 * 60_000 - 500);
      // A refused attempt does not count, and Retry-After is never below one second.
      const soon = await checkout.identify(another);
      expect([soon.body.code, soon.headers.get("retry-after")]).toEqual(["identity_attempts_exhausted", "1"]);
      await bff.advance(500);
      expect((await checkout.identify(another)).status).toBe(200);
      expect((await checkout.identify(hash, REJECTED)).body.attempts_left).toBe(0);
    });

    it("allows five of twenty concurrent attempts to be rejected", async () => {
      const hash = await checkout.newOrder({ rut: "40650924-9" });
      const answers = await Promise.all(Array.from({ length: 20 }, () => checkout.identify(hash, REJECTED)));
      const codes = answers.map(({ body }) => body.code);
      expect(codes.filter((code) => code === "identity_rejected")).toHaveLength(5);
      expect(codes.filter((code) => code === "identity_attempts_exhausted")).toHaveLength(15);
    });

    it("raw_card_refused for a card number as the serial", async () => {
      const { body } = await checkout.identify(await newOrder(), "4051 8856 0044 6623");
      expect(body.code).toBe("raw_card_refused");
    });

    it.each([{}, { document_serial: 123456789 }, { document_serial: "123456789", document_type: "PASSPORT" }])(
      "validation_error for %j",
      async (body) => {
        const answer = await checkout.call("validateIdentity", await newOrder(), { body });
        expect(answer.body.code).toBe("validation_error");
      },
    );
  });

  describe("503", () => {
    it("identity_registry_unavailable counts no attempt", async () => {
      const hash = await newOrder();
      for (let time = 0; time < 6; time += 1) {
        const { status, body } = await checkout.identify(hash, REGISTRY_DOWN);
        expect([status, body.code]).toEqual([503, "identity_registry_unavailable"]);
      }
      expect((await checkout.identify(hash)).status).toBe(200);
    });
  });

  it("stores only a keyed hash of the serial, and the outcome", async () => {
    const serial = "987654321";
    await checkout.identify(await newOrder(), serial);
    const { db } = bff.database;
    for (const table of ["identity_checks", "orders", "idempotency_keys", "audit_log", "events", "timers"] as const) {
      const rows = await db.selectFrom(table).selectAll().execute();
      expect(JSON.stringify(rows)).not.toContain(serial);
    }
    expect(lines.join("")).not.toContain(serial);
  });
});
