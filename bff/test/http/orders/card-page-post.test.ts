import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Fault } from "../../../sandbox/calls/faults.ts";
import { replaceFaults } from "../../../sandbox/calls/gateway-call-store.ts";
import { orderEndpoints } from "../../../src/contract/order-endpoints.ts";
import { spotEndpoints } from "../../../src/contract/spot-endpoints.ts";
import { readOrderId } from "../../../src/contract/vocabulary/identifiers.ts";
import { GatewayUnavailable } from "../../../src/gateways/gateway-call.ts";
import { inTransaction } from "../../../src/platform/database/transaction.ts";
import { createLogger } from "../../../src/platform/logger.ts";
import { untilTestEnds } from "../../put-back.ts";
import { registerPatient } from "../../registered-patient.ts";
import { rowsOfOrder } from "../../rows-of-order.ts";
import { startBff, type TestBff, type TestProvider } from "../../start-bff.ts";
import type { TestAnswer } from "../../test-client.ts";
import { type Checkout, checkoutOf } from "./checkout.ts";
import { timed } from "./hanging-call.ts";
import { toKeep } from "./known-patients-world.ts";
import { CARDS, PATIENTS, present } from "./orders-world.ts";

/* The processor's own page for cards. Whatever happens there or on the way, the answer must be true. */

const MINUTE_MS = 60_000;
const CONFIRMED_ON_PAGE = "4051885600000123";
const EXPIRED = "4051885600000024";

let bff: TestBff;
let checkout: Checkout;
/** A clinic whose patients give their cards on the page. */
let clinic: TestProvider;
const lines: string[] = [];
beforeAll(async () => {
  const logger = createLogger({ level: "debug", destination: { write: (line) => lines.push(line) } });
  bff = await startBff({ logger });
  clinic = await bff.createProvider({ cardPage: true });
  checkout = checkoutOf({ ...bff, clinic });
});
afterAll(() => bff.close());

async function identified(): Promise<string> {
  const hash = await checkout.newOrder();
  await checkout.identify(hash);
  return hash;
}

const open = (hash: string, body: Record<string, unknown> = {}) => checkout.call("openCardPage", hash, { body });
const ask = (hash: string) => open(hash, { inquire: true });

function pageOf({ status, body }: TestAnswer): string {
  expect([status, body.status, body.code]).toEqual([200, "open", undefined]);
  expect(body).toMatchObject({ payment_method: null, page: { expires_at: expect.any(String) } });
  expect(new URL(body.page.url).origin).toBe(bff.sandboxGateways);
  return body.page.url;
}

/** The number of cards that the processor has for an order. */
async function registered(hash: string): Promise<number> {
  const rows = await bff.database.db
    .selectFrom("sandbox_cards")
    .select("id")
    .where("order_hash", "=", hash as never)
    .execute();
  return rows.length;
}

/** The pending timers of an order's pages. */
async function timersOf(hash: string) {
  const { db } = bff.database;
  const pages = db
    .selectFrom("card_attempts")
    .select("id")
    .where("order_id", "=", present(readOrderId(hash)));
  const ids = (await pages.execute()).map(({ id }) => id);
  expect(ids).not.toEqual([]);
  return db.selectFrom("timers").select("kind").where("key", "in", ids).where("done_at", "is", null).execute();
}

/** Runs `happens` while the processor answers about its pages, so that it has happened before the press continues. */
async function pressWhile<Answer>(hash: string, happens: () => Promise<Answer>): Promise<[TestAnswer, Answer]> {
  const { cardProcessor } = bff.context.parties;
  const happened: Answer[] = [];
  untilTestEnds(vi.spyOn(cardProcessor, "cardPage")).mockImplementationOnce(async () => {
    happened.push(await happens());
    return cardProcessor.cardPage();
  });
  const answer = await open(hash);
  return [answer, present(happened[0])];
}

function fault(method: string, kind: Fault["kind"], calls = 1): Promise<void> {
  const faults = [{ party: "card-processor", method, kind, calls }] as const;
  return inTransaction(bff.database.db, (tx) => replaceFaults(tx, clinic.provider.id, faults));
}

