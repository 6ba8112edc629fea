import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { replaceFaults } from "../../../sandbox/calls/gateway-call-store.ts";
import { readOrderId } from "../../../src/contract/vocabulary/identifiers.ts";
import { inTransaction } from "../../../src/platform/database/transaction.ts";
import { createLogger } from "../../../src/platform/logger.ts";
import { startBff, type TestBff } from "../../start-bff.ts";
import { seal } from "../gateways/start-gateways.ts";
import { type Checkout, checkoutOf, NO_HASH } from "./checkout.ts";
import { CARDS, PATIENTS, present } from "./orders-world.ts";

let bff: TestBff;
let checkout: Checkout;
const lines: string[] = [];
beforeAll(async () => {
  const logger = createLogger({ level: "debug", destination: { write: (line) => lines.push(line) } });
  bff = await startBff({ logger });
  checkout = checkoutOf(bff);
});
afterAll(() => bff.close());

/** The cards of an order that the processor still keeps. */
async function keptCards(hash: string): Promise<string[]> {
  const cards = bff.database.db.selectFrom("sandbox_cards").select("last4").where("removed_at", "is", null);
  const rows = await cards.where("order_hash", "=", present(readOrderId(hash))).execute();
  return rows.map(({ last4 }) => last4);
}

async function identified(): Promise<string> {
  const hash = await checkout.newOrder();
  await checkout.identify(hash);
  return hash;
}

