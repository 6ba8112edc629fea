import { describe, expect, test } from "vitest";
import { hashToken } from "../../../src/checkout/open-widget-token.ts";
import { mintSelfServiceToken } from "../../../src/checkout/self-service-links.ts";
import { changeCard, changeCardOnPage } from "../../../src/collection/change-card.ts";
import { payEarly } from "../../../src/collection/pay-early.ts";
import { spotEndpoints } from "../../../src/contract/spot-endpoints.ts";
import type { PageState } from "../../../src/contract/widget-page.ts";
import { inTransaction } from "../../../src/platform/database/transaction.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { switchOff, switchOn } from "../../../src/platform/switch-store.ts";
import type { TestAnswer } from "../../test-client.ts";
import {
  type AfterPaidWorld,
  beginEach,
  type Clinic,
  DAY_MS,
  LATER,
  startAfterPaid,
  WITHOUT_CLINICS_MONEY,
} from "../after-paid/after-paid-world.ts";
import { CARDS, PATIENTS, present } from "../orders/orders-world.ts";

/* Returns from the pages of card issuers and of the card processor. */

let world: AfterPaidWorld;
let clinic: Clinic;
beginEach({ options: () => WITHOUT_CLINICS_MONEY }, (beginning) => {
  ({ world, clinic } = beginning);
});

const HOUR_MS = 60 * 60_000;
const now = () => world.bff.clock.now();

/** The return URL that was sent to a page of the issuer or the processor. */
async function returnUrlAt(page: string): Promise<string> {
  const html = await (await fetch(page)).text();
  return present(/data-return-url="([^"]+)"/.exec(html)?.[1]);
}

const referenceOf = (returnUrl: string) => present(new URL(returnUrl).pathname.split("/").at(-1));

function read(returnUrl: string, body: Record<string, unknown> = {}): Promise<TestAnswer> {
  const params = { reference: referenceOf(returnUrl) };
  return world.bff.callWidgetHost(spotEndpoints.readReturn, { params, body });
}

/** The return page's result, without empty fields. */
async function shown(returnUrl: string): Promise<Record<string, unknown>> {
  const { status, body } = await read(returnUrl);
  expect([status, body.code]).toEqual([200, undefined]);
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null && value !== false));
}

interface AtBank {
  readonly hash: string;
  readonly bank: string;
  readonly returnUrl: string;
}

/** An order whose patient is at the issuer's challenge. */
async function atBank(card: string = CARDS.challenge, rut: string = PATIENTS.good): Promise<AtBank> {
  const hash = await clinic.readyOrder({ card, rut });
  const { body } = await clinic.pay(hash);
  const bank: string = body.payment.action.url;
  return { hash, bank, returnUrl: await returnUrlAt(bank) };
}

async function mint(body: Record<string, unknown>): Promise<string> {
  const minted = await world.bff.callSpotApi(spotEndpoints.mintWidgetToken, { as: clinic.clinic, body });
  return minted.body.widget_token;
}

function page(returnUrl: string, init: RequestInit = {}): Promise<Response> {
  return fetch(returnUrl, { redirect: "manual", ...init });
}

function stateIn(html: string): PageState {
  return JSON.parse(present(/<script type="application\/json" id="aapd-page-state">(.*?)<\/script>/.exec(html)?.[1]));
}

describe("a return URL", () => {
  test("names nothing of the order, and fits the 255 characters that processors allow", async () => {
    const { hash, returnUrl } = await atBank();
    const order = await clinic.order(hash);
    expect(new URL(returnUrl).origin).toBe(world.bff.widgetHost);
    expect(returnUrl).toMatch(/\/return\/test\.[\w-]+$/);
    expect(returnUrl.length).toBeLessThan(200);
    const decoded = Buffer.from(referenceOf(returnUrl).split(".")[1] ?? "", "base64url").toString("hex");
    for (const id of [hash, order.providerId, order.payments[0]?.id ?? ""]) {
      expect(returnUrl).not.toContain(id);
      expect(decoded).not.toContain(id.replaceAll("-", ""));
    }
  });

  test("leads back from a challenge whose call was lost and repeated", async () => {
    const hash = await clinic.readyOrder({ card: CARDS.challenge });
    await clinic.fault("card-processor", "authenticate", "fail_before");
    await clinic.pay(hash);
    await world.bff.advance(60_000);
    const { body } = await clinic.pay(hash);
    expect(await shown(await returnUrlAt(body.payment.action.url))).toMatchObject({
      purpose: "payment",
      status: "processing",
    });
  });

  test("opens no page that can pay: it is no widget token, order hash or link", async () => {
    const { returnUrl } = await atBank();
    const token = referenceOf(returnUrl);
    const session = await world.bff.callWidgetHost(spotEndpoints.readWidgetToken, { params: { token } });
    expect(session.body.code).toBe("widget_token_not_found");
    expect((await clinic.call("getOrder", token)).status).toBe(404);
  });
});

