import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { orderEndpoints } from "../../../src/contract/order-endpoints.ts";
import { orderSchema, patientOrderSchema } from "../../../src/contract/orders.ts";
import { startBff, type TestBff } from "../../start-bff.ts";
import { type Checkout, checkoutOf, NO_HASH } from "./checkout.ts";

let bff: TestBff;
let checkout: Checkout;
beforeAll(async () => {
  bff = await startBff();
  checkout = checkoutOf(bff);
});
afterAll(() => bff.close());

describe("GET /orders/{hash}", () => {
  describe("200", () => {
    it("returns the order as POST /orders answered it", async () => {
      const { body: created } = await checkout.create();
      expect(await checkout.read(created.hash)).toEqual(created);
    });

    it("masks e-mail and phone and omits the partner's fields for client_id", async () => {
      const hash = await checkout.readyOrder();
      const { body } = await checkout.call("getOrder", hash, { using: "client_id" });
      expect(body.customer).toMatchObject({ rut: "40100000-3", email: "c•••@e•••.com", phone_number: "+56•••••678" });
      for (const name of ["payments", "refunds", "expense", "collection"]) expect(body).not.toHaveProperty(name);
      expect(body.payment_method).toMatchObject({ brand: "visa", last4: "6623", exp_month: 12, exp_year: 2029 });
      expect(patientOrderSchema.safeParse(body).success).toBe(true);
      expect(orderSchema.safeParse(body).success).toBe(false);
    });

    it("shows the patient when the order was paid, whatever changed since", async () => {
      const hash = await checkout.readyOrder();
      const readPaid = async () => {
        const { body } = await checkout.call("getOrder", hash, { using: "client_id" });
        return patientOrderSchema.parse(body);
      };
      expect((await readPaid()).paid_at).toBeNull();
      await checkout.pay(hash);
      const { paid_at: paidAt } = await readPaid();
      expect(paidAt).not.toBeNull();
      await bff.advance(86_400_000);
      await checkout.refund(hash, { amount: 1_000 });
      const later = await readPaid();
      expect(later.paid_at).toBe(paidAt);
      expect(later.updated_at > (paidAt ?? "")).toBe(true);
    });

    it("shows the patient where a refund came from: the deferred part first, then the card", async () => {
      const hash = await checkout.paidOrder();
      const whereItWent = async () => {
        const { body } = await checkout.call("getOrder", hash, { using: "client_id" });
        const { refunded_amount, deferred_cancelled, returned_amount } = patientOrderSchema.parse(body);
        return { refunded_amount, deferred_cancelled, returned_amount };
      };
      expect(await whereItWent()).toEqual({ refunded_amount: 0, deferred_cancelled: 0, returned_amount: 0 });
      await checkout.refund(hash, { amount: 10_000 });
      expect(await whereItWent()).toEqual({ refunded_amount: 10_000, deferred_cancelled: 10_000, returned_amount: 0 });
      await checkout.refund(hash, { amount: 20_000 });
      expect(await whereItWent()).toEqual({
        refunded_amount: 30_000,
        deferred_cancelled: 28_000,
        returned_amount: 2_000,
      });
    });

    it("shows the current state, without payments or refunds of another order", async () => {
      const otherOrder = await checkout.newOrder();
      const before = await checkout.read(otherOrder);
      await checkout.refund(await checkout.paidOrder());
      expect(await checkout.read(otherOrder)).toEqual(before);
      const hash = await checkout.paidOrder();
      expect(await checkout.read(hash)).toMatchObject({ status: "paid", paid_amount: 40_000, pending_amount: 0 });
    });
  });

  describe("401", () => {
    it.each(["public_key", "secret_key", "webhook_secret"] as const)("for %s", async (kind) => {
      const hash = await checkout.newOrder();
      const headers = { authorization: `Bearer ${bff.clinic.credentials[kind]}` };
      const { status } = await bff.callOrderApi(orderEndpoints.getOrder, {
        params: { hash },
        headers,
      });
      expect(status).toBe(401);
    });
  });

  describe("404", () => {
    it.each([NO_HASH, "x", "%00", "1; drop table orders"])("order_not_found for %j", async (hash) => {
      const { status, body } = await checkout.call("getOrder", hash);
      expect(status).toBe(404);
      expect(body).toMatchObject({
        code: "order_not_found",
        detail: { error_code: "order_not_found", message: expect.any(String) },
      });
    });

    it.each(["client_secret", "client_id"] as const)("for another provider's order, by %s", async (using) => {
      const hash = await checkout.newOrder();
      const other = await bff.createProvider();
      expect((await checkout.call("getOrder", hash, { as: other, using })).status).toBe(404);
    });
  });
});