describe("POST /orders/{hash}/card_page", () => {
  describe("200", () => {
    it("opens the processor's page, and the card given there becomes the order's", async () => {
      const hash = await identified();
      const url = pageOf(await open(hash));
      expect((await ask(hash)).body).toMatchObject({ status: "open", page: { url } });
      await checkout.onCardPage(url, CARDS.debit);
      const { status, body } = await ask(hash);
      expect([status, body.status]).toEqual([200, "added"]);
      expect(body.payment_method).toMatchObject({ last4: "7763", kind: "debit", holder_name: "CAMILA ROJAS" });
      expect(body.order).toMatchObject({ readiness: { payment_method_added: true } });
      expect((await ask(hash)).body.status).toBe("added");
      expect((await checkout.pay(hash)).body.payment.status).toBe("succeeded");
      expect((await ask(hash)).body).toMatchObject({ status: "added", order: { status: "paid" } });
    });

    it("stops inquiring once the card is there", async () => {
      const hash = await identified();
      await checkout.onCardPage(pageOf(await open(hash)), CARDS.approved);
      expect((await ask(hash)).body.status).toBe("added");
      expect(await timersOf(hash)).toEqual([]);
      // The processor is not asked to remove the card.
      expect((await rowsOfOrder(bff.database.db, hash)).card_removals).toBeUndefined();
    });

    it("returns none before a page was opened", async () => {
      expect((await ask(await identified())).body).toMatchObject({ status: "none", payment_method: null });
    });

    it("opens one page and registers one card for two presses, two tabs or twenty concurrent calls", async () => {
      const hash = await identified();
      const answers = await Promise.all(Array.from({ length: 20 }, () => open(hash)));
      for (const { status, body } of answers)
        expect([200, body.status === "open" || body.status === "processing"]).toEqual([status, true]);
      const url = pageOf(await open(hash));
      for (const { body } of answers) if (body.status === "open") expect(body.page.url).toBe(url);
      await Promise.all([checkout.onCardPage(url, CARDS.approved), checkout.onCardPage(url, CARDS.debit)]);
      const shown = await Promise.all(Array.from({ length: 5 }, () => ask(hash)));
      expect(new Set(shown.map(({ body }) => body.status))).toEqual(new Set(["added"]));
      expect(await registered(hash)).toBe(1);
    });

    it("finds the card by the timer if the patient never comes back", async () => {
      const hash = await identified();
      await checkout.onCardPage(pageOf(await open(hash)), CARDS.approved);
      await bff.advance(MINUTE_MS);
      expect((await checkout.read(hash)).readiness.payment_method_added).toBe(true);
    });

    it.each(["fail_after", "slow"] as const)(
      "returns processing after a lost answer (%s); an inquiry finds the same page",
      async (kind) => {
        const hash = await identified();
        await fault("registerCard", kind);
        expect((await open(hash)).body.status).toBe("processing");
        await bff.advance(MINUTE_MS);
        const url = pageOf(await ask(hash));
        expect(pageOf(await open(hash))).toBe(url);
        await checkout.onCardPage(url, CARDS.approved);
        expect((await ask(hash)).body.status).toBe("added");
        expect(await registered(hash)).toBe(1);
      },
    );

    it("repeats a call that never arrived, under its key", async () => {
      const hash = await identified();
      await fault("registerCard", "fail_before");
      expect((await open(hash)).body.status).toBe("processing");
      pageOf(await ask(hash));
    });

    it("an unanswered inquiry leaves an open page unchanged", async () => {
      const hash = await identified();
      const url = pageOf(await open(hash));
      await fault("inquireRegistration", "fail_before", 2);
      expect(pageOf(await ask(hash))).toBe(url);
      await checkout.onCardPage(url, CARDS.approved);
      expect((await ask(hash)).body.status).toBe("open");
      expect((await ask(hash)).body.status).toBe("added");
    });

    it("inquires by the schedule, however often the page was polled and the press repeated", async () => {
      await bff.forgetTimers();
      const hash = await identified();
      const { cardProcessor } = bff.context.parties;
      const opened = untilTestEnds(vi.spyOn(cardProcessor, "registerCard"));
      const { elapsed, call } = timed(bff.clock, cardProcessor.inquireRegistration.bind(cardProcessor));
      untilTestEnds(vi.spyOn(cardProcessor, "inquireRegistration")).mockImplementation(call);
      pageOf(await open(hash));
      expect(elapsed).toEqual([]);
      for (let asked = 0; asked < 5; asked += 1) {
        pageOf(await ask(hash));
        pageOf(await open(hash));
      }
      expect(opened).toHaveBeenCalledTimes(1);
      elapsed.length = 0;
      await bff.advance(20 * MINUTE_MS);
      // Ends at the latest when the page expires.
      expect(elapsed).toEqual([10, 40, 160, 600]);
      expect(await timersOf(hash)).toEqual([]);
    });

    it("inquires by the schedule about a page whose first answer was lost", async () => {
      await bff.forgetTimers();
      const hash = await identified();
      const { cardProcessor } = bff.context.parties;
      await fault("registerCard", "fail_after");
      expect((await open(hash)).body.status).toBe("processing");
      const { elapsed, call } = timed(bff.clock, async () => ({ outcome: "unknown" }) as const);
      const inquiries = untilTestEnds(vi.spyOn(cardProcessor, "inquireRegistration")).mockImplementation(call);
      await bff.advance(160_000);
      inquiries.mockRestore();
      expect(elapsed).toEqual([10, 40, 160]);
      pageOf(await ask(hash));
    });

    it("reports a card that was given, or opens another page after the page was left, at the next press", async () => {
      const typed = await identified();
      await checkout.onCardPage(pageOf(await open(typed)), CARDS.approved);
      expect((await open(typed)).body).toMatchObject({ status: "added", payment_method: { last4: "6623" } });
      const left = await identified();
      const first = pageOf(await open(left));
      await checkout.onCardPage(first, "cancel");
      expect(pageOf(await open(left))).not.toBe(first);
    });

    it("returns the page that a concurrent press has opened", async () => {
      const hash = await identified();
      const opened = untilTestEnds(vi.spyOn(bff.context.parties.cardProcessor, "registerCard"));
      const [answer, url] = await pressWhile(hash, async () => pageOf(await open(hash)));
      expect(pageOf(answer)).toBe(url);
      expect(opened).toHaveBeenCalledTimes(1);
    });

    it("a page that the processor no longer finds has ended, and only the next press opens another", async () => {
      const hash = await identified();
      const url = pageOf(await open(hash));
      const { cardProcessor } = bff.context.parties;
      const opened = untilTestEnds(vi.spyOn(cardProcessor, "registerCard"));
      untilTestEnds(vi.spyOn(cardProcessor, "inquireRegistration")).mockImplementationOnce(async () => ({
        outcome: "not_found",
      }));
      expect((await ask(hash)).body.code).toBe("card_page_abandoned");
      expect(opened).not.toHaveBeenCalled();
      expect(pageOf(await open(hash))).not.toBe(url);
    });

    it("a page past its time limit has ended, even if the processor still returns it", async () => {
      const hash = await identified();
      const url = pageOf(await open(hash));
      untilTestEnds(vi.spyOn(bff.context.parties.cardProcessor, "inquireRegistration")).mockImplementationOnce(
        async () => ({ outcome: "page", url, expiresAt: bff.clock.now() }),
      );
      expect((await ask(hash)).body.code).toBe("card_page_abandoned");
    });

    it("keeps a card that was given while the processor reported the page as unknown", async () => {
      const hash = await identified();
      const url = pageOf(await open(hash));
      const { cardProcessor } = bff.context.parties;
      untilTestEnds(vi.spyOn(cardProcessor, "inquireRegistration")).mockImplementationOnce(async () => {
        await checkout.onCardPage(url, CARDS.approved);
        expect((await ask(hash)).body.status).toBe("added");
        return { outcome: "not_found" };
      });
      expect((await ask(hash)).status).toBe(200);
      expect((await ask(hash)).body).toMatchObject({ status: "added", payment_method: { last4: "6623" } });
    });

    it("keeps a page open that replaced one unknown to the processor", async () => {
      const hash = await identified();
      pageOf(await open(hash));
      const { cardProcessor } = bff.context.parties;
      untilTestEnds(vi.spyOn(cardProcessor, "inquireRegistration")).mockImplementationOnce(async () => {
        expect((await checkout.addCard(hash, CONFIRMED_ON_PAGE)).body.code).toBe("card_page_needed");
        return { outcome: "not_found" };
      });
      await ask(hash);
      pageOf(await ask(hash));
    });

    it("saves the card for later orders if the patient asked for it with the last press", async () => {
      const known = await bff.createProvider({ cardPage: true, knownPatients: true });
      const its = checkoutOf({ ...bff, clinic: known });
      await registerPatient(bff, known, { rut: PATIENTS.good });
      const { db } = bff.database;
      const keeping = { consents: toKeep };
      for (const { presses, isKept } of [
        { presses: [keeping], isKept: true },
        { presses: [{}, keeping], isKept: true },
        { presses: [keeping, {}], isKept: false },
      ]) {
        const hash = await its.newOrder();
        await its.identify(hash);
        const urls: string[] = [];
        for (const body of presses) urls.push(pageOf(await its.call("openCardPage", hash, { body })));
        await its.onCardPage(present(urls[0]), CARDS.approved);
        expect((await its.call("openCardPage", hash, { body: { inquire: true } })).body.status).toBe("added");
        const kept = db
          .selectFrom("saved_cards")
          .select("last4")
          .where("order_id", "=", present(readOrderId(hash)));
        expect(await kept.execute()).toEqual(isKept ? [{ last4: "6623" }] : []);
      }
    });

    it("the first card stays until another one replaces it", async () => {
      const hash = await identified();
      const first = pageOf(await open(hash));
      await checkout.onCardPage(first, CARDS.approved);
      await ask(hash);
      const second = pageOf(await open(hash));
      expect(second).not.toBe(first);
      expect((await checkout.read(hash)).readiness.payment_method_added).toBe(true);
      await checkout.onCardPage(second, "cancel");
      expect((await ask(hash)).body.code).toBe("card_page_abandoned");
      await checkout.onCardPage(pageOf(await open(hash)), CARDS.debit);
      expect((await ask(hash)).body.payment_method.last4).toBe("7763");
      await bff.runDue();
      const cards = bff.database.db.selectFrom("sandbox_cards").select("last4").where("removed_at", "is", null);
      const left = await cards.where("order_hash", "=", present(readOrderId(hash))).execute();
      expect(left).toEqual([{ last4: "7763" }]);
      // A sealed card does not belong to a page.
      await checkout.addCard(hash);
      expect((await ask(hash)).body).toMatchObject({ status: "none", payment_method: null });
    });

    it("ignores a card that comes after another card has paid the order", async () => {
      const hash = await identified();
      await checkout.addCard(hash);
      const url = pageOf(await open(hash));
      await checkout.pay(hash);
      expect((await open(hash)).body.code).toBe("order_not_payable");
      await checkout.onCardPage(url, CARDS.debit);
      expect((await ask(hash)).body.code).toBe("order_not_payable");
      expect((await checkout.read(hash)).payments[0]?.card?.last4).toBe("6623");
    });

    it("stores no card data in any table and logs none", async () => {
      const hash = await identified();
      const url = pageOf(await open(hash));
      await checkout.onCardPage(url, CARDS.debit);
      await ask(hash);
      const { db } = bff.database;
      for (const table of [
        "orders",
        "card_attempts",
        "events",
        "timers",
        "audit_log",
        "sandbox_calls",
        "sandbox_card_registrations",
      ]) {
        const rows = await db
          .selectFrom(table as "orders")
          .selectAll()
          .execute();
        expect(JSON.stringify(rows), table).not.toContain(CARDS.debit);
      }
      const rows = await db
        .selectFrom("card_attempts")
        .selectAll()
        .where("order_id", "=", hash as never)
        .execute();
      expect(rows).toMatchObject([{ state: "registered", given: null, page_url: null }]);
      expect(lines.join("")).not.toContain(CARDS.debit);
      expect(lines.join("")).not.toContain(url.split("/").at(-1));
    });
  });

  describe("400", () => {
    it("processor_customer_identity_not_validated before the identity is validated", async () => {
      expect((await open(await checkout.newOrder())).body.code).toBe("processor_customer_identity_not_validated");
    });

    it("card_declined at each request after a decline on the page; then another card may be given", async () => {
      const hash = await identified();
      await checkout.onCardPage(pageOf(await open(hash)), EXPIRED);
      for (let asked = 0; asked < 2; asked += 1)
        expect((await ask(hash)).body).toMatchObject({ code: "card_declined", decline_reason: "card_expired" });
      await checkout.onCardPage(pageOf(await open(hash)), CARDS.approved);
      expect((await ask(hash)).body.status).toBe("added");
    });

    it("card_page_abandoned when the page was left or expired, even if a card is given later", async () => {
      const left = await identified();
      await checkout.onCardPage(pageOf(await open(left)), "cancel");
      expect((await ask(left)).body.code).toBe("card_page_abandoned");
      const late = await identified();
      const url = pageOf(await open(late));
      await bff.advance(10 * MINUTE_MS);
      await checkout.onCardPage(url, CARDS.approved);
      expect((await ask(late)).body.code).toBe("card_page_abandoned");
      expect((await checkout.read(late)).readiness.payment_method_added).toBe(false);
      expect(await registered(late)).toBe(0);
    });

    it("card_expires_too_soon for a card that ends before the latest due date", async () => {
      const hash = await identified();
      await checkout.onCardPage(pageOf(await open(hash)), CARDS.approved, "12/26");
      expect((await ask(hash)).body.code).toBe("card_expires_too_soon");
      expect((await checkout.read(hash)).readiness.payment_method_added).toBe(false);
      await bff.runDue();
      const cards = bff.database.db.selectFrom("sandbox_cards").select("removed_at");
      const [card] = await cards.where("order_hash", "=", present(readOrderId(hash))).execute();
      expect(card?.removed_at).not.toBeNull();
    });

    it("card_page_not_offered if the clinic's patients give their card in the checkout", async () => {
      const other = checkoutOf(bff);
      const hash = await other.newOrder();
      await other.identify(hash);
      expect((await other.call("openCardPage", hash, { body: {} })).body.code).toBe("card_page_not_offered");
    });
  });

  describe("409", () => {
    it("order_not_payable once paid, and payment_in_progress during a payment", async () => {
      const paid = await checkout.paidOrder();
      expect((await open(paid)).body.code).toBe("order_not_payable");
      const paying = await checkout.readyOrder({ rut: PATIENTS.reviewAuthorised });
      await checkout.pay(paying);
      expect((await open(paying)).body.code).toBe("payment_in_progress");
    });

    it("order_not_payable if the order is paid during the processor's answer; no page is opened", async () => {
      const hash = await checkout.readyOrder();
      const [pressed, paid] = await pressWhile(hash, () => checkout.pay(hash));
      expect([pressed.body.code, paid.body.payment.status]).toEqual(["order_not_payable", "succeeded"]);
      expect((await ask(hash)).body.status).toBe("none");
    });
  });
});