describe("the return page", () => {
  test("accepts a GET with parameters added by the bank, and is neither cached nor sent as a referrer", async () => {
    const { returnUrl, hash } = await atBank();
    const response = await page(`${returnUrl}?token_ws=01ab&TBK_ORDEN_COMPRA=77`);
    expect(response.status).toBe(200);
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(response.headers.get("referrer-policy")).toBe("no-referrer");
    expect(response.headers.get("cross-origin-opener-policy")).toBe("unsafe-none");
    const html = await response.text();
    for (const secret of [hash, "Camila", "40.100", PATIENTS.good, "01ab", "0040"]) expect(html).not.toContain(secret);
    expect(stateIn(html)).toMatchObject({ returned: { reference: referenceOf(returnUrl), locale: "es-CL" } });
  });

  test("may be framed only by the checkout, the card processor and the clinic's pages", async () => {
    const { returnUrl } = await atBank();
    const { headers } = await page(returnUrl);
    const policy = headers.get("content-security-policy") ?? "";
    const ancestors = /frame-ancestors ([^;]*)/.exec(policy)?.[1]?.split(" ");
    const origins = [world.bff.widgetHost, world.bff.sandboxGateways, ...clinic.clinic.provider.origins];
    expect(ancestors).toEqual(origins.map((url) => new URL(url).origin));
  });

  test("answers a form that a bank posts, of any kind and size, by a redirect to itself", async () => {
    const { returnUrl } = await atBank();
    const forms = [new URLSearchParams({ TBK_TOKEN: "01ab" }), "<PaRes/>", "x".repeat(3 * 1024 * 1024)] as const;
    for (const body of forms) {
      const response = await page(`${returnUrl}?a=1`, { method: "POST", body });
      expect([response.status, response.headers.get("location")]).toEqual([303, new URL(returnUrl).pathname]);
    }
  });

  test("names the clinic and where it takes its patients back, in the language of the visit", async () => {
    const hash = await clinic.readyOrder({ card: CARDS.challenge });
    const token = await mint({ order_token: hash, locale: "en" });
    const shown = { widget_token: token, texts: [] };
    await world.bff.callWidgetHost(spotEndpoints.reportShown, { as: clinic.clinic, body: shown });
    const { body } = await clinic.pay(hash);
    const html = await (await page(await returnUrlAt(body.payment.action.url))).text();
    expect(html).toContain('<html lang="en"');
    expect(stateIn(html)).toMatchObject({
      returned: { locale: "en", return_url: null, provider: { name: clinic.clinic.provider.name } },
    });
  });

  test.each(["x", "test.AAAA", "test.", "%F0%9F%98%80", "a".repeat(300)])(
    "opens for an unknown reference (%s), and says that it is unknown",
    async (reference) => {
      const response = await page(`${world.bff.widgetHost}/return/${reference}`);
      expect(response.status).toBe(200);
      expect(stateIn(await response.text())).toMatchObject({ returned: { reference: null, provider: null } });
      const { status, body } = await read(`${world.bff.widgetHost}/return/${reference}`);
      expect([status, body.code]).toEqual([404, "not_found"]);
    },
  );

  test("knows no reference of another environment, or one that was changed", async () => {
    const { returnUrl } = await atBank();
    const changed = `${returnUrl.slice(0, -1)}${returnUrl.endsWith("A") ? "B" : "A"}`;
    expect((await read(changed)).status).toBe(404);
  });
});

