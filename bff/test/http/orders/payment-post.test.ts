import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { spotEndpoints } from "../../../src/contract/spot-endpoints.ts";
import { readOrderId } from "../../../src/contract/vocabulary/identifiers.ts";
import { webhookEndpoints } from "../../../src/contract/webhook-endpoints.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { startBff, type TestBff } from "../../start-bff.ts";
import { type Checkout, checkoutOf, NO_HASH } from "./checkout.ts";
import { acceptedConsents, CARDS, PATIENTS, present, RETURN_REFUSED } from "./orders-world.ts";

let bff: TestBff;
let checkout: Checkout;
beforeAll(async () => {
  bff = await startBff();
  checkout = checkoutOf(bff);
});
afterAll(() => bff.close());

const keyed = (key: string) => ({ headers: { "Idempotency-Key": key } });

describe("POST /orders/{hash}/payment", () => {
  describe("409 quote_changed", () => {
    /** The quote shown to the patient before the payment. */
    const shownQuote = async (hash: string) => {
      const call = { as: bff.clinic, body: { order_token: hash } };
      const { body } = await bff.callSpotApi(spotEndpoints.mintWidgetToken, call);
      const read = { params: { token: body.widget_token } };
      return (await bff.callSpotApi(spotEndpoints.readWidgetToken, read)).body.quote;
    };

    it("for yesterday's quote: answers with today's, which is stored as shown, and charges nothing", async () => {
      bff.clock.set(new Date("2026-11-23T02:58:00Z"));
      const hash = await checkout.readyOrder();
      const { sha256, latest_due_date } = await shownQuote(hash);
      expect(latest_due_date).toBe("2027-01-06");
      bff.clock.advance(5 * 60_000);
      const key = keyed(systemIds.uuid());
      const late = await checkout.pay(hash, { body: { consents: acceptedConsents, quote_sha256: sha256 }, ...key });
      expect([late.status, late.body.code]).toEqual([409, "quote_changed"]);
      expect(late.body.quote).toMatchObject({ latest_due_date: "2027-01-07" });
      expect((await checkout.read(hash)).payments).toEqual([]);
      const shown = late.body.quote;
      const paid = await checkout.pay(hash, {
        body: { consents: acceptedConsents, quote_sha256: shown.sha256 },
        ...key,
      });
      expect(paid.body.payment).toEqual({ status: "succeeded" });
      const [attempt] = await bff.database.db
        .selectFrom("payment_attempts")
        .select("quote")
        .where("order_id", "=", present(readOrderId(hash)))
        .execute();
      expect(attempt?.quote).toEqual(shown);
    });

    it("`quote_changed` is not answered during a payment: a repeat refers to the accepted quote", async () => {
      bff.clock.set(new Date("2026-11-24T02:59:00Z"));
      const hash = await checkout.readyOrder({ card: CARDS.challenge });
      const { sha256 } = await shownQuote(hash);
      const body = { consents: acceptedConsents, quote_sha256: sha256 };
      const begun = await checkout.pay(hash, { body });
      bff.clock.advance(5 * 60_000);
      await checkout.press(begun.body.payment.action.url, "approve");
      expect((await checkout.pay(hash, { body })).body.payment).toEqual({ status: "succeeded" });
    });
  });

  describe("503 service_unavailable", () => {
    it("while an operator text is missing: nothing is paid, and the page reports it before any input", async () => {
      const hash = await checkout.readyOrder();
      const { rows: removed } = await sql<{ version: string; text: string }>`
        delete from legal_texts where environment = 'staging' and kind = 'privacy_notice' returning version, locale, text`.execute(
        bff.database.db,
      );
      const paid = await checkout.pay(hash);
      expect([paid.status, paid.body.code]).toEqual([503, "service_unavailable"]);
      const { body } = await bff.callSpotApi(spotEndpoints.mintWidgetToken, {
        as: bff.clinic,
        body: { order_token: hash },
      });
      const read = await bff.callSpotApi(spotEndpoints.readWidgetToken, { params: { token: body.widget_token } });
      expect(read.status).toBe(503);
      await sql`
        insert into legal_texts (environment, kind, version, locale, text, set_at)
        select 'staging', 'privacy_notice', version, locale, text, ${new Date("2026-11-22")}::timestamptz
        from jsonb_to_recordset(${JSON.stringify(removed)}::jsonb) as t (version text, locale text, text text)
      `.execute(bff.database.db);
      expect((await checkout.pay(hash)).body.payment).toEqual({ status: "succeeded" });
    });
  });

  describe("200", () => {
    it("succeeded, with the order paid", async () => {
      const { status, body } = await checkout.pay(await checkout.readyOrder());
      expect(status).toBe(200);
      expect(body).toMatchObject({ payment: { status: "succeeded" }, order: { status: "paid", paid_amount: 40_000 } });
    });

    it("returns the same order when it is already paid", async () => {
      const hash = await checkout.paidOrder();
      const { body } = await checkout.pay(hash);
      expect(body.payment.status).toBe("succeeded");
      expect((await checkout.read(hash)).payments).toHaveLength(1);
    });

    it("requires_action, then a replay with the same key that shows the order's current state", async () => {
      const hash = await checkout.readyOrder({ card: CARDS.challenge });
      const key = keyed(systemIds.uuid());
      const { body } = await checkout.pay(hash, key);
      expect(body.payment).toMatchObject({
        status: "requires_action",
        action: {
          type: "challenge",
          url: expect.stringContaining(bff.sandboxGateways),
          expires_at: expect.any(String),
        },
      });
      await checkout.press(body.payment.action.url, "approve");
      const replayed = await checkout.pay(hash, key);
      expect(replayed.headers.get("idempotency-replayed")).toBe("true");
      expect(replayed.body.payment.status).toBe("succeeded");
    });

    it("requires_action, then a replay that returns the refusal and is marked as a replay", async () => {
      const hash = await checkout.readyOrder({ card: CARDS.challenge });
      const key = keyed(systemIds.uuid());
      const { body } = await checkout.pay(hash, key);
      await checkout.press(body.payment.action.url, "reject");
      const replayed = await checkout.pay(hash, key);
      expect([replayed.status, replayed.body.code]).toEqual([400, "card_declined"]);
      expect(replayed.headers.get("idempotency-replayed")).toBe("true");
    });

    it("processing during the loan's review, then a replay returns the result", async () => {
      const hash = await checkout.readyOrder({ rut: PATIENTS.reviewAuthorised });
      const key = keyed(systemIds.uuid());
      const reviewed = { status: "processing", waits_for: "lender" };
      expect((await checkout.pay(hash, key)).body.payment).toEqual(reviewed);
      expect((await checkout.pay(hash, key)).body.payment).toEqual(reviewed);
      await bff.advance(120_000);
      expect((await checkout.pay(hash, key)).body.payment).toEqual({ status: "succeeded" });
    });

    it("one charge for twenty concurrent requests", async () => {
      const hash = await checkout.readyOrder();
      const answers = await Promise.all(Array.from({ length: 20 }, () => checkout.pay(hash)));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
      await bff.advance(15_000);
      const order = await checkout.read(hash);
      expect([order.status, order.payments.length]).toEqual(["paid", 1]);
    });

    it("one charge for twenty concurrent requests with one key", async () => {
      const hash = await checkout.readyOrder();
      const key = keyed(systemIds.uuid());
      const answers = await Promise.all(Array.from({ length: 20 }, () => checkout.pay(hash, key)));
      for (const { status, body } of answers) if (status !== 200) expect(body.code).toBe("idempotency_in_flight");
      expect((await checkout.read(hash)).payments).toHaveLength(1);
    });
  });

  describe("400", () => {
    it("the missing steps, one after another", async () => {
      const hash = await checkout.newOrder();
      expect((await checkout.pay(hash)).body.code).toBe("processor_customer_identity_not_validated");
      await checkout.identify(hash);
      expect((await checkout.pay(hash)).body.code).toBe("processor_payment_method_not_found");
      await checkout.addCard(hash);
      expect((await checkout.pay(hash, { body: {} })).body.code).toBe("consents_missing");
      expect((await checkout.pay(hash)).status).toBe(200);
    });

    it("consents_missing for outdated texts", async () => {
      const hash = await checkout.readyOrder();
      const consents = acceptedConsents.map((consent) => ({ ...consent, text_sha256: "0".repeat(64) }));
      expect((await checkout.pay(hash, { body: { consents } })).body.code).toBe("consents_missing");
    });

    it.each([0, 1])("amount_too_small for a total of %d", async (total) => {
      expect((await checkout.pay(await checkout.newOrder({ total }))).body.code).toBe("amount_too_small");
    });

    it("amount_too_large for a later charge above what the processor charges at once", async () => {
      expect((await checkout.pay(await checkout.newOrder({ total: 140_000_000 }))).body.code).toBe("amount_too_large");
    });

    it("card_expires_too_soon if time has passed since the card was added", async () => {
      const hash = await checkout.newOrder();
      await checkout.identify(hash);
      expect((await checkout.addCard(hash, CARDS.approved, { exp_month: 2, exp_year: 2027 })).status).toBe(200);
      await bff.advance(70 * 86_400_000);
      expect((await checkout.pay(hash)).body.code).toBe("card_expires_too_soon");
    });

    it("card_declined, which allows another card", async () => {
      const hash = await checkout.readyOrder({ card: CARDS.noFunds });
      const { status, body } = await checkout.pay(hash);
      expect([status, body.code, body.decline_reason]).toEqual([400, "card_declined", "insufficient_funds"]);
      await checkout.addCard(hash);
      expect((await checkout.pay(hash)).body.payment.status).toBe("succeeded");
    });

    it("card_declined for good, and the order names that card among the declined ones", async () => {
      const hash = await checkout.readyOrder({ card: CARDS.declined });
      expect((await checkout.pay(hash)).body).toMatchObject({ code: "card_declined", decline_reason: "declined" });
      const { body } = await checkout.call("getOrder", hash, { using: "client_id" });
      expect(body.declined_cards).toEqual([{ ...body.payment_method, decline_reason: "declined" }]);
    });

    it("credit_declined, which is final, with its reasons", async () => {
      const hash = await checkout.readyOrder({ rut: PATIENTS.creditRefused });
      const { status, body } = await checkout.pay(hash);
      expect([status, body.code]).toEqual([400, "credit_declined"]);
      expect(body.reasons.length).toBeGreaterThan(0);
      expect((await checkout.pay(hash)).body).toMatchObject({ code: "credit_declined", reasons: body.reasons });
      expect((await checkout.read(hash)).status).toBe("pending");
    });

    it.each([
      ["nothing was charged", { rut: PATIENTS.creditRefused }, "not_charged", "refused the credit\\.$"],
      ["it was returned", { rut: PATIENTS.confirmationRefused }, "returned", "was given back\\.$"],
      [
        "the card accepts no return",
        { rut: PATIENTS.confirmationRefused, card: RETURN_REFUSED.tooOld },
        "not_returned",
        "could not be given back yet\\.$",
      ],
    ] as const)(
      "credit_declined reports the state of the first instalment to patient and clinic: %s",
      async (_what, given, became, words) => {
        const hash = await checkout.readyOrder(given);
        const { status, body } = await checkout.pay(hash);
        expect([status, body.code, body.first_instalment]).toEqual([400, "credit_declined", became]);
        expect((await checkout.pay(hash)).body.first_instalment).toBe(became);
        const log = await bff.callSpotApi(webhookEndpoints.listEvents, { as: bff.clinic });
        const event = log.body.events.find(({ order_hash }: { order_hash: string }) => order_hash === hash);
        expect(event).toMatchObject({ event: "order.failed", failure: { message: expect.stringMatching(words) } });
      },
    );

    it.each([
      ["returned", CARDS.approved, "was given back\\.$"],
      ["not_returned", RETURN_REFUSED.tooOld, "could not be given back yet\\.$"],
    ])(
      "credit_declined reports it also if the credit is decided after the capture: %s",
      async (became, card, words) => {
        const clinic = await bff.createProvider({ captureFirst: true });
        const { body: order } = await checkout.create({ as: clinic, rut: PATIENTS.creditRefused });
        await checkout.call("validateIdentity", order.hash, { as: clinic, body: { document_serial: "123456789" } });
        const sealed = await checkout.sealed(order.hash, card);
        await checkout.call("addPaymentMethod", order.hash, { as: clinic, body: { sealed_card: sealed } });
        expect((await checkout.pay(order.hash, { as: clinic })).body).toMatchObject({
          code: "credit_declined",
          first_instalment: became,
        });
        const log = await bff.callSpotApi(webhookEndpoints.listEvents, { as: clinic });
        const failed = log.body.events.find(({ event }: { event: string }) => event === "order.failed");
        expect(failed.failure).toEqual({ code: "credit_declined", message: expect.stringMatching(words) });
      },
    );
  });

  it("401 for client_secret", async () => {
    const hash = await checkout.newOrder();
    expect((await checkout.pay(hash, { using: "client_secret" })).status).toBe(401);
  });

  it("404 for an unknown order and for another provider's", async () => {
    expect((await checkout.pay(NO_HASH)).body.detail.error_code).toBe("order_not_found");
    const other = await bff.createProvider();
    expect((await checkout.pay(await checkout.newOrder(), { as: other })).status).toBe(404);
  });

  it("409 order_not_payable for a cancelled order, whatever else the patient had left to do", async () => {
    for (const hash of [await checkout.readyOrder(), await checkout.newOrder()]) {
      await checkout.call("cancelOrder", hash, { body: {} });
      const { status, body } = await checkout.pay(hash);
      expect([status, body.code]).toEqual([409, "order_not_payable"]);
      expect((await checkout.addCard(hash)).body.code).toBe("order_not_payable");
    }
  });

  describe("422", () => {
    it.each([null, { consents: "all" }, { consents: [{ purpose: "everything" }] }])(
      "validation_error for %j",
      async (body) => {
        const answer = await checkout.pay(await checkout.readyOrder(), { body });
        expect(answer.body.code).toBe("validation_error");
      },
    );

    it("raw_card_refused", async () => {
      const answer = await checkout.pay(await checkout.readyOrder(), { body: { number: "4051885600446623" } });
      expect(answer.body.code).toBe("raw_card_refused");
    });
  });
});
