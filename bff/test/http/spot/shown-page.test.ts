import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { readNotifications } from "../../../sandbox/read-notifications.ts";
import { orderEndpoints } from "../../../src/contract/order-endpoints.ts";
import { spotEndpoints } from "../../../src/contract/spot-endpoints.ts";
import { consentTexts } from "../../../src/patients/consent-texts.ts";
import { startBff, type TestBff, type TestProvider } from "../../start-bff.ts";
import { DAY_MS, type KnownPatients, knownPatientsOf, MINUTE_MS } from "../orders/known-patients-world.ts";
import { present } from "../orders/orders-world.ts";
import { CAMILA, given } from "./people.ts";

let bff: TestBff;
beforeAll(async () => {
  bff = await startBff();
});
afterAll(() => bff.close());

let at: KnownPatients;
let clinic: TestProvider;
beforeEach(async () => {
  at = await knownPatientsOf(bff);
  ({ clinic } = at);
});

const mint = async (body: object) => (await bff.callSpotApi(spotEndpoints.mintWidgetToken, { as: clinic, body })).body;
const report = (widget_token: string, texts: readonly object[] = [], as: TestProvider = clinic) =>
  bff.callWidgetHost(spotEndpoints.reportShown, { as, body: { widget_token, texts } });
const now = () => bff.clock.now().toISOString();

/** Loads everything behind a link, as a mail scanner or a link preview does. */
async function scan(url: string): Promise<void> {
  const agent = { "User-Agent": "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)" };
  const { searchParams } = new URL(url);
  expect((await fetch(url, { headers: agent })).status).toBe(200);
  const params = { token: searchParams.get("widget_token") ?? "" };
  expect((await bff.callWidgetHost(spotEndpoints.readWidgetToken, { params, headers: agent })).status).toBe(200);
  const hash = searchParams.get("order_token");
  if (hash === null) return;
  for (const endpoint of [orderEndpoints.getOrder, orderEndpoints.readAgreement])
    expect((await bff.callWidgetHost(endpoint, { as: clinic, using: "client_id", params: { hash } })).status).toBe(200);
}

async function mailedLink(): Promise<string> {
  await bff.runDue();
  const mails = await readNotifications(bff.database, { providerId: clinic.provider.id, to: null, limit: 20 });
  return present(mails.map(({ text }) => /https?:\S+order_token=\S+/.exec(text)?.[0]).find((url) => url !== undefined));
}

/** The consents to an order in the patient's own export. */
async function exportedConsents(hash: string): Promise<{ purpose: string; shown_at: string | null }[]> {
  const { body } = await at.inData("readPatientData", await at.openData());
  return body.consents.filter(({ order_token }: { order_token: string | null }) => order_token === hash);
}

describe("a checkout link that a scanner loads before the patient", () => {
  it("exports when the patient was shown each text, not when the scanner came", async () => {
    const hash = await at.checkout.readyOrder();
    await mint({ order_token: hash, long_term_token: true, deliver: { email: CAMILA.email } });
    const url = await mailedLink();
    await scan(url);
    at.pass(2 * DAY_MS);
    await scan(url);
    const token = new URL(url).searchParams.get("widget_token") ?? "";
    const shown = now();
    expect((await report(token, given("payment"))).body).toEqual({ shown_at: shown });
    at.pass(MINUTE_MS);
    expect((await at.checkout.pay(hash)).body.payment.status).toBe("succeeded");
    const consents = await exportedConsents(hash);
    expect(Object.fromEntries(consents.map(({ purpose, shown_at }) => [purpose, shown_at]))).toEqual(
      Object.fromEntries(given("payment").map(({ purpose }) => [purpose, shown])),
    );
  });

  it("records no time of showing for consents of a payment without a report", async () => {
    const hash = await at.checkout.readyOrder();
    await scan((await mint({ order_token: hash })).url);
    expect((await at.checkout.pay(hash)).body.payment.status).toBe("succeeded");
    const consents = await exportedConsents(hash);
    expect(consents).not.toEqual([]);
    expect(consents.filter(({ shown_at }) => shown_at !== null)).toEqual([]);
  });
});