describe("a payment whose patient is back from the bank", () => {
  test("is inquired about at once, and charged once, however often the patient returns", async () => {
    const { hash, bank, returnUrl } = await atBank();
    expect(await shown(returnUrl)).toEqual({ purpose: "payment", status: "processing", waits_for: "patient" });
    await clinic.press(bank, "approve");
    const answers = await Promise.all(Array.from({ length: 5 }, () => read(returnUrl)));
    for (const { status } of answers) expect(status).toBe(200);
    expect(await shown(returnUrl)).toEqual({ purpose: "payment", status: "paid", amount: 12_000 });
    const { status, payments } = await clinic.read(hash);
    expect([status, payments.length]).toEqual(["paid", 1]);
  });

  test("is declined if it was not confirmed, until another attempt has paid", async () => {
    const { hash, bank, returnUrl } = await atBank();
    await clinic.press(bank, "reject");
    expect(await shown(returnUrl)).toEqual({ purpose: "payment", status: "declined" });
    await clinic.addCard(hash, CARDS.approved);
    await clinic.pay(hash);
    expect(await shown(returnUrl)).toEqual({ purpose: "payment", status: "paid", amount: 12_000 });
  });

  test("names the lender while its decision is awaited", async () => {
    const capturesFirst = await world.newClinic({ captureFirst: true });
    clinic = capturesFirst;
    const { bank, returnUrl } = await atBank(CARDS.challenge, PATIENTS.reviewAuthorised);
    await clinic.press(bank, "approve");
    expect(await shown(returnUrl)).toEqual({ purpose: "payment", status: "processing", waits_for: "lender" });
    await world.bff.advance(180_000);
    expect(await shown(returnUrl)).toMatchObject({ status: "paid" });
  });

  test("names the bank while its answer about the charge is lost", async () => {
    const { bank, returnUrl } = await atBank();
    await clinic.press(bank, "approve");
    await clinic.fault("card-processor", "charge", "fail_after");
    expect(await shown(returnUrl)).toEqual({ purpose: "payment", status: "processing", waits_for: "bank" });
    await world.bff.advance(60_000);
    expect(await shown(returnUrl)).toMatchObject({ status: "paid" });
  });

  test("reports the first instalment's outcome if the lender refuses for good", async () => {
    clinic = await world.newClinic({ captureFirst: true });
    const { bank, returnUrl } = await atBank(CARDS.challenge, PATIENTS.creditRefused);
    await clinic.press(bank, "approve");
    await read(returnUrl);
    await world.bff.advance(60_000);
    expect(await shown(returnUrl)).toEqual({ purpose: "payment", status: "refused", first_instalment: "returned" });
  });

  test("is shown as refunded, or as cancelled after a decline", async () => {
    const { hash, bank, returnUrl } = await atBank();
    await clinic.press(bank, "approve");
    await read(returnUrl);
    await clinic.refund(hash);
    await world.bff.runDue();
    expect(await shown(returnUrl)).toEqual({ purpose: "payment", status: "refunded" });
    const other = await atBank();
    await clinic.press(other.bank, "reject");
    await read(other.returnUrl);
    expect((await clinic.call("cancelOrder", other.hash, { body: {} })).status).toBe(200);
    expect(await shown(other.returnUrl)).toEqual({ purpose: "payment", status: "closed" });
  });

  test("is not charged while charges are switched off, and continues afterwards", async () => {
    const { bank, returnUrl } = await atBank();
    await clinic.press(bank, "approve");
    const { db } = world.bff.database;
    const charges = { what: "charges", providerId: clinic.clinic.provider.id } as const;
    await inTransaction(db, (tx) => switchOff(tx, charges));
    expect(await shown(returnUrl)).toEqual({ purpose: "payment", status: "processing", waits_for: "bank" });
    await inTransaction(db, (tx) => switchOn(tx, charges));
    expect(await shown(returnUrl)).toMatchObject({ status: "paid" });
  });

  test("is shown for a day, and afterwards only in the patient's mail", async () => {
    const { bank, returnUrl } = await atBank();
    await clinic.press(bank, "approve");
    await read(returnUrl);
    world.bff.clock.set(new Date(now().getTime() + 23 * HOUR_MS));
    expect(await shown(returnUrl)).toMatchObject({ status: "paid" });
    world.bff.clock.set(new Date(now().getTime() + HOUR_MS));
    const { status, body } = await read(returnUrl);
    expect([status, body.code]).toEqual([404, "not_found"]);
  });

  test("can be continued only with a token of its order, used or not, until the token expires", async () => {
    const { hash, bank, returnUrl } = await atBank();
    const own = await mint({ order_token: hash });
    const another = await mint({ order_token: (await atBank()).hash });
    const unknown = systemIds.uuid();
    const canContinue = async (widget_token: string) => (await read(returnUrl, { widget_token })).body.can_continue;
    expect(await Promise.all([own, another, unknown].map(canContinue))).toEqual([true, false, false]);
    await clinic.press(bank, "approve");
    await read(returnUrl);
    expect(await canContinue(own)).toBe(true);
    world.bff.clock.set(new Date(now().getTime() + HOUR_MS));
    expect(await canContinue(own)).toBe(false);
    expect(await shown(returnUrl)).toMatchObject({ status: "paid" });
  });

  test("429 rate_limited after 400 reads in an hour, more than any page makes", async () => {
    const { bank, returnUrl } = await atBank();
    await clinic.press(bank, "reject");
    await read(returnUrl);
    const statuses = new Set<number>();
    for (let batch = 0; batch < 40; batch += 1) {
      const answers = await Promise.all(Array.from({ length: 10 }, () => read(returnUrl)));
      for (const { status } of answers) statuses.add(status);
    }
    expect([...statuses].toSorted((a, b) => a - b)).toEqual([200, 429]);
  });
});