it("404 for an unknown order", async () => {
  const { status, body } = await open("00000000-0000-4000-8000-000000000000");
  expect([status, body.detail.error_code]).toEqual([404, "order_not_found"]);
});

it("503 card_processor_unavailable while it is unknown whether the processor has a page", async () => {
  const hash = await identified();
  const { cardProcessor } = bff.context.parties;
  const there = { ...cardProcessor };
  Object.assign(cardProcessor, { cardPage: () => Promise.reject(new GatewayUnavailable("away")) });
  const { status, body } = await open(hash).finally(() => Object.assign(cardProcessor, there));
  expect([status, body.code]).toEqual([503, "card_processor_unavailable"]);
  expect((await ask(hash)).body.status).toBe("none");
  pageOf(await open(hash));
});

describe("a sealed card that the processor wants confirmed on its page", () => {
  it("400 card_page_needed: it is inquired about, confirmed on its page, and then added to the order", async () => {
    const hash = await identified();
    expect((await checkout.addCard(hash, CONFIRMED_ON_PAGE)).body.code).toBe("card_page_needed");
    const url = pageOf(await ask(hash));
    expect((await checkout.read(hash)).readiness.payment_method_added).toBe(false);
    await checkout.onCardPage(url, "confirm");
    expect((await ask(hash)).body).toMatchObject({ status: "added", payment_method: { last4: "0123" } });
    expect((await checkout.pay(hash)).body.payment.status).toBe("succeeded");
  });

  it("a newly sealed card replaces the earlier page", async () => {
    const hash = await identified();
    await checkout.addCard(hash, CONFIRMED_ON_PAGE);
    const first = pageOf(await ask(hash));
    await checkout.addCard(hash, CONFIRMED_ON_PAGE);
    const second = pageOf(await ask(hash));
    expect(second).not.toBe(first);
    await checkout.onCardPage(first, "confirm");
    expect(pageOf(await ask(hash))).toBe(second);
  });

  describe("after another page replaced its page", () => {
    async function dropped(): Promise<{ hash: string; left: string; open: string }> {
      const hash = await identified();
      await checkout.addCard(hash, CONFIRMED_ON_PAGE);
      const left = pageOf(await ask(hash));
      await checkout.addCard(hash, CONFIRMED_ON_PAGE);
      return { hash, left, open: pageOf(await ask(hash)) };
    }

    it("is removed if it is confirmed later, after any outage of the processor; the order's card stays", async () => {
      const { hash, left, open: page } = await dropped();
      await checkout.onCardPage(page, "confirm");
      expect((await ask(hash)).body.status).toBe("added");
      await fault("inquireRegistration", "fail_before");
      await bff.advance(MINUTE_MS);
      await checkout.onCardPage(left, "confirm");
      await bff.advance(10 * MINUTE_MS);
      const cards = bff.database.db.selectFrom("sandbox_cards").select("removed_at").orderBy("removed_at");
      const known = await cards.where("order_hash", "=", present(readOrderId(hash))).execute();
      expect(known).toEqual([{ removed_at: expect.any(Date) }, { removed_at: null }]);
      expect((await checkout.pay(hash)).body.payment.status).toBe("succeeded");
      expect(await timersOf(hash)).toEqual([]);
    });

    it("leads to scheduled inquiries only until the page expires", async () => {
      await bff.forgetTimers();
      const { hash, open: page } = await dropped();
      await checkout.onCardPage(page, "confirm");
      expect((await ask(hash)).body.status).toBe("added");
      const { cardProcessor } = bff.context.parties;
      const { elapsed, call } = timed(bff.clock, cardProcessor.inquireRegistration.bind(cardProcessor));
      untilTestEnds(vi.spyOn(cardProcessor, "inquireRegistration")).mockImplementation(call);
      await bff.advance(20 * MINUTE_MS);
      expect(elapsed).toEqual([10, 40, 160, 600]);
      expect(await timersOf(hash)).toEqual([]);
      expect(await registered(hash)).toBe(1);
    });
  });

  it("a newly sealed card changes neither ended pages nor another order's", async () => {
    const [otherOrder, hash] = [await identified(), await identified()];
    pageOf(await open(otherOrder));
    await checkout.onCardPage(pageOf(await open(hash)), "cancel");
    expect((await ask(hash)).body.code).toBe("card_page_abandoned");
    const { db } = bff.database;
    const pages = async () => present((await rowsOfOrder(db, hash)).card_attempts);
    const [before, otherBefore] = [await pages(), await rowsOfOrder(db, otherOrder)];
    await checkout.addCard(hash, CONFIRMED_ON_PAGE);
    await checkout.addCard(hash, CONFIRMED_ON_PAGE);
    expect(await pages()).toHaveLength(3);
    expect(await pages()).toEqual(expect.arrayContaining([...before]));
    expect(await rowsOfOrder(db, otherOrder)).toEqual(otherBefore);
  });
});

describe("the widget's session", () => {
  it("states how a card is given, and contains no key that is not needed", async () => {
    const session = async (as: TestProvider) => {
      const minted = await bff.callSpotApi(spotEndpoints.mintWidgetToken, { as, body: {} });
      const params = { token: minted.body.widget_token };
      return (await bff.callWidgetHost(spotEndpoints.readWidgetToken, { params })).body;
    };
    expect(await session(clinic)).toMatchObject({ card_entry: "page", sealing_keys: { card: null } });
    expect(await session(bff.clinic)).toMatchObject({ card_entry: "fields", sealing_keys: { card: { kty: "RSA" } } });
  });

  it("is valid when opened through the widget host", async () => {
    const hash = await identified();
    const answer = await bff.callWidgetHost(orderEndpoints.openCardPage, { as: clinic, params: { hash }, body: {} });
    pageOf(answer);
  });
});