describe("a service link that a scanner loads", () => {
  it("sends no code and stays unchanged", async () => {
    await bff.callSpotApi(spotEndpoints.sendDataLink, { as: clinic, body: { rut: at.patient.rut } });
    const link = async () => {
      const mail = (await at.mails()).find(({ subject }) => subject === "Tus datos");
      return present(/https?:\S+widget_token=\S+/.exec(mail?.text ?? "")?.[0]);
    };
    const url = await link();
    const rows = () => at.db.selectFrom("widget_tokens").selectAll().where("purpose", "=", "my_data").execute();
    const before = [await rows(), await at.mails()];
    await scan(url);
    expect([await rows(), await at.mails()]).toEqual(before);
    expect(
      await at.db.selectFrom("link_codes").select("id").where("provider_id", "=", clinic.provider.id).execute(),
    ).toEqual([]);
  });
});

describe("a report that a page was shown", () => {
  it("200: the first report counts, for the page and for each text", async () => {
    const hash = await at.checkout.readyOrder();
    const { widget_token } = await mint({ order_token: hash });
    const [first, second] = given("payment");
    const start = now();
    expect((await report(widget_token, [first ?? {}])).body).toEqual({ shown_at: start });
    at.pass(MINUTE_MS);
    const later = now();
    expect((await report(widget_token, given("payment"))).body).toEqual({ shown_at: start });
    at.pass(MINUTE_MS);
    expect((await report(widget_token, given("payment"))).body).toEqual({ shown_at: start });
    await at.checkout.pay(hash);
    const shownAt = new Map((await exportedConsents(hash)).map(({ purpose, shown_at }) => [purpose, shown_at]));
    expect([shownAt.get(first?.purpose ?? ""), shownAt.get(second?.purpose ?? "")]).toEqual([start, later]);
  });

  it("200: two concurrent reports record one time", async () => {
    const { widget_token } = await mint({ order_token: await at.checkout.newOrder() });
    const answers = await Promise.all([report(widget_token), report(widget_token, given("payment"))]);
    expect(new Set(answers.map(({ body }) => body.shown_at))).toEqual(new Set([now()]));
  });

  it("200: skips outdated texts, and still records the page", async () => {
    const { widget_token } = await mint({ order_token: await at.checkout.newOrder() });
    const [text] = given("payment");
    expect((await report(widget_token, [{ ...text, text_sha256: "0".repeat(64) }])).body).toEqual({ shown_at: now() });
    const row = await at.db
      .selectFrom("widget_tokens")
      .select(["shown_at", "shown_texts"])
      .where("provider_id", "=", clinic.provider.id)
      .executeTakeFirstOrThrow();
    expect(row).toEqual({ shown_at: bff.clock.now(), shown_texts: {} });
  });

  it("200 for the page of a paid checkout, which requests access to the isapre", async () => {
    const hash = await at.checkout.readyOrder();
    const { widget_token } = await mint({ order_token: hash });
    await at.checkout.pay(hash);
    const texts = consentTexts("es-CL", "onboarding").filter(({ purpose }) => purpose === "insurer_access");
    expect(
      (
        await report(
          widget_token,
          texts.map(({ purpose, text_version, text_sha256 }) => ({ purpose, text_version, text_sha256 })),
        )
      ).status,
    ).toBe(200);
  });

  it("401 invalid_public_key without a key", async () => {
    const { widget_token } = await mint({ order_token: await at.checkout.newOrder() });
    const answer = await bff.callWidgetHost(spotEndpoints.reportShown, { body: { widget_token } });
    expect(answer.body.code).toBe("invalid_public_key");
  });

  it("404 widget_token_not_found for an unknown token and another clinic's", async () => {
    const { widget_token } = await mint({ order_token: await at.checkout.newOrder() });
    const other = await bff.createProvider();
    expect((await report(widget_token, [], other)).body.code).toBe("widget_token_not_found");
    expect((await report("3f2504e0-4f89-41d3-9a0c-0305e82c3301")).body.code).toBe("widget_token_not_found");
  });

  it("410 widget_token_expired", async () => {
    const { widget_token } = await mint({ order_token: await at.checkout.newOrder(), expires_in_minutes: 15 });
    at.pass(15 * MINUTE_MS);
    expect((await report(widget_token)).body.code).toBe("widget_token_expired");
  });

  it("422 validation_error for malformed texts", async () => {
    const { widget_token } = await mint({ order_token: await at.checkout.newOrder() });
    expect((await report(widget_token, [{ purpose: "terms_and_credit" }])).body.code).toBe("validation_error");
  });

  it("422 raw_card_refused for a card number", async () => {
    const { widget_token } = await mint({ order_token: await at.checkout.newOrder() });
    const [text] = given("payment");
    const answer = await report(widget_token, [{ ...text, text_version: "4051885600446623" }]);
    expect(answer.body.code).toBe("raw_card_refused");
  });

  it("429 rate_limited after 120 in an hour, for that token alone", async () => {
    const hash = await at.checkout.newOrder();
    const [{ widget_token }, other] = [await mint({ order_token: hash }), await mint({ order_token: hash })];
    for (let made = 0; made < 120; made += 1) expect((await report(widget_token)).status).toBe(200);
    expect((await report(widget_token)).body.code).toBe("rate_limited");
    expect((await report(other.widget_token)).status).toBe(200);
  });
});