describe("a card whose patient is back from the processor's page", () => {
  async function atCardPage(): Promise<AtBank> {
    clinic = await world.newClinic({ cardPage: true });
    const hash = await clinic.newOrder();
    await clinic.identify(hash);
    const { body } = await clinic.call("openCardPage", hash, { body: {} });
    return { hash, bank: body.page.url, returnUrl: await returnUrlAt(body.page.url) };
  }

  test("is added to its order, which is still to be paid", async () => {
    const { hash, bank, returnUrl } = await atCardPage();
    expect(await shown(returnUrl)).toEqual({ purpose: "card", status: "processing", waits_for: "patient" });
    await clinic.onCardPage(bank, CARDS.approved);
    expect(await shown(returnUrl)).toEqual({ purpose: "card", status: "card_added" });
    expect((await clinic.read(hash)).status).toBe("pending");
    await clinic.pay(hash);
    expect(await shown(returnUrl)).toEqual({ purpose: "card", status: "paid", amount: 12_000 });
  });

  test("reports that nothing was charged if no card was entered, or it was declined", async () => {
    for (const given of ["cancel", "4051885600000024"]) {
      const { bank, returnUrl } = await atCardPage();
      await clinic.onCardPage(bank, given);
      expect(await shown(returnUrl)).toEqual({ purpose: "card", status: "declined" });
    }
  });

  test("is added after its confirmation if it was sealed in the checkout", async () => {
    const hash = await clinic.newOrder();
    await clinic.identify(hash);
    expect((await clinic.addCard(hash, "4051885600000123")).body.code).toBe("card_page_needed");
    const { body } = await clinic.call("openCardPage", hash, { body: { inquire: true } });
    const returnUrl = await returnUrlAt(body.page.url);
    await clinic.onCardPage(body.page.url, "confirm");
    expect(await shown(returnUrl)).toEqual({ purpose: "card", status: "card_added" });
  });
});