describe("POST /orders/{hash}/add_payment_method", () => {
  describe("200", () => {
    it("stores only the card data that the processor allows", async () => {
      const hash = await identified();
      const { status, body } = await checkout.addCard(hash);
      expect(status).toBe(200);
      const method = {
        id: expect.any(String),
        brand: "visa",
        last4: "6623",
        exp_month: 12,
        exp_year: 2029,
        holder_name: "CAMILA ROJAS",
        kind: "credit",
      };
      expect(body).toMatchObject({ status: "added", payment_method: method });
      expect(body.order).toMatchObject({ hash, payment_method: method, readiness: { payment_method_added: true } });
    });

    it("replaces the first card when another is added", async () => {
      const hash = await identified();
      await checkout.addCard(hash);
      const { body } = await checkout.addCard(hash, CARDS.debit);
      expect(body.order.payment_method).toMatchObject({ last4: "7763", kind: "debit" });
    });

    it("leaves no number, code or sealed text in the database or the log", async () => {
      const hash = await identified();
      const key = await checkout.sandbox.cardProcessor.sealingKey();
      const at = Math.floor(bff.clock.now().getTime() / 1_000);
      const card = { number: CARDS.approved, exp_month: 12, exp_year: 2029, cvc: "739", holder_name: "CAMILA ROJAS" };
      const sealed = await seal(key, { ...card, order_token: hash, iat: at });
      await checkout.call("addPaymentMethod", hash, {
        body: { sealed_card: sealed },
        headers: { "Idempotency-Key": "una tarjeta" },
      });
      const { db } = bff.database;
      const tables = ["orders", "order_payments", "idempotency_keys", "audit_log", "events", "timers", "sandbox_calls"];
      for (const table of tables) {
        const rows = await db
          .selectFrom(table as "orders")
          .selectAll()
          .execute();
        const text = JSON.stringify(rows);
        expect(text, table).not.toContain(CARDS.approved);
        expect(text, table).not.toContain(sealed.slice(0, 60));
        expect(text, table).not.toContain(sealed.slice(-40));
      }
      expect(lines.join("")).not.toContain(CARDS.approved);
      expect(lines.join("")).not.toContain(sealed.slice(0, 60));
    });
  });

  describe("400", () => {
    it("processor_customer_identity_not_validated before the identity is validated", async () => {
      const { status, body } = await checkout.addCard(await checkout.newOrder());
      expect([status, body.code]).toEqual([400, "processor_customer_identity_not_validated"]);
    });

    it.each([
      ["4051885600000024", "card_expired"],
      ["4051885600000099", "security_code_wrong"],
    ])("card_declined with the reason %s", async (number, reason) => {
      const { body } = await checkout.addCard(await identified(), number);
      expect(body).toMatchObject({ code: "card_declined", decline_reason: reason });
    });

    it("card_expires_too_soon for a card that ends before the latest due date, and the card is removed", async () => {
      const hash = await identified();
      const { body } = await checkout.addCard(hash, CARDS.approved, { exp_month: 12, exp_year: 2026 });
      expect(body.code).toBe("card_expires_too_soon");
      expect((await checkout.read(hash)).readiness.payment_method_added).toBe(false);
      await bff.runDue();
      expect(await keptCards(hash)).toEqual([]);
      // The latest due date is 2027-01-05, and a card is valid to the end of its month.
      expect((await checkout.addCard(hash, CARDS.approved, { exp_month: 1, exp_year: 2027 })).status).toBe(200);
    });

    it.each([
      ["for another order", { order_token: NO_HASH }],
      ["more than 15 minutes ago", { iat: 1_700_000_000 }],
      ["without its security code", { cvc: "" }],
    ])("sealed_card_refused for a card sealed %s", async (_what, overrides) => {
      const { body } = await checkout.addCard(await identified(), CARDS.approved, overrides);
      expect(body.code).toBe("sealed_card_refused");
    });

    it("sealed_card_refused for a text that cannot be decrypted", async () => {
      const body = { sealed_card: "eyJhbGciOiJSU0EtT0FFUC0yNTYifQ.AAAA.AAAA.AAAA.AAAA" };
      expect((await checkout.call("addPaymentMethod", await identified(), { body })).body.code).toBe(
        "sealed_card_refused",
      );
    });
  });

  it("404 for an unknown order", async () => {
    expect((await checkout.call("addPaymentMethod", NO_HASH, { body: {} })).status).toBe(404);
  });

  describe("409", () => {
    it("order_not_payable once it is paid, and the processor keeps no second card", async () => {
      const hash = await checkout.paidOrder();
      expect((await checkout.addCard(hash, CARDS.debit)).body.code).toBe("order_not_payable");
      expect(await keptCards(hash)).toEqual(["6623"]);
    });

    it.each([
      ["a card", CARDS.debit],
      ["a card to be confirmed on its page", "4051885600000123"],
    ])("order_not_payable if it is paid while the processor registers %s", async (_what, number) => {
      const hash = await checkout.readyOrder();
      const sealed_card = await checkout.sealed(hash, number);
      const { cardProcessor } = bff.context.parties;
      const registerCard = cardProcessor.registerCard.bind(cardProcessor);
      const given = vi.spyOn(cardProcessor, "registerCard").mockImplementationOnce(async (...call) => {
        expect((await checkout.pay(hash)).body.payment.status).toBe("succeeded");
        return registerCard(...call);
      });
      const { status, body } = await checkout.call("addPaymentMethod", hash, { body: { sealed_card } });
      given.mockRestore();
      expect([status, body.code]).toEqual([409, "order_not_payable"]);
      expect((await checkout.call("openCardPage", hash, { body: { inquire: true } })).body.status).toBe("none");
      expect((await checkout.read(hash)).payments[0]?.card?.last4).toBe("6623");
      // A card that the order does not use is removed at the processor.
      await bff.runDue();
      expect(await keptCards(hash)).toEqual(["6623"]);
    });

    it("payment_in_progress during a payment", async () => {
      const hash = await checkout.readyOrder({ rut: PATIENTS.reviewAuthorised });
      await checkout.pay(hash);
      expect((await checkout.addCard(hash, CARDS.debit)).body.code).toBe("payment_in_progress");
    });
  });

  describe("422", () => {
    it.each([{}, { sealed_card: "x" }, { sealed_card: 5 }, { sealed_card: `${"A".repeat(9_000)}.A.A.A.A` }])(
      "validation_error for invalid body %#",
      async (body) => {
        const answer = await checkout.call("addPaymentMethod", await identified(), { body });
        expect(answer.body.code).toBe("validation_error");
      },
    );

    it.each(["4051885600446623", "4051 8856 0044 6623", "4051-8856-0044-6623"])(
      "raw_card_refused for %s in the clear",
      async (number) => {
        const body = { card: { number } };
        const answer = await checkout.call("addPaymentMethod", await identified(), { body });
        expect([answer.status, answer.body.code]).toEqual([422, "raw_card_refused"]);
      },
    );
  });

  it("503 card_processor_unavailable when the processor does not answer, and stores nothing", async () => {
    const hash = await identified();
    const faults = [{ party: "card-processor", method: "registerCard", kind: "fail_after", calls: 1 }] as const;
    await inTransaction(bff.database.db, (tx) => replaceFaults(tx, bff.clinic.provider.id, faults));
    const { status, body } = await checkout.addCard(hash);
    expect([status, body.code]).toEqual([503, "card_processor_unavailable"]);
    expect((await checkout.read(hash)).readiness.payment_method_added).toBe(false);
    expect((await checkout.addCard(hash)).status).toBe(200);
  });
});