describe("the language that the patient chooses", () => {
  const choose = (widget_token: string, locale: string) =>
    bff.callWidgetHost(spotEndpoints.reportShown, { as: clinic, body: { widget_token, locale } });
  const session = async (token: string) =>
    (await bff.callWidgetHost(spotEndpoints.readWidgetToken, { params: { token } })).body;

  it("is that of all pages and mails of the order, before and after the payment", async () => {
    const hash = await at.checkout.readyOrder();
    const { widget_token } = await mint({ order_token: hash, locale: "es-CL" });
    expect(await session(widget_token)).toMatchObject({ locale: "es-CL", locale_chosen: false });
    expect((await choose(widget_token, "en")).status).toBe(200);
    const chosen = await session(widget_token);
    expect(chosen).toMatchObject({ locale: "en", locale_chosen: true });
    expect(chosen.consents).toContainEqual(expect.objectContaining({ text: expect.stringMatching(/^I /) }));
    const renewed = await mint({ order_token: hash, locale: "es-CL" });
    expect(await session(renewed.widget_token)).toMatchObject({ locale: "en", locale_chosen: true });

    await at.checkout.pay(hash);
    const mailed = async () => (await at.mails()).filter(({ subject }) => /\b(payment|pago)\b/.test(subject));
    const [receipt] = await mailed();
    expect(receipt?.subject).toMatch(/^Your payment at/);

    const url = present(/https?:\S+widget_token=\S+/.exec(receipt?.text ?? "")?.[0]);
    const token = present(new URL(url).searchParams.get("widget_token"));
    expect(await session(token)).toMatchObject({ purpose: "payment", locale: "en", locale_chosen: true });
    await choose(token, "es-CL");
    at.pass(MINUTE_MS);
    await at.checkout.refund(hash);
    expect((await mailed()).at(0)?.subject).toMatch(/^Devolución de tu pago en/);
  });

  it("422 validation_error for a language that the page does not have", async () => {
    const { widget_token } = await mint({ order_token: await at.checkout.newOrder() });
    expect((await choose(widget_token, "pt")).body.code).toBe("validation_error");
    expect(await session(widget_token)).toMatchObject({ locale: "es-CL", locale_chosen: false });
  });
});