describe("after the payment, by a link", () => {
  async function linkTo(purpose: "card_change" | "pay_early", hash: string): Promise<{ token: string; id: string }> {
    const { provider, credentials } = clinic.clinic;
    const { db } = world.bff.database;
    const { url } = await inTransaction(db, (tx) =>
      mintSelfServiceToken({ ids: systemIds, widgetHostUrl: world.bff.widgetHost }, tx, {
        provider,
        publicKey: credentials.public_key,
        purpose,
        beneficiaryId: null,
        rut: "12345678-5",
        orderId: clinic.key(hash).orderId,
        now: now(),
        expiresAt: new Date(now().getTime() + 30 * DAY_MS),
      }),
    );
    const token = present(new URL(url).searchParams.get("widget_token"));
    const row = db.selectFrom("widget_tokens").select("id").where("token_hash", "=", hashToken(token));
    return { token, id: (await row.executeTakeFirstOrThrow()).id };
  }

  async function changing(number: string) {
    const hash = await clinic.paidOrder({ card: LATER.captured });
    await world.bff.runDue();
    const { id, token } = await linkTo("card_change", hash);
    const of = { provider: clinic.clinic.provider, key: clinic.key(hash), widgetTokenId: id, now: now() };
    const change = await changeCard(world.collection, {
      ...of,
      sealedCard: await clinic.sealed(hash, number),
      shown: null,
    });
    return { token, of, change };
  }

  test("a new card whose issuer challenges is used once its patient is back", async () => {
    const { change, token } = await changing(LATER.challenged);
    const { url } = change.outcome === "requires_action" ? change.challenge : { url: "" };
    const returnUrl = await returnUrlAt(url);
    expect(await shown(returnUrl)).toEqual({ purpose: "card_change", status: "processing", waits_for: "patient" });
    expect((await read(returnUrl, { widget_token: token })).body.can_continue).toBe(true);
    await clinic.press(url, "approve");
    expect(await shown(returnUrl)).toEqual({ purpose: "card_change", status: "card_changed" });
  });

  test("a new card that was not confirmed changes nothing", async () => {
    const { change } = await changing(LATER.challenged);
    const { url } = change.outcome === "requires_action" ? change.challenge : { url: "" };
    const returnUrl = await returnUrlAt(url);
    await clinic.press(url, "reject");
    expect(await shown(returnUrl)).toEqual({ purpose: "card_change", status: "declined" });
  });

  test("a new card from the processor's page is continued if its issuer challenges", async () => {
    clinic = await world.newClinic({ cardPage: true });
    const hash = await clinic.newOrder();
    await clinic.identify(hash);
    const first = await clinic.call("openCardPage", hash, { body: {} });
    await clinic.onCardPage(first.body.page.url, LATER.captured);
    await clinic.call("openCardPage", hash, { body: { inquire: true } });
    await clinic.pay(hash);
    await world.bff.runDue();
    const { id } = await linkTo("card_change", hash);
    const of = { provider: clinic.clinic.provider, key: clinic.key(hash), widgetTokenId: id, now: now() };
    const opened = await changeCardOnPage(world.collection, { ...of, shown: null });
    const { url } = opened.outcome === "open" ? opened.page : { url: "" };
    const returnUrl = await returnUrlAt(url);
    expect(await shown(returnUrl)).toEqual({ purpose: "card_change", status: "processing", waits_for: "patient" });
    await clinic.onCardPage(url, LATER.challenged);
    expect(await shown(returnUrl)).toEqual({ purpose: "card_change", status: "to_continue" });
  });

  test("an early payment is collected once its patient is back, and only once", async () => {
    const hash = await clinic.paidOrder({ card: LATER.challenged });
    await world.bff.runDue();
    const of = { provider: clinic.clinic.provider, key: clinic.key(hash), now: now() };
    const paying = await payEarly(world.collection, of);
    const { url } = paying.outcome === "requires_action" ? paying.challenge : { url: "" };
    const returnUrl = await returnUrlAt(url);
    expect(await shown(returnUrl)).toEqual({ purpose: "pay_early", status: "processing", waits_for: "patient" });
    await clinic.press(url, "approve");
    await Promise.all(Array.from({ length: 5 }, () => read(returnUrl)));
    expect(await shown(returnUrl)).toEqual({ purpose: "pay_early", status: "paid" });
    expect(await clinic.tries(hash)).toEqual(["captured"]);
  });

  test("an early payment that was not confirmed charges nothing", async () => {
    const hash = await clinic.paidOrder({ card: LATER.challenged });
    await world.bff.runDue();
    const of = { provider: clinic.clinic.provider, key: clinic.key(hash), now: now() };
    const paying = await payEarly(world.collection, of);
    const { url } = paying.outcome === "requires_action" ? paying.challenge : { url: "" };
    const returnUrl = await returnUrlAt(url);
    await clinic.press(url, "cancel");
    expect(await shown(returnUrl)).toEqual({ purpose: "pay_early", status: "declined" });
    expect(await clinic.tries(hash)).toEqual([]);
  });
});

test("an order whose database has lost the attempt is not found, and nothing is started", async () => {
  const own = await startAfterPaid();
  try {
    clinic = await own.newClinic();
    world = own;
    const { returnUrl, hash } = await atBank();
    const order = { provider_id: clinic.clinic.provider.id, order_id: clinic.key(hash).orderId };
    const { db } = own.bff.database;
    await db.deleteFrom("payment_attempts").where("order_id", "=", order.order_id).execute();
    expect((await read(returnUrl)).status).toBe(404);
  } finally {
    await own.bff.close();
  }
});
