import { sql } from "kysely";
import { describe, expect, test, vi } from "vitest";
import { readNotifications } from "../../../sandbox/read-notifications.ts";
import { hashToken } from "../../../src/checkout/open-widget-token.ts";
import { mintSelfServiceToken } from "../../../src/checkout/self-service-links.ts";
import { CHARGE_TIMER } from "../../../src/collection/collection-timers.ts";
import { revokeMandate } from "../../../src/collection/mandate.ts";
import { sandboxEndpoints } from "../../../src/contract/sandbox-endpoints.ts";
import { spotEndpoints } from "../../../src/contract/spot-endpoints.ts";
import { parseRut } from "../../../src/contract/vocabulary/rut.ts";
import { GatewayUnavailable } from "../../../src/gateways/gateway-call.ts";
import { tenantOf } from "../../../src/patients/beneficiary.ts";
import { consentTexts } from "../../../src/patients/consent-texts.ts";
import { findBeneficiary } from "../../../src/patients/patients.ts";
import { inTransaction } from "../../../src/platform/database/transaction.ts";
import { dayInWords } from "../../../src/platform/day-in-words.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { santiagoDay } from "../../../src/platform/santiago-time.ts";
import { switchOff, switchOn } from "../../../src/platform/switch-store.ts";
import { sendPaymentLink } from "../../../src/self-service/send-link.ts";
import { purgeLinkCodes } from "../../../src/self-service/work.ts";
import { setActive } from "../../../src/tenants/manage-provider.ts";
import { actionLinkIn } from "../../action-link.ts";
import { untilTestEnds } from "../../put-back.ts";
import { rowsOfOrder } from "../../rows-of-order.ts";
import type { TestAnswer } from "../../test-client.ts";
import { withoutDrawnNames } from "../../without-drawn-names.ts";
import {
  type AfterPaidWorld,
  beginEach,
  type Clinic,
  DAY_MS,
  LATER,
  PATIENTS,
  startAfterPaid,
  WITHOUT_CLINICS_MONEY,
} from "../after-paid/after-paid-world.ts";
import { auditOf, auditRows } from "../audit-of.ts";
import { cardFor, seal } from "../gateways/start-gateways.ts";
import { CARDS, present } from "../orders/orders-world.ts";

/* The three links that patients get after the payment, from the mail to the end of their use. */

let world: AfterPaidWorld;
let clinic: Clinic;
beginEach({ options: () => WITHOUT_CLINICS_MONEY }, (beginning) => {
  ({ world, clinic } = beginning);
});

const RUT = PATIENTS.neverAnswered;
const MINUTE_MS = 60_000;
type PatientCall =
  | "sendLinkCode"
  | "answerLinkCode"
  | "giveInsurerAccess"
  | "changeCard"
  | "openLinkCardPage"
  | "payEarly";

const now = () => world.bff.clock.now();
const advance = (milliseconds: number) => world.bff.advance(milliseconds);

function call(name: PatientCall, body: Record<string, unknown>, as = clinic.clinic): Promise<TestAnswer> {
  return world.bff.callWidgetHost(spotEndpoints[name], { as, body });
}

/** The order's cards at the processor after unneeded ones were removed. */
async function keptCards(hash: string): Promise<string[]> {
  await world.bff.runDue();
  const cards = world.bff.database.db.selectFrom("sandbox_cards").select("last4").where("removed_at", "is", null);
  return (await cards.where("order_hash", "=", clinic.key(hash).orderId).execute()).map(({ last4 }) => last4);
}

async function texts(): Promise<string[]> {
  await world.bff.runDue();
  const mails = await readNotifications(world.bff.database, {
    providerId: clinic.clinic.provider.id,
    to: null,
    limit: 100,
  });
  return mails.map(({ text }) => text);
}

/** The issuers that challenged their patient after the payment of an order. */
async function issuersAsked(hash: string): Promise<string[]> {
  const asked = world.bff.database.db.selectFrom("card_attempts").select("state").orderBy("number");
  const ofOrder = asked
    .where("order_id", "=", clinic.key(hash).orderId)
    .where("purpose", "in", ["new_card", "pay_early"]);
  return (await ofOrder.execute()).map(({ state }) => state);
}

/** The token of the newest mailed link. */
async function newestLink(): Promise<string> {
  const url = (await texts()).flatMap((text) => actionLinkIn(text) ?? [])[0];
  return present(new URL(present(url)).searchParams.get("widget_token"));
}

async function newestCode(): Promise<string> {
  return present((await texts()).flatMap((text) => /\b\d{6}\b/.exec(text)?.[0] ?? [])[0]);
}

/** Requests a code and answers it. */
async function opened(
  widget_token: string,
): Promise<{ widget_token: string; access: string; body: TestAnswer["body"] }> {
  expect((await call("sendLinkCode", { widget_token })).status).toBe(202);
  const { status, body } = await call("answerLinkCode", { widget_token, code: await newestCode() });
  expect(status).toBe(200);
  return { widget_token, access: body.access, body };
}

/** Keeps the pause between codes. */
function passTime(): void {
  world.bff.clock.set(new Date(now().getTime() + 11 * MINUTE_MS));
}

/** An order whose first charge was declined, with the link of the mail about it. */
async function declinedOrder(card: string = LATER.stolen): Promise<{ hash: string; link: string }> {
  const hash = await clinic.paidOrder({ rut: RUT, card });
  await world.bff.runDue();
  await clinic.approve(hash);
  await world.bff.runDue();
  return { hash, link: await newestLink() };
}

/** An order whose rest is not due yet, with a link to pay it, like the one in the announcement. */
async function waitingOrder(card: string = LATER.captured): Promise<{ hash: string; link: string }> {
  const hash = await clinic.paidOrder({ rut: RUT, card });
  await world.bff.runDue();
  return { hash, link: await linkToPayEarly(hash) };
}

const linkToPayEarly = (hash: string) => linkTo("pay_early", hash);

async function linkTo(purpose: "pay_early" | "card_change", hash: string): Promise<string> {
  const { provider, credentials } = clinic.clinic;
  const { url } = await inTransaction(world.bff.database.db, (tx) =>
    mintSelfServiceToken({ ids: systemIds, widgetHostUrl: world.bff.widgetHost }, tx, {
      provider,
      publicKey: credentials.public_key,
      purpose,
      beneficiaryId: null,
      rut: RUT,
      orderId: clinic.key(hash).orderId,
      now: now(),
      expiresAt: new Date(now().getTime() + 30 * DAY_MS),
    }),
  );
  return present(new URL(url).searchParams.get("widget_token"));
}

/** The cardholder disputes the latest charge, and the daily sync finds the chargeback. */
async function chargedBack(hash: string): Promise<void> {
  const done = await world.bff.callOrderApi(sandboxEndpoints.chargeBackInSandbox, {
    as: clinic.clinic,
    body: { order_hash: hash },
  });
  expect(done.status).toBe(201);
  await advance(DAY_MS);
}

/** A claim whose insurer blocks the access, with the link of the mail about it. */
async function blockedClaim(): Promise<{ hash: string; link: string }> {
  const hash = await clinic.claimedOrder(PATIENTS.blockedOnDay2);
  await advance(2 * DAY_MS + 4 * 60 * MINUTE_MS);
  return { hash, link: await newestLink() };
}

async function sealedCard(hash: string, number: string, overrides: Record<string, unknown> = {}): Promise<string> {
  const card = { ...cardFor(clinic.key(hash).orderId, now(), { number }), ...overrides };
  return seal(await clinic.sandbox.cardProcessor.sealingKey(), card);
}

async function sealedAccess(rut: string = PATIENTS.blockedOnDay2): Promise<string> {
  const iat = Math.floor(now().getTime() / 1_000);
  return seal(await clinic.sandbox.insurer.sealingKey(), { insurer: "colmena", rut, password: "la-nueva", iat });
}

const accessConsent = consentTexts("es-CL", "onboarding")
  .filter(({ purpose }) => purpose === "insurer_access")
  .map(({ purpose, text_version, text_sha256 }) => ({ purpose, text_version, text_sha256 }));

async function tokenId(token: string): Promise<string> {
  const tokens = world.bff.database.db.selectFrom("widget_tokens").select("id");
  return (await tokens.where("token_hash", "=", hashToken(token)).executeTakeFirstOrThrow()).id;
}

/** The audit rows of a patient's actions here. */
const ofPatient = (kind: "order" | "beneficiary", id: string) => ({
  actor: "patient",
  credential_id: null,
  provider_id: clinic.clinic.provider.id,
  subject_kind: kind,
  subject_id: id,
});

async function audited(act: string): Promise<number> {
  const rows = await world.bff.database.db
    .selectFrom("audit_log")
    .select("actor")
    .where("act", "=", act)
    .where("provider_id", "=", clinic.clinic.provider.id)
    .execute();
  expect(rows.every(({ actor }) => actor === "patient")).toBe(true);
  return rows.length;
}

/** The registration refuses this card. */
const EXPIRED_CARD = "4051885600000024";
const UNKNOWN_TOKEN = "3f2504e0-4f89-41d3-9a0c-0305e82c3301";
const NO_ACCESS = "0c0c3d4a-3f6e-4b55-8b61-0c8a6a1f0d11";

test("an inactive clinic's links keep working, as its debts remain, but its own tokens do not", async () => {
  const { hash, link } = await waitingOrder();
  const { link: changing } = await declinedOrder();
  const minted = await world.bff.callSpotApi(spotEndpoints.mintWidgetToken, { as: clinic.clinic, body: {} });
  const partners = minted.body.widget_token;
  const { database, clock } = world.bff;
  const operations = { db: database.db, clock, ids: systemIds, actor: "operator:ana" };
  await setActive(operations, clinic.clinic.provider.id, false);
  const read = (token: string) => world.bff.callWidgetHost(spotEndpoints.readWidgetToken, { params: { token } });
  expect((await read(link)).body).toMatchObject({ purpose: "pay_early" });
  expect((await read(partners)).body).toMatchObject({ code: "widget_token_not_found" });
  expect((await call("payEarly", await opened(link))).body).toEqual({ status: "collected" });
  expect(await clinic.tries(hash)).toEqual(["captured"]);
  passTime();
  expect((await opened(changing)).access).toEqual(expect.any(String));
  // Its public key opens nothing else either, once it has opened a link.
  const refused = await world.bff.callSpotApi(spotEndpoints.mintWidgetToken, { as: clinic.clinic, body: {} });
  expect([refused.status, refused.body.code]).toEqual([401, "invalid_public_key"]);
  expect((await call("sendLinkCode", { widget_token: partners })).body.code).toBe("widget_token_not_found");
});

describe("a link that an operator has sent", () => {
  function send(purpose: "pay_early" | "card_change", hash: string, rut: string = RUT): Promise<boolean> {
    const { provider, credentials } = clinic.clinic;
    const { context, database, widgetHost } = world.bff;
    const dependencies = {
      ...context,
      db: database.db,
      clock: world.bff.clock,
      ids: systemIds,
      widgetHostUrl: widgetHost,
    };
    const { orderId } = clinic.key(hash);
    const asked = {
      provider,
      publicKey: credentials.public_key,
      orderId,
      rut,
      purpose,
      actor: "operator:ana",
      now: now(),
    };
    return sendPaymentLink(dependencies, asked);
  }

  test("changes a stolen card whose own link expired, and then names and charges the new card", async () => {
    const { hash, link } = await declinedOrder();
    await advance(29 * DAY_MS);
    expect((await call("sendLinkCode", { widget_token: link })).status).toBe(202);
    await advance(2 * DAY_MS);
    expect((await call("sendLinkCode", { widget_token: link })).body.code).toBe("widget_token_expired");
    expect(await send("card_change", hash)).toBe(true);
    const held = await opened(await newestLink());
    const { widget_token, access } = held;
    const sealed_card = await sealedCard(hash, LATER.debit);
    expect((await call("changeCard", { widget_token, access, sealed_card })).status).toBe(200);
    await advance(DAY_MS);
    expect(await clinic.collectionStatus(hash)).toBe("collected approved");
  });

  test("pays early with the collection's card, which the mail names, and leaves an audit row", async () => {
    const hash = await clinic.paidOrder({ rut: RUT });
    await world.bff.runDue();
    expect(await send("card_change", hash)).toBe(true);
    const { widget_token, access } = await opened(await newestLink());
    const sealed_card = await sealedCard(hash, LATER.debit);
    expect((await call("changeCard", { widget_token, access, sealed_card })).status).toBe(200);
    passTime();
    expect(await send("pay_early", hash)).toBe(true);
    expect((await texts())[0]).toContain(`••${LATER.debit.slice(-4)}`);
    const paying = await opened(await newestLink());
    expect((await call("payEarly", { widget_token: paying.widget_token, access: paying.access })).body).toEqual({
      status: "collected",
    });
    const ana = { ...ofPatient("order", hash), actor: "operator:ana" };
    const [changed, paid] = [await tokenId(widget_token), await tokenId(paying.widget_token)];
    expect((await auditOf(world.bff.database.db, hash)).filter(({ act }) => !act.startsWith("identity"))).toEqual([
      { act: "collection.card_changed", ...ofPatient("order", hash), details: { widget_token: changed } },
      { act: "patient_link.sent", ...ana, details: { purpose: "card_change", widget_token: changed } },
      { act: "collection.early_charge_asked", ...ofPatient("order", hash), details: { widget_token: paid } },
      { act: "patient_link.sent", ...ana, details: { purpose: "pay_early", widget_token: paid } },
    ]);
    expect([await send("pay_early", hash), await send("card_change", hash)]).toEqual([false, false]);
  });

  test("offers no charge of a card whose mandate was revoked since, but another card", async () => {
    const { hash, link: paying } = await waitingOrder();
    const changing = await linkTo("card_change", hash);
    await inTransaction(world.bff.database.db, (tx) => revokeMandate(tx, world.collection, clinic.key(hash), now()));
    expect((await opened(paying)).body.due).toBeNull();
    passTime();
    expect((await opened(changing)).body.due).toMatchObject({ status: "scheduled", amount: 30_800 });
  });

  test("is not sent for a refunded or written-off amount, nor for payment under a revoked mandate", async () => {
    const { db } = world.bff.database;
    const sends = async (hash: string) => [await send("pay_early", hash), await send("card_change", hash)];
    const { hash: revoked } = await waitingOrder();
    await inTransaction(db, (tx) => revokeMandate(tx, world.collection, clinic.key(revoked), now()));
    expect(await sends(revoked)).toEqual([false, true]);
    // The card whose mandate was revoked is named as the one that paid, not as the one to charge.
    const { last4 } = present((await clinic.order(revoked)).card);
    const mail = (await texts()).find((text) => text.includes("Nos pediste cambiar la tarjeta"));
    expect(mail?.match(/^.*••.*$/gm)).toEqual([`Con tu tarjeta: ••${last4}`]);
    const { hash: claimed } = await waitingOrder();
    await clinic.fault("financing-provider", "reduceLoan", "fail_before", 100);
    expect((await clinic.refund(claimed)).body.refund.status).toBe("processing");
    expect(await sends(claimed)).toEqual([false, false]);
    const { hash: lost } = await declinedOrder();
    await clinic.operatorDoes("collection_failed", "write_off");
    expect(await sends(lost)).toEqual([false, false]);
  });

  test("is not sent for another patient's order, nor for an unpaid one", async () => {
    const { hash } = await waitingOrder();
    expect(await send("pay_early", hash, PATIENTS.held)).toBe(false);
    expect(await send("pay_early", await clinic.newOrder({ rut: RUT }))).toBe(false);
  });
});

describe("the one-time code of a link", () => {
  test("goes to the registered address, and opens the link to the page that answers it", async () => {
    const { link } = await declinedOrder();
    const sent = await call("sendLinkCode", { widget_token: link });
    expect([sent.status, sent.body]).toEqual([
      202,
      {
        sent_to: expect.stringMatching(/^c•••@e•••\.com$/),
        expires_at: new Date(now().getTime() + 10 * MINUTE_MS).toISOString(),
        resend_after: new Date(now().getTime() + MINUTE_MS).toISOString(),
      },
    ]);
    const { status, body } = await call("answerLinkCode", { widget_token: link, code: await newestCode() });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      expires_at: new Date(now().getTime() + 30 * MINUTE_MS).toISOString(),
      patient: { first_name: "Camila", rut: RUT },
      due: {
        status: "failed",
        amount: 30_800,
        commission: 2_800,
        due_at: null,
        reason: "approved",
        card: { last4: "0021" },
      },
    });
  });

  test("is never stored in the clear, and neither is what it opens", async () => {
    const { link } = await declinedOrder();
    await call("sendLinkCode", { widget_token: link });
    const code = await newestCode();
    const { body } = await call("answerLinkCode", { widget_token: link, code });
    const rows = JSON.stringify(await world.bff.database.db.selectFrom("link_codes").selectAll().execute());
    for (const secret of [body.access, link, RUT, "example"]) expect(rows).not.toContain(secret);
    expect(withoutDrawnNames(rows)).not.toContain(code);
  });

  test("202 again replaces the previous code; 429 rate_limited during the pause, also for ten concurrent requests", async () => {
    const { link } = await declinedOrder();
    const answers = await Promise.all(Array.from({ length: 10 }, () => call("sendLinkCode", { widget_token: link })));
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(1);
    expect(answers.filter(({ body }) => body.code === "rate_limited")).toHaveLength(9);
    const first = await newestCode();
    await advance(MINUTE_MS);
    expect((await call("sendLinkCode", { widget_token: link })).status).toBe(202);
    const second = await newestCode();
    const answer = await call("answerLinkCode", { widget_token: link, code: first });
    if (first !== second) expect([answer.status, answer.body.code]).toEqual([422, "recovery_code_invalid"]);
  });

  test("422 recovery_code_invalid counts five attempts, also of thirty concurrent ones; then 410 recovery_code_expired", async () => {
    const { hash, link } = await declinedOrder();
    await call("sendLinkCode", { widget_token: link });
    const right = await newestCode();
    const wrong = String((Number(right) + 1) % 1_000_000).padStart(6, "0");
    const wrongCodes = () =>
      auditRows(world.bff.database.db)
        .select("id")
        .where("act", "=", "one_time_code.wrong")
        .orderBy(sql`details ->> 'try'`)
        .execute();
    const before = await wrongCodes();
    const tries = await Promise.all(
      Array.from({ length: 30 }, () => call("answerLinkCode", { widget_token: link, code: wrong })),
    );
    const invalid = tries.filter(({ body }) => body.code === "recovery_code_invalid");
    expect(invalid.map(({ body }) => body.attempts_left).toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4]);
    expect(tries.filter(({ body }) => body.code === "recovery_code_expired")).toHaveLength(25);
    // Each attempt that was checked is audited, and no others.
    const audited = (await wrongCodes()).filter(({ id }) => !before.some((row) => row.id === id));
    const tried = { ...ofPatient("order", hash), act: "one_time_code.wrong", actor: "unknown" };
    expect(audited.map(({ id: _id, ...row }) => row)).toEqual(
      [1, 2, 3, 4, 5].map((number) => ({ ...tried, details: { try: number } })),
    );
    const late = await call("answerLinkCode", { widget_token: link, code: right });
    expect([late.status, late.body.code]).toEqual([410, "recovery_code_expired"]);
  });

  test("ends after ten minutes, and the page that it opened after thirty", async () => {
    const { hash, link } = await declinedOrder();
    await call("sendLinkCode", { widget_token: link });
    const code = await newestCode();
    await advance(10 * MINUTE_MS);
    expect((await call("answerLinkCode", { widget_token: link, code })).body.code).toBe("recovery_code_expired");
    const { access } = await opened(link);
    await advance(30 * MINUTE_MS);
    const sealed_card = await sealedCard(hash, LATER.captured);
    const late = await call("changeCard", { widget_token: link, access, sealed_card });
    expect([late.status, late.body.code]).toEqual([400, "patient_code_required"]);
  });

  test("422 raw_card_refused", async () => {
    const { link } = await declinedOrder();
    const typed = { widget_token: link, code: "123456", note: "4051885600446623" };
    expect((await call("answerLinkCode", typed)).body.code).toBe("raw_card_refused");
  });

  test("429 rate_limited after sixty answers in an hour", async () => {
    const { link } = await declinedOrder();
    for (let tries = 0; tries < 60; tries += 1) await call("answerLinkCode", { widget_token: link, code: "000000" });
    const { status, body } = await call("answerLinkCode", { widget_token: link, code: "000000" });
    expect([status, body.code]).toEqual([429, "rate_limited"]);
  });
});

describe("a link", () => {
  const bodyOf: Record<PatientCall, () => Promise<Record<string, unknown>>> = {
    sendLinkCode: async () => ({}),
    answerLinkCode: async () => ({ code: "123456" }),
    giveInsurerAccess: async () => ({
      access: NO_ACCESS,
      insurer: "colmena",
      sealed_insurer_access: await sealedAccess(),
      consents: accessConsent,
    }),
    changeCard: async () => ({ access: NO_ACCESS, sealed_card: await sealedAccess() }),
    openLinkCardPage: async () => ({ access: NO_ACCESS }),
    payEarly: async () => ({ access: NO_ACCESS }),
  };
  const calls = Object.keys(bodyOf) as PatientCall[];
  const linkFor = (name: PatientCall) =>
    name === "giveInsurerAccess" ? blockedClaim() : name === "payEarly" ? waitingOrder() : declinedOrder();

  test.each(calls)("is unknown if it was never sent, or has another clinic or purpose: %s 404", async (name) => {
    const body = await bodyOf[name]();
    const { link } = await linkFor(name);
    const minted = await world.bff.callSpotApi(spotEndpoints.mintWidgetToken, { as: clinic.clinic, body: {} });
    for (const widget_token of [UNKNOWN_TOKEN, minted.body.widget_token]) {
      const { status, body: answer } = await call(name, { ...body, widget_token });
      expect([status, answer.code]).toEqual([404, "widget_token_not_found"]);
    }
    const other = await world.bff.createProvider();
    const foreign = await call(name, { ...body, widget_token: link }, other);
    expect([foreign.status, foreign.body.code]).toEqual([404, "widget_token_not_found"]);
  });

  test.each(calls)("is gone if it was used or has expired: %s 410", async (name) => {
    const { link } = await linkFor(name);
    const { access } = await opened(link);
    const body = { ...(await bodyOf[name]()), ...(name.endsWith("Code") ? {} : { access }), widget_token: link };
    const { db } = world.bff.database;
    const row = db.updateTable("widget_tokens").where("token_hash", "=", hashToken(link));
    await row.set({ used_at: now() }).execute();
    const used = await call(name, body);
    expect([used.status, used.body.code]).toEqual([410, "widget_token_used"]);
    await row.set({ used_at: null, created_at: new Date(0), expires_at: now() }).execute();
    const expired = await call(name, body);
    expect([expired.status, expired.body.code]).toEqual([410, "widget_token_expired"]);
  });

  test.each(["giveInsurerAccess", "changeCard", "openLinkCardPage", "payEarly"] as const)(
    "alone or with another link's code does nothing: %s 400 patient_code_required",
    async (name) => {
      const { link } = await linkFor(name);
      const body = { ...(await bodyOf[name]()), widget_token: link };
      expect((await call(name, body)).body.code).toBe("patient_code_required");
      await advance(MINUTE_MS);
      const { access } = await opened((await declinedOrder()).link);
      const { status, body: answer } = await call(name, { ...body, access });
      expect([status, answer.code]).toEqual([400, "patient_code_required"]);
    },
  );
});

describe("change of card", () => {
  test("200: the rest is charged to the new card, the link is used up, and an audit row records it", async () => {
    const { hash, link } = await declinedOrder();
    const held = await opened(link);
    const { status, body } = await call("changeCard", {
      widget_token: link,
      access: held.access,
      sealed_card: await sealedCard(hash, LATER.captured),
    });
    expect([status, body.status, body.due.card.last4]).toEqual([200, "changed", "6623"]);
    // The answer may have been lost. A second request reports that nothing has been collected.
    const lost = await call("changeCard", {
      widget_token: link,
      access: held.access,
      sealed_card: await sealedCard(hash, LATER.captured),
    });
    expect([lost.status, lost.body]).toMatchObject([
      410,
      // The error also has the saved card, because the page may have sent another one this time.
      { code: "widget_token_used", collection_status: "scheduled", card_last4: "6623" },
    ]);
    const stranger = { widget_token: link, access: "0c0c3d4a-3f6e-4b55-8b61-0c8a6a1f0d11" };
    const refused = await call("changeCard", { ...stranger, sealed_card: await sealedCard(hash, LATER.captured) });
    expect(refused.body).not.toHaveProperty("card_last4");
    expect(await audited("collection.card_changed")).toBe(1);
    await advance(2 * DAY_MS);
    expect(await clinic.collectionStatus(hash)).toBe("collected approved");
    const again = await call("changeCard", {
      widget_token: link,
      access: held.access,
      sealed_card: await sealedCard(hash, LATER.captured),
    });
    expect(again.status).toBe(400);
    expect((await call("sendLinkCode", { widget_token: link })).body.code).toBe("widget_token_used");
  });

  test("makes the charge that its page showed, or announces it if the page showed none, just before it is due", async () => {
    const [first, second] = [await declinedOrder(), await declinedOrder()];
    const dueAt = now().getTime() + DAY_MS;
    const day = santiagoDay(new Date(dueAt));
    await advance(DAY_MS - 20 * MINUTE_MS);
    const shown = await opened(await linkTo("card_change", first.hash));
    passTime();
    const unshown = await opened(await linkTo("card_change", second.hash));
    const upcoming = shown.body.due.upcoming_with_given_card;
    expect(upcoming).toMatchObject({ status: "on_day", day, amount: shown.body.due.amount });
    await advance(dueAt - 1_000 - now().getTime());
    const change = async ({ widget_token, access }: typeof shown, hash: string, body = {}) => {
      const sealed_card = await sealedCard(hash, LATER.captured);
      return (await call("changeCard", { widget_token, access, sealed_card, ...body })).body;
    };
    const { amount } = upcoming;
    expect(await change(shown, first.hash, { shown: { amount, on: day } })).toMatchObject({
      status: "changed",
      due: { upcoming: { status: "on_day", day, amount } },
    });
    const changed = await change(unshown, second.hash);
    expect(changed).toMatchObject({ status: "changed" });
    const { due } = changed;
    expect(due.upcoming).toMatchObject({ status: "on_day", amount });
    expect(due.upcoming.day > day).toBe(true);
    await advance(MINUTE_MS);
    expect(await clinic.tries(first.hash)).toEqual(["declined", "captured"]);
    expect(await clinic.tries(second.hash)).toEqual(["declined"]);
    const announcement = `haremos el segundo cobro el ${dayInWords(due.upcoming.day, "es-CL")}`;
    expect((await texts()).filter((text) => text.includes(announcement))).toHaveLength(1);
    await advance(2 * DAY_MS);
    expect(await clinic.tries(second.hash)).toEqual(["declined", "captured"]);
  });

  test("announces the charge first if it is due with a larger amount or a later day than the page showed", async () => {
    for (const shown of [
      { amount: 1, on: "now" },
      { amount: 30_800, on: santiagoDay(now()) },
    ]) {
      const { hash, link } = await declinedOrder();
      await advance(2 * DAY_MS);
      const { access, body } = await opened(link);
      expect(body.due.upcoming_with_given_card).toMatchObject({ status: "due_now", amount: 30_800 });
      const sealed_card = await sealedCard(hash, LATER.captured);
      const { status } = (await call("changeCard", { widget_token: link, access, sealed_card, shown })).body;
      expect(status).toBe("changed");
      await advance(MINUTE_MS);
      expect(await clinic.tries(hash)).toEqual(["declined"]);
      await advance(2 * DAY_MS);
      expect(await clinic.tries(hash)).toEqual(["declined", "captured"]);
    }
  });

  test("400 card_declined, card_expires_too_soon, sealed_card_refused; 503: the link stays unchanged", async () => {
    const { hash, link } = await declinedOrder();
    const { access } = await opened(link);
    const change = async (sealed_card: string) =>
      (await call("changeCard", { widget_token: link, access, sealed_card })).body;
    const before = await keptCards(hash);
    const thisMonth = { exp_month: now().getUTCMonth() + 1, exp_year: now().getUTCFullYear() };
    expect(await change(await sealedCard(hash, EXPIRED_CARD))).toMatchObject({
      code: "card_declined",
      decline_reason: "card_expired",
    });
    expect((await change(await sealedCard(hash, LATER.captured, thisMonth))).code).toBe("card_expires_too_soon");
    expect(await keptCards(hash)).toEqual(before);
    expect((await change(await sealedAccess())).code).toBe("sealed_card_refused");
    await clinic.fault("card-processor", "registerCard", "fail_before");
    expect((await change(await sealedCard(hash, LATER.captured))).code).toBe("card_processor_unavailable");
    expect(await audited("collection.card_changed")).toBe(0);
    expect((await change(await sealedCard(hash, LATER.captured))).status).toBe("changed");
  });

  test("409 order_not_payable when the order was refunded meanwhile", async () => {
    const { hash, link } = await declinedOrder();
    const { access } = await opened(link);
    await clinic.refund(hash);
    await world.bff.runDue();
    const cards = world.bff.database.db.selectFrom("sandbox_cards").select("id");
    const registered = () => cards.where("order_hash", "=", clinic.key(hash).orderId).execute();
    const before = await registered();
    const body = { widget_token: link, access, sealed_card: await sealedCard(hash, LATER.captured) };
    const { status, body: answer } = await call("changeCard", body);
    expect([status, answer.code]).toEqual([409, "order_not_payable"]);
    // The processor was not asked to keep an unneeded card.
    expect(await registered()).toEqual(before);
  });

  test.each(["4051885600000123", LATER.captured])(
    "409 order_not_payable if the order is refunded during the processor's answer (%s), without a page",
    async (number) => {
      const { hash, link } = await declinedOrder();
      const { access } = await opened(link);
      const { cardProcessor } = world.bff.context.parties;
      const there = { ...cardProcessor };
      untilTestEnds(vi.spyOn(cardProcessor, "registerCard")).mockImplementation(async (...asked) => {
        await clinic.refund(hash);
        await world.bff.runDue();
        return there.registerCard(...asked);
      });
      const body = { widget_token: link, access, sealed_card: await sealedCard(hash, number) };
      const { status, body: answer } = await call("changeCard", body);
      expect([status, answer.code]).toEqual([409, "order_not_payable"]);
      expect(await rowsOfOrder(world.bff.database.db, clinic.key(hash).orderId)).not.toHaveProperty("card_attempts");
      expect(await issuersAsked(hash)).toEqual([]);
    },
  );

  test("422 validation_error for an unsealed value; raw_card_refused for a card in the clear", async () => {
    const { link } = await declinedOrder();
    const body = { widget_token: link, access: NO_ACCESS };
    expect((await call("changeCard", { ...body, sealed_card: "clear" })).body.code).toBe("validation_error");
    const { body: answer } = await call("changeCard", { ...body, sealed_card: "4051885600446623" });
    expect(answer.code).toBe("raw_card_refused");
  });

  test("429 rate_limited after ten in an hour", async () => {
    const { link } = await declinedOrder();
    const body = { widget_token: link, access: NO_ACCESS, sealed_card: await sealedAccess() };
    for (let tries = 0; tries < 10; tries += 1) expect((await call("changeCard", body)).status).toBe(400);
    expect((await call("changeCard", body)).body.code).toBe("rate_limited");
  });
});

describe("a person with a link but without its code", () => {
  /** Everything that the link opens without a code: the page, and the page's requests. */
  async function openWithoutCode(
    widget_token: string,
  ): Promise<{ readonly page: string; readonly session: TestAnswer }> {
    const { public_key } = clinic.clinic.credentials;
    const query = new URLSearchParams({ widget_token, public_key }).toString();
    const page = await fetch(`${world.bff.widgetHost}/?${query}`);
    const read = { params: { token: widget_token } };
    const session = await world.bff.callWidgetHost(spotEndpoints.readWidgetToken, read);
    return { page: await page.text(), session };
  }

  /** The hash and the public client_id suffice to read the order. */
  const secretsOf = (hash: string) => [RUT, RUT.split("-")[0], "Camila", hash];

  test.each([
    ["pay_early", () => waitingOrder(), "6623"],
    ["card_change", () => declinedOrder(), "0021"],
  ] as const)("learns nothing of the patient or the order by %s, live or used", async (purpose, make, last4) => {
    const { hash, link } = await make();
    const live = await openWithoutCode(link);
    expect(live.page).toContain(`"purpose":"${purpose}"`);
    expect(live.session.body).toMatchObject({ purpose, order: null, order_token: null, quote: null });
    const { access, body } = await opened(link);
    expect(body.order_token).toBe(hash);
    const own = { widget_token: link, access };
    const done =
      purpose === "pay_early"
        ? await call("payEarly", own)
        : await call("changeCard", { ...own, sealed_card: await sealedCard(hash, "4051885600446623") });
    expect(done.status).toBe(200);
    const used = await openWithoutCode(link);
    expect(used.page).toContain('"code":"widget_token_used"');
    for (const text of [live.page, JSON.stringify(live.session.body), used.page]) {
      for (const secret of secretsOf(hash)) expect(text).not.toContain(secret);
      for (const secret of [last4, "30800"]) expect(withoutDrawnNames(text)).not.toContain(secret);
    }
  });

  test("does not find the order's hash in the address either", async () => {
    const { hash } = await declinedOrder();
    const urls = (await texts()).flatMap((text) => actionLinkIn(text) ?? []);
    expect(urls.length).toBeGreaterThan(0);
    for (const url of urls) expect(url).not.toContain(hash);
  });
});

describe("paying the rest early", () => {
  test("by the link of the announcement, three days before day 45", async () => {
    const own = await startAfterPaid();
    const [before, clinicBefore] = [world, clinic];
    try {
      world = own;
      clinic = await own.newClinic();
      const hash = await clinic.paidOrder({ rut: RUT });
      await own.bff.runDue();
      await advance(43 * DAY_MS);
      const link = await newestLink();
      const { access } = await opened(link);
      expect((await call("payEarly", { widget_token: link, access })).body).toEqual({ status: "collected" });
      expect(await clinic.collectionStatus(hash)).toBe("collected paid_early");
    } finally {
      world = before;
      clinic = clinicBefore;
      await own.bff.close();
    }
  });

  test("200 collected: at once, once, and all links of the order are used up", async () => {
    const { hash, link } = await waitingOrder();
    const { access, body: page } = await opened(link);
    expect(page.due).toMatchObject({ status: "scheduled", amount: 30_800, reason: null, card: { last4: "6623" } });
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => call("payEarly", { widget_token: link, access })),
    );
    expect(answers.some(({ body }) => body.status === "collected")).toBe(true);
    expect(await clinic.tries(hash)).toEqual(["captured"]);
    expect(await clinic.collectionStatus(hash)).toBe("collected paid_early");
    expect(await audited("collection.early_charge_asked")).toBe(1);
    await advance(5 * DAY_MS);
    expect(await clinic.tries(hash)).toEqual(["captured"]);
    expect((await call("payEarly", { widget_token: link, access })).body.code).toBe("patient_code_required");
    expect((await call("sendLinkCode", { widget_token: link })).body.code).toBe("widget_token_used");
  });

  test("400 patient_code_required for more than the code's mail says, or another card: nothing is charged", async () => {
    const { hash, link } = await waitingOrder();
    const { access } = await opened(link);
    const mail = (await texts()).find((text) => text.includes("Con este código"));
    expect(mail).toContain("pagarlo ahora: $30.800 con tu tarjeta terminada en 6623");
    expect(mail).toContain(clinic.clinic.provider.name);
    const change = (to: object) =>
      world.bff.database.db.updateTable("link_codes").set(to).where("charge_amount", "is not", null).execute();
    const paying = async () => (await call("payEarly", { widget_token: link, access })).body;
    await change({ charge_card_last4: "0021" });
    expect((await paying()).code).toBe("patient_code_required");
    await change({ charge_card_last4: "6623", charge_amount: 30_799 });
    expect((await paying()).code).toBe("patient_code_required");
    expect([await clinic.tries(hash), await audited("collection.early_charge_asked")]).toEqual([[], 0]);
    await change({ charge_amount: 30_801 });
    expect((await paying()).status).toBe("collected");
  });

  test("200 processing after a lost answer; once known, one charge was made and the link is used up", async () => {
    const { hash, link } = await waitingOrder();
    const { access } = await opened(link);
    await clinic.fault("card-processor", "charge", "fail_after");
    expect((await call("payEarly", { widget_token: link, access })).body.status).toBe("processing");
    expect((await call("payEarly", { widget_token: link, access })).body.status).toBe("processing");
    await advance(10 * MINUTE_MS);
    expect(await clinic.collectionStatus(hash)).toBe("collected paid_early");
    for (const inquire of [false, true]) {
      const { body } = await call("payEarly", { widget_token: link, access, inquire });
      expect(body).toMatchObject({ code: "widget_token_used", collection_status: "collected" });
    }
    expect(await clinic.tries(hash)).toEqual(["captured"]);
  });

  test("200 processing, then 400 card_declined: an inquiry returns the result and charges nothing more", async () => {
    const { hash, link } = await waitingOrder(LATER.declined);
    const { access } = await opened(link);
    const body = { widget_token: link, access };
    expect((await call("payEarly", { ...body, inquire: true })).body).toEqual({ status: "none" });
    await clinic.fault("card-processor", "charge", "fail_after");
    expect((await call("payEarly", body)).body.status).toBe("processing");
    expect((await call("payEarly", { ...body, inquire: true })).body.status).toBe("processing");
    await advance(10 * MINUTE_MS);
    for (let asked = 0; asked < 12; asked += 1) {
      const { status, body: result } = await call("payEarly", { ...body, inquire: true });
      expect([status, result.code, result.decline_reason]).toEqual([400, "card_declined", "declined"]);
    }
    expect(await clinic.tries(hash)).toEqual(["declined"]);
    expect(await audited("collection.early_charge_asked")).toBe(1);
    // The inquiry does not count as an attempt of the patient.
    expect((await call("payEarly", body)).body.code).toBe("card_declined");
  });

  test("400 card_declined with its reason, and the due day does not change, when", async () => {
    const { hash, link } = await waitingOrder(LATER.declined);
    const dueAt = await clinic.dueAt(hash);
    const { access } = await opened(link);
    const { status, body } = await call("payEarly", { widget_token: link, access });
    expect([status, body.code, typeof body.decline_reason]).toEqual([400, "card_declined", "string"]);
    expect(await clinic.dueAt(hash)).toBe(dueAt);
    // The request is audited; its failure is recorded in the attempt.
    expect(await audited("collection.early_charge_asked")).toBe(1);
    expect(await audited("collection.paid_early")).toBe(0);
  });

  test("429 rate_limited after three declined charges in a day, and ten in thirty days, across links", async () => {
    const { hash, link } = await waitingOrder(LATER.declined);
    const other = await linkToPayEarly(hash);
    const press = async (widget_token: string) => {
      const { access } = await opened(widget_token);
      return call("payEarly", { widget_token, access });
    };
    for (let declined = 0; declined < 3; declined += 1) {
      expect((await press(declined === 2 ? other : link)).body.code).toBe("card_declined");
      await advance(MINUTE_MS);
    }
    const fourth = await press(link);
    expect([fourth.status, fourth.body.code]).toEqual([429, "rate_limited"]);
    expect(Number(fourth.headers.get("retry-after"))).toBe(fourth.body.retry_after_seconds);
    expect(fourth.body.retry_after_seconds).toBeGreaterThan(23 * 3_600);
    expect(await clinic.tries(hash)).toHaveLength(3);
    for (let day = 1; day < 6; day += 1) {
      await advance(DAY_MS);
      for (let pressed = 0; pressed < 4; pressed += 1) {
        await press(other);
        await advance(MINUTE_MS);
      }
    }
    expect(await clinic.tries(hash)).toHaveLength(10);
  });

  test("400 card_declined at once for a card that will never work: its bank is not queried again", async () => {
    const { hash } = await declinedOrder(LATER.stolen);
    const widget_token = await linkToPayEarly(hash);
    const { access } = await opened(widget_token);
    const { status, body } = await call("payEarly", { widget_token, access });
    expect([status, body.code, body.decline_reason]).toEqual([400, "card_declined", "card_lost_or_stolen"]);
    expect(await clinic.tries(hash)).toEqual(["declined"]);
  });

  test("409 order_not_payable while a pending refund claims all of the rest", async () => {
    const { hash, link } = await waitingOrder();
    const { access } = await opened(link);
    await clinic.fault("financing-provider", "reduceLoan", "fail_before", 100);
    expect((await clinic.refund(hash)).body.refund.status).toBe("processing");
    const { status, body } = await call("payEarly", { widget_token: link, access });
    expect([status, body.code]).toEqual([409, "order_not_payable"]);
    expect(await clinic.tries(hash)).toEqual([]);
  });

  test("409 order_not_payable when the order was refunded meanwhile", async () => {
    const { hash, link } = await waitingOrder();
    const { access } = await opened(link);
    await clinic.refund(hash);
    await world.bff.runDue();
    for (const inquire of [false, true]) {
      const { status, body } = await call("payEarly", { widget_token: link, access, inquire });
      expect([status, body.code]).toEqual([409, "order_not_payable"]);
    }
  });

  test("429 rate_limited after ten in an hour", async () => {
    const { link } = await waitingOrder();
    const body = { widget_token: link, access: NO_ACCESS };
    for (let tries = 0; tries < 10; tries += 1) await call("payEarly", body);
    expect((await call("payEarly", body)).body.code).toBe("rate_limited");
  });
});

describe("a card whose issuer challenges its patient", () => {
  const FAILS = "4051885600000057";

  /** An opened link, whose code was answered. */
  type Held = { readonly widget_token: string; readonly access: string };

  async function changing(): Promise<{ readonly hash: string; readonly link: string; readonly held: Held }> {
    const { hash, link } = await declinedOrder();
    const { widget_token, access } = await opened(link);
    return { hash, link, held: { widget_token, access } };
  }

  async function paying(card: string = LATER.challenged): Promise<{ readonly hash: string; readonly held: Held }> {
    const { hash, link } = await waitingOrder(card);
    const { widget_token, access } = await opened(link);
    return { hash, held: { widget_token, access } };
  }

  const give = async (held: Held, hash: string, number: string) =>
    call("changeCard", { ...held, sealed_card: await sealedCard(hash, number) });
  const ask = (name: "changeCard" | "payEarly", held: Held) => call(name, { ...held, inquire: true });

  /** The address of the challenge, taken from an answer. */
  function challengeOf({ status, body }: TestAnswer): string {
    expect([status, body.status]).toEqual([200, "requires_action"]);
    expect(body.action).toEqual({
      type: "challenge",
      url: expect.stringMatching(/^http/),
      expires_at: expect.any(String),
    });
    return body.action.url;
  }

  const newCard = async (hash: string) => {
    const row = world.bff.database.db
      .selectFrom("collections")
      .select("card")
      .where("order_id", "=", clinic.key(hash).orderId);
    return (await row.executeTakeFirstOrThrow()).card;
  };

  /** The timers that would still inquire about a page, an authentication or a charge. */
  const asksLeft = async (hash: string) => {
    const kinds = ["collection.card_page", "collection.authenticate", "collection.settle_early"];
    const timers = world.bff.database.db.selectFrom("timers").select("kind").where("kind", "in", kinds);
    const left = timers.where("done_at", "is", null).where(sql`payload ->> 'order_id'`, "=", clinic.key(hash).orderId);
    return left.execute();
  };

  /** The network ids that each charge under the mandate named, oldest first. */
  const networkNamesOf = async (hash: string) => {
    const rows = await world.bff.database.db
      .selectFrom("collection_attempts")
      .select("initial_network_transaction_id as name")
      .where("order_id", "=", clinic.key(hash).orderId)
      .orderBy("started_at")
      .execute();
    return rows.map(({ name }) => name);
  };

  // In the short check: bff/test/http/self-service/returns.test.ts:
  // a new card whose issuer challenges is used once its patient is back.
  describe("a card registered for the later charge", { tags: ["long"] }, () => {
    test("200 requires_action, then changed: only the confirmed card is charged, and the charge names the confirmation", async () => {
      const { hash, held } = await changing();
      const asked = await give(held, hash, LATER.challenged);
      expect(asked.body.due.card.last4).toBe("0021");
      await advance(MINUTE_MS);
      expect([await newCard(hash), await clinic.tries(hash)]).toEqual([null, ["declined"]]);
      await clinic.press(challengeOf(asked), "approve");
      const { status, body } = await ask("changeCard", held);
      expect([status, body.status, body.due.card.last4]).toEqual([200, "changed", "0115"]);
      expect(await audited("collection.card_changed")).toBe(1);
      expect(await asksLeft(hash)).toEqual([]);
      const again = await ask("changeCard", held);
      expect(again.body).toMatchObject({ code: "widget_token_used", card_last4: "0115" });
      await advance(2 * DAY_MS);
      // The sandbox's issuer declines a charge of this card without a confirmation, or with another network id for it.
      expect(await networkNamesOf(hash)).toEqual([
        expect.stringMatching(/^0\d{14}$/),
        expect.stringMatching(/^0\d{14}$/),
      ]);
      expect([await clinic.collectionStatus(hash), await clinic.tries(hash)]).toEqual([
        "collected approved",
        ["declined", "captured"],
      ]);
    });

    test.each([
      [LATER.challenged, "reject", "authentication_failed"],
      [LATER.challenged, "cancel", "authentication_abandoned"],
      [FAILS, "approve", "authentication_failed"],
    ] as const)(
      "400 card_declined (%s, %s): card and debt stay, and the link accepts another card",
      async (number, choice, reason) => {
        const { hash, held } = await changing();
        const before = await clinic.read(hash);
        await clinic.press(challengeOf(await give(held, hash, number)), choice);
        for (let asked = 0; asked < 2; asked += 1) {
          const { status, body } = await ask("changeCard", held);
          expect([status, body.code, body.decline_reason]).toEqual([400, "card_declined", reason]);
        }
        expect(await clinic.read(hash)).toEqual(before);
        expect(await audited("collection.card_changed")).toBe(0);
        expect((await give(held, hash, LATER.captured)).body.status).toBe("changed");
        await advance(2 * DAY_MS);
        expect(await clinic.collectionStatus(hash)).toBe("collected approved");
      },
    );

    test("400 card_declined when the challenge expires, even if the button is pressed later", async () => {
      const { hash, held } = await changing();
      const url = challengeOf(await give(held, hash, LATER.challenged));
      await advance(10 * MINUTE_MS);
      await clinic.press(url, "approve");
      await advance(MINUTE_MS);
      const { body } = await ask("changeCard", held);
      expect([body.code, body.decline_reason]).toEqual(["card_declined", "authentication_abandoned"]);
      expect(await newCard(hash)).toBeNull();
    });

    test("200 processing when the issuer's answer was lost; an inquiry finds it, and its result without the page", async () => {
      const { hash, held } = await changing();
      await clinic.fault("card-processor", "authenticate", "fail_after");
      expect((await give(held, hash, LATER.challenged)).body.status).toBe("processing");
      expect((await ask("changeCard", held)).body.status).toBe("processing");
      await advance(10_000);
      await clinic.press(challengeOf(await ask("changeCard", held)), "approve");
      await advance(MINUTE_MS);
      expect((await ask("changeCard", held)).body).toMatchObject({ code: "widget_token_used", card_last4: "0115" });
      expect(await clinic.collectionStatus(hash)).toBe("scheduled approved");
    });

    test("200 none: a later card replaces it, and its confirmation changes nothing", async () => {
      const { hash, held } = await changing();
      expect((await ask("changeCard", held)).body.status).toBe("none");
      const first = challengeOf(await give(held, hash, LATER.challenged));
      const second = challengeOf(await give(held, hash, CARDS.challenge));
      await clinic.press(first, "approve");
      await advance(MINUTE_MS);
      expect(challengeOf(await ask("changeCard", held))).toBe(second);
      await clinic.press(second, "approve");
      const answers = await Promise.all(Array.from({ length: 5 }, () => ask("changeCard", held)));
      const outcomes = answers.map(({ body }) => body.status ?? body.code);
      expect(outcomes).toContain("changed");
      expect(outcomes.every((one) => one === "changed" || one === "widget_token_used")).toBe(true);
      expect(await audited("collection.card_changed")).toBe(1);
      expect(await newCard(hash)).toMatchObject({ last4: "0040" });
    });

    test("leads to one inquiry by another process if the first dies after the request to the issuer", async () => {
      const { hash, held } = await changing();
      await clinic.fault("card-processor", "authenticate", "kill_after");
      expect((await give(held, hash, LATER.challenged)).status).toBe(500);
      await advance(10_000);
      await clinic.press(challengeOf(await ask("changeCard", held)), "approve");
      expect((await ask("changeCard", held)).body.status).toBe("changed");
    });

    test("is not used for an order that was refunded meanwhile", async () => {
      const { hash, held } = await changing();
      const url = challengeOf(await give(held, hash, LATER.challenged));
      await clinic.refund(hash);
      await world.bff.runDue();
      await clinic.press(url, "approve");
      expect((await ask("changeCard", held)).body.status).toBe("none");
      expect(await newCard(hash)).toBeNull();
    });

    test("is not charged before the confirmation, even if a process believes it is confirmed", async () => {
      const { hash, held } = await changing();
      challengeOf(await give(held, hash, LATER.challenged));
      const { db } = world.bff.database;
      const { orderId } = clinic.key(hash);
      const asked = await db
        .selectFrom("card_attempts")
        .selectAll()
        .where("order_id", "=", orderId)
        .executeTakeFirstOrThrow();
      await db
        .updateTable("collections")
        .set({ card: JSON.stringify(asked.card), state: "scheduled", failure: null, due_at: now(), series_from: now() })
        .where("order_id", "=", orderId)
        .execute();
      await world.bff.advance(3 * DAY_MS, { failing: [CHARGE_TIMER] });
      expect(await clinic.tries(hash)).toEqual(["declined"]);
    });
  });

  describe("a card on the processor's own page", () => {
    async function offerPage() {
      const { id } = clinic.clinic.provider;
      const { db } = world.bff.database;
      await db.updateTable("providers").set({ card_page: true }).where("id", "=", id).execute();
    }
    async function onPage() {
      await offerPage();
      return changing();
    }
    const open = (held: Held) => call("openLinkCardPage", held);
    const inquire = (held: Held) => call("openLinkCardPage", { ...held, inquire: true });
    function pageOf({ status, body }: TestAnswer): string {
      expect([status, body.status, body.code]).toEqual([200, "open", undefined]);
      return body.page.url;
    }

    test("200 open, then changed: the previous card stays until then, and the new one is charged", async () => {
      const { hash, held } = await onPage();
      expect((await inquire(held)).body.status).toBe("none");
      const url = pageOf(await open(held));
      expect(pageOf(await open(held))).toBe(url);
      expect(await newCard(hash)).toBeNull();
      await clinic.onCardPage(url, LATER.captured);
      const { body } = await inquire(held);
      expect([body.status, body.due.card.last4]).toEqual(["changed", LATER.captured.slice(-4)]);
      expect(await asksLeft(hash)).toEqual([]);
      expect((await inquire(held)).body.code).toBe("widget_token_used");
      expect(await audited("collection.card_changed")).toBe(1);
      await advance(2 * DAY_MS);
      expect(await clinic.collectionStatus(hash)).toBe("collected approved");
    });

    test("200 changed: a patient who reopens the page after registering a card gets the result, not a new page", async () => {
      const { hash, held } = await onPage();
      await clinic.onCardPage(pageOf(await open(held)), LATER.captured);
      expect((await open(held)).body).toMatchObject({ status: "changed", due: { card: { last4: "6623" } } });
      expect(await newCard(hash)).toMatchObject({ last4: "6623" });
    });

    test("200 none: the page of another link no longer counts, and a card entered there changes nothing", async () => {
      const { hash, held } = await onPage();
      passTime();
      const { widget_token, access } = await opened(await linkTo("card_change", hash));
      const newer = { widget_token, access };
      const [before, after] = [pageOf(await open(held)), pageOf(await open(newer))];
      expect(after).not.toBe(before);
      await clinic.onCardPage(before, LATER.debit);
      expect((await inquire(held)).body.status).toBe("none");
      expect(pageOf(await inquire(newer))).toBe(after);
      await clinic.onCardPage(after, LATER.captured);
      expect((await inquire(newer)).body.status).toBe("changed");
      expect(await newCard(hash)).toMatchObject({ last4: "6623" });
      await advance(10 * MINUTE_MS);
      expect(await keptCards(hash)).not.toContain(LATER.debit.slice(-4));
    });

    test("200 requires_action: reports a sealed card that was sent after the page", async () => {
      const { hash, held } = await onPage();
      pageOf(await open(held));
      world.bff.clock.advance(1_000);
      const challenge = challengeOf(await give(held, hash, LATER.challenged));
      expect(challengeOf(await inquire(held))).toBe(challenge);
      await clinic.press(challenge, "approve");
      expect((await inquire(held)).body).toMatchObject({ status: "changed", due: { card: { last4: "0115" } } });
    });

    test("200 open: reports a page that was opened after a sealed card", async () => {
      const { hash, held } = await onPage();
      challengeOf(await give(held, hash, LATER.challenged));
      world.bff.clock.advance(1_000);
      const url = pageOf(await open(held));
      expect(pageOf(await inquire(held))).toBe(url);
    });

    test("200 open: does not change a page that the checkout has left open", async () => {
      await offerPage();
      const hash = await clinic.readyOrder({ rut: RUT, card: LATER.stolen });
      const atCheckout = (inquire: boolean) => clinic.call("openCardPage", hash, { body: { inquire } });
      const left = pageOf(await atCheckout(false));
      await clinic.pay(hash);
      await world.bff.runDue();
      await clinic.approve(hash);
      const { widget_token, access } = await opened(await newestLink());
      const held = { widget_token, access };
      await clinic.onCardPage(pageOf(await open(held)), "cancel");
      expect((await inquire(held)).body.code).toBe("card_page_abandoned");
      const url = pageOf(await open(held));
      expect(url).not.toBe(left);
      expect(pageOf(await atCheckout(true))).toBe(left);
      await advance(10_000);
      await clinic.onCardPage(url, LATER.captured);
      expect((await inquire(held)).body.status).toBe("changed");
      const { orderId } = clinic.key(hash);
      const pages = world.bff.database.db
        .selectFrom("card_attempts")
        .select(["purpose", "state", "inquiries"])
        .where("purpose", "in", ["card_change", "payment"]);
      expect(await pages.where("order_id", "=", orderId).orderBy("purpose").orderBy("number").execute()).toEqual([
        { purpose: "card_change", state: "abandoned", inquiries: 0 },
        { purpose: "card_change", state: "registered", inquiries: 1 },
        { purpose: "payment", state: "at_page", inquiries: 1 },
      ]);
    });

    test("200 requires_action: a card whose issuer challenges is used once the patient is confirmed", async () => {
      const { hash, held } = await onPage();
      await clinic.onCardPage(pageOf(await open(held)), LATER.challenged);
      const challenge = challengeOf(await inquire(held));
      expect(await newCard(hash)).toBeNull();
      await clinic.press(challenge, "approve");
      expect((await inquire(held)).body).toMatchObject({ status: "changed", due: { card: { last4: "0115" } } });
    });

    test("is changed by the timers although the patient never returned to the page", async () => {
      const { hash, held } = await onPage();
      await clinic.onCardPage(pageOf(await open(held)), LATER.captured);
      await advance(MINUTE_MS);
      expect(await newCard(hash)).toMatchObject({ last4: LATER.captured.slice(-4) });
      expect((await inquire(held)).body).toMatchObject({ code: "widget_token_used" });
    });

    test.each([
      ["cancel", "card_page_abandoned"],
      [EXPIRED_CARD, "card_declined"],
    ])("400 after %s: card and debt stay, and the link accepts another card", async (typed, code) => {
      const { hash, held } = await onPage();
      await clinic.onCardPage(pageOf(await open(held)), typed);
      for (let asked = 0; asked < 2; asked += 1) expect((await inquire(held)).body.code).toBe(code);
      expect(await newCard(hash)).toBeNull();
      await clinic.onCardPage(pageOf(await open(held)), LATER.captured);
      expect((await inquire(held)).body.status).toBe("changed");
    });

    test("200 processing after a lost answer, and the same page by inquiry, even if the process dies", async () => {
      const { hash, held } = await onPage();
      await clinic.fault("card-processor", "registerCard", "kill_after");
      expect((await open(held)).status).toBe(500);
      const url = pageOf(await inquire(held));
      await clinic.onCardPage(url, LATER.captured);
      expect((await inquire(held)).body.status).toBe("changed");
      expect(await newCard(hash)).toMatchObject({ last4: LATER.captured.slice(-4) });
    });

    test("is not used for an order that was refunded meanwhile", async () => {
      const { hash, held } = await onPage();
      const url = pageOf(await open(held));
      await clinic.refund(hash);
      await world.bff.runDue();
      expect((await open(held)).body.code).toBe("order_not_payable");
      await clinic.onCardPage(url, LATER.captured);
      expect((await inquire(held)).body.status).toBe("none");
      expect(await newCard(hash)).toBeNull();
      expect(await issuersAsked(hash)).toEqual([]);
    });

    test("200 open: leaving the page and pressing again opens another page", async () => {
      const { held } = await onPage();
      const left = pageOf(await open(held));
      await clinic.onCardPage(left, "cancel");
      expect(pageOf(await open(held))).not.toBe(left);
    });

    test("400 card_page_needed for a sealed card that is to be confirmed there", async () => {
      const { held, hash } = await changing();
      expect((await give(held, hash, "4051885600000123")).body.code).toBe("card_page_needed");
      await clinic.onCardPage(pageOf(await inquire(held)), "confirm");
      expect((await inquire(held)).body).toMatchObject({ status: "changed", due: { card: { last4: "0123" } } });
    });

    test("400 card_expires_too_soon for a card that ends before the next attempt", async () => {
      const { hash, held } = await onPage();
      const before = await keptCards(hash);
      const [year = "", month = ""] = now().toISOString().split("-");
      await clinic.onCardPage(pageOf(await open(held)), LATER.captured, `${month}/${year.slice(2)}`);
      expect((await inquire(held)).body.code).toBe("card_expires_too_soon");
      expect(await newCard(hash)).toBeNull();
      expect(await keptCards(hash)).toEqual(before);
    });

    test("409 order_not_payable when the order was refunded before", async () => {
      const { hash, held } = await onPage();
      await clinic.refund(hash);
      await world.bff.runDue();
      const { status, body } = await open(held);
      expect([status, body.code]).toEqual([409, "order_not_payable"]);
    });

    test("503 card_processor_unavailable while it is unknown whether the page is offered; the link stays usable", async () => {
      const { held } = await onPage();
      const { cardProcessor } = world.bff.context.parties;
      const there = { ...cardProcessor };
      Object.assign(cardProcessor, { cardPage: () => Promise.reject(new GatewayUnavailable("away")) });
      const { status, body } = await open(held).finally(() => Object.assign(cardProcessor, there));
      expect([status, body.code]).toEqual([503, "card_processor_unavailable"]);
      pageOf(await open(held));
    });

    test("400 card_page_not_offered if the clinic's patients enter their card in fields", async () => {
      const { held } = await changing();
      expect((await open(held)).body.code).toBe("card_page_not_offered");
    });
  });

  // In the short check: bff/test/http/self-service/returns.test.ts:
  // an early payment is collected once its patient is back, and only once.
  describe("a card that pays the rest early", { tags: ["long"] }, () => {
    test("200 requires_action, then collected: one charge for any number of requests", async () => {
      const { hash, held } = await paying();
      const dueAt = await clinic.dueAt(hash);
      const url = challengeOf(await call("payEarly", held));
      // Pressing again leads to the same challenge.
      expect(challengeOf(await call("payEarly", held))).toBe(url);
      expect(challengeOf(await ask("payEarly", held))).toBe(url);
      expect([await clinic.tries(hash), await clinic.dueAt(hash)]).toEqual([[], dueAt]);
      await clinic.press(url, "approve");
      const answers = await Promise.all(Array.from({ length: 5 }, () => ask("payEarly", held)));
      expect(answers.map(({ body }) => body.status ?? body.code)).toContain("collected");
      expect([await clinic.tries(hash), await clinic.collectionStatus(hash)]).toEqual([
        ["captured"],
        "collected paid_early",
      ]);
      expect(await asksLeft(hash)).toEqual([]);
      await advance(DAY_MS);
      expect(await clinic.tries(hash)).toEqual(["captured"]);
      expect(await audited("collection.early_charge_asked")).toBe(1);
    });

    test.each([
      ["reject", "authentication_failed"],
      ["cancel", "authentication_abandoned"],
    ] as const)(
      "400 card_declined (%s): nothing is charged, reported or delayed, and a retry is allowed",
      async (choice, reason) => {
        const { hash, held } = await paying();
        const before = [await clinic.read(hash), await clinic.mails()];
        for (let tries = 0; tries < 4; tries += 1) {
          await clinic.press(challengeOf(await call("payEarly", held)), choice);
          const { status, body } = await ask("payEarly", held);
          expect([status, body.code, body.decline_reason]).toEqual([400, "card_declined", reason]);
        }
        await world.bff.runDue();
        expect([await clinic.read(hash), await clinic.mails()]).toEqual(before);
        await clinic.press(challengeOf(await call("payEarly", held)), "approve");
        expect((await ask("payEarly", held)).body.status).toBe("collected");
      },
    );

    test("400 card_declined when the challenge expires", async () => {
      const { hash, held } = await paying();
      challengeOf(await call("payEarly", held));
      await advance(11 * MINUTE_MS);
      const { body } = await ask("payEarly", held);
      expect([body.code, body.decline_reason]).toEqual(["card_declined", "authentication_abandoned"]);
      expect(await clinic.tries(hash)).toEqual([]);
    });

    test("is charged once although the patient does not return, and although answers are lost", async () => {
      const { hash, held } = await paying();
      await clinic.fault("card-processor", "authenticate", "fail_after");
      expect((await call("payEarly", held)).body.status).toBe("processing");
      expect((await call("payEarly", held)).body.status).toBe("processing");
      await advance(10_000);
      await clinic.press(challengeOf(await ask("payEarly", held)), "approve");
      await clinic.fault("card-processor", "charge", "fail_after");
      await advance(5 * MINUTE_MS);
      expect([await clinic.tries(hash), await clinic.collectionStatus(hash)]).toEqual([
        ["captured"],
        "collected paid_early",
      ]);
    });

    test.each(["authenticate", "charge"])("is charged once when the process dies after %s", async (method) => {
      const { hash, held } = await paying();
      const pay = async () => clinic.press(challengeOf(await call("payEarly", held)), "approve");
      if (method === "charge") await pay();
      await clinic.fault("card-processor", method, "kill_after");
      const died = method === "charge" ? await ask("payEarly", held) : await call("payEarly", held);
      expect(died.status).toBe(500);
      await advance(10_000);
      if (method === "authenticate") await pay();
      await advance(MINUTE_MS);
      expect([await clinic.tries(hash), await clinic.collectionStatus(hash)]).toEqual([
        ["captured"],
        "collected paid_early",
      ]);
    });

    test("503 service_unavailable while charges are switched off: the confirmation stays valid for a while", async () => {
      const { hash, held } = await paying();
      const { db } = world.bff.database;
      await clinic.press(challengeOf(await call("payEarly", held)), "approve");
      const charges = { what: "charges", providerId: clinic.clinic.provider.id } as const;
      await switchOff(db, charges);
      const { status, body } = await ask("payEarly", held);
      await switchOn(db, charges);
      expect([status, body.code, await clinic.tries(hash)]).toEqual([503, "service_unavailable", []]);
      expect((await ask("payEarly", held)).body.status).toBe("collected");
    });

    test("is not charged again when the mandate's charge was earlier", async () => {
      const { hash, held } = await paying();
      const url = challengeOf(await call("payEarly", held));
      await clinic.approve(hash);
      await advance(MINUTE_MS);
      await clinic.press(url, "approve");
      await advance(MINUTE_MS);
      expect([await clinic.tries(hash), await clinic.collectionStatus(hash)]).toEqual([
        ["captured"],
        "collected approved",
      ]);
      expect((await ask("payEarly", held)).body).toMatchObject({ collection_status: "collected" });
    });

    test("is charged the confirmed amount less a refund", async () => {
      const { hash, held } = await paying();
      const url = challengeOf(await call("payEarly", held));
      await clinic.refund(hash, { amount: 8_000 });
      await world.bff.runDue();
      await clinic.press(url, "approve");
      expect((await ask("payEarly", held)).body.status).toBe("collected");
      const charged = (await clinic.order(hash)).payments.filter(({ kind }) => kind === "deferred");
      expect(charged.map(({ amount }) => amount)).toEqual([22_240]);
    });

    test("200 none: it is not charged if another card was added meanwhile, or the result came too late", async () => {
      const { hash, held } = await paying();
      const url = challengeOf(await call("payEarly", held));
      await clinic.giveCard(hash, LATER.captured);
      await clinic.press(url, "approve");
      expect((await ask("payEarly", held)).body.status).toBe("none");
      expect(await clinic.tries(hash)).toEqual([]);

      passTime();
      const late = await paying();
      await clinic.press(challengeOf(await call("payEarly", late.held)), "approve");
      await clinic.fault("card-processor", "inquireAuthentication", "fail_before", 4);
      await advance(20 * MINUTE_MS);
      expect((await ask("payEarly", late.held)).body.status).toBe("none");
      expect(await clinic.tries(late.hash)).toEqual([]);
    });
  });
});

describe("a debt that was written off", () => {
  test("is charged neither by the link, nor to another card, nor on its due day", async () => {
    const { hash, link } = await waitingOrder(LATER.declined);
    const declined = await declinedOrder(LATER.declined);
    const cardLink = declined.link;
    await chargedBack(hash);
    await chargedBack(declined.hash);
    for (let orders = 0; orders < 2; orders += 1) await clinic.operatorDoes("collection_stopped", "write_off");
    const held = await opened(link);
    expect(held.body.due).toMatchObject({ status: "failed", amount: 0, commission: 0, due_at: null });
    const paid = await call("payEarly", { widget_token: link, access: held.access });
    expect([paid.status, paid.body.code]).toEqual([409, "order_not_payable"]);
    await advance(MINUTE_MS);
    const { access } = await opened(cardLink);
    const sealed_card = await sealedCard(declined.hash, LATER.captured);
    const changed = await call("changeCard", { widget_token: cardLink, access, sealed_card });
    expect([changed.status, changed.body.code]).toEqual([409, "order_not_payable"]);
    await advance(46 * DAY_MS);
    expect(await clinic.tries(hash)).toEqual([]);
    expect(await clinic.tries(declined.hash)).toEqual(["declined"]);
    expect(await clinic.collectionStatus(hash)).toBe("failed null");
    const statuses = (await clinic.read(hash)).plan.data.installments.map(({ status }) => status);
    expect(statuses).toEqual(["captured", "failed"]);
  });
});

describe("a chargeback of a failed collection", () => {
  test("is reviewed before the next charge, however the debt is resumed", async () => {
    const { hash, link } = await declinedOrder(LATER.stolen);
    const payLink = await linkToPayEarly(hash);
    await chargedBack(hash);
    await expect(clinic.operatorDoes("collection_failed", "retry")).rejects.toThrow("Handle the chargeback first");
    const { access } = await opened(payLink);
    const paid = await call("payEarly", { widget_token: payLink, access });
    expect([paid.status, paid.body.code]).toEqual([409, "order_not_payable"]);
    await advance(MINUTE_MS);
    const held = await opened(link);
    const sealed_card = await sealedCard(hash, LATER.captured);
    const changed = await call("changeCard", { widget_token: link, access: held.access, sealed_card });
    expect([changed.status, changed.body.due.due_at]).toEqual([200, null]);
    await advance(3 * DAY_MS);
    expect(await clinic.tries(hash)).toEqual(["declined"]);
    await clinic.operatorDoes("collection_stopped", "release");
    expect((await clinic.read(hash)).plan.data.installments[1].status).toBe("scheduled");
    await advance(DAY_MS);
    expect(await clinic.collectionStatus(hash)).toBe("collected approved");
  });

  test("is reviewed even if the collection was resumed before", async () => {
    const { hash } = await declinedOrder(LATER.declined);
    await advance(12 * DAY_MS);
    const { db } = world.bff.database;
    await chargedBack(hash);
    const { orderId } = clinic.key(hash);
    // Resets the collection to its first state.
    await db
      .updateTable("collections")
      .set({ state: "scheduled", failure: null, due_at: now(), series_from: now() })
      .where("order_id", "=", orderId)
      .execute();
    await advance(2 * DAY_MS);
    expect(await clinic.tries(hash)).toHaveLength(4);
    expect(await clinic.collectionStatus(hash)).toBe("failed approved");
  });
});

describe("giving access to the insurer again", () => {
  test("200: the claim is resumed, nothing is collected early, and the consent is stored", async () => {
    const { hash, link } = await blockedClaim();
    const { access, body: page } = await opened(link);
    expect(page).toMatchObject({ patient: { insurer: "colmena", rut: PATIENTS.blockedOnDay2 }, due: null });
    const body = { widget_token: link, access, insurer: "colmena", consents: accessConsent };
    const given = await call("giveInsurerAccess", { ...body, sealed_insurer_access: await sealedAccess() });
    expect([given.status, given.body]).toEqual([200, { status: "given" }]);
    const { db } = world.bff.database;
    const tenant = tenantOf(clinic.clinic.provider);
    const { id } = present(await findBeneficiary(db, { tenant, rut: parseRut(PATIENTS.blockedOnDay2) }));
    const rows = (await auditOf(db, id)).filter(({ act }) => act.endsWith("access_given"));
    const giving = { act: "beneficiary.insurer_access_given", ...ofPatient("beneficiary", id) };
    expect(rows).toEqual([{ ...giving, details: { widget_token: await tokenId(link) } }]);
    const consents = await world.bff.database.db
      .selectFrom("consents")
      .select("purpose")
      .where("provider_id", "=", clinic.clinic.provider.id)
      .where("purpose", "=", "insurer_access")
      .where("accepted_at", "=", now())
      .execute();
    expect(consents).toHaveLength(1);
    await advance(4 * DAY_MS);
    expect(await clinic.collectionStatus(hash)).not.toContain("access_blocked");
    expect((await call("sendLinkCode", { widget_token: link })).body.code).toBe("widget_token_used");
  });

  test("400 consents_missing, 422 insurer_not_supported: the link stays unchanged", async () => {
    const { link } = await blockedClaim();
    const { access } = await opened(link);
    const body = { widget_token: link, access, insurer: "colmena", sealed_insurer_access: await sealedAccess() };
    const without = await call("giveInsurerAccess", body);
    expect([without.status, without.body.code]).toEqual([400, "consents_missing"]);
    const fonasa = await call("giveInsurerAccess", { ...body, insurer: "fonasa", consents: accessConsent });
    expect([fonasa.status, fonasa.body.code]).toEqual([422, "insurer_not_supported"]);
    expect((await call("giveInsurerAccess", { ...body, consents: accessConsent })).status).toBe(200);
    // A wrong body is refused before a used link, as in every call.
    expect((await call("giveInsurerAccess", body)).body.code).toBe("consents_missing");
  });

  test("429 rate_limited after twenty in an hour", async () => {
    const { link } = await blockedClaim();
    const sealed_insurer_access = await sealedAccess();
    const body = { widget_token: link, access: NO_ACCESS, insurer: "colmena", sealed_insurer_access };
    for (let tries = 0; tries < 20; tries += 1) await call("giveInsurerAccess", body);
    expect((await call("giveInsurerAccess", body)).body.code).toBe("rate_limited");
  });
});

describe("giving missing access at the end of a paid checkout", () => {
  const checkoutToken = async (order_token: string) => {
    const { body } = await world.bff.callSpotApi(spotEndpoints.mintWidgetToken, {
      as: clinic.clinic,
      body: { order_token },
    });
    return String(body.widget_token);
  };
  const give = async (widget_token: string, insurer = "colmena") => {
    const sealed_insurer_access = await sealedAccess(RUT);
    return call("giveInsurerAccess", { widget_token, insurer, sealed_insurer_access, consents: accessConsent });
  };
  const missing = async (hash: string) =>
    (await clinic.call("getOrder", hash, { using: "client_id" })).body.missing_step;
  const secret = async () => {
    const tenant = tenantOf(clinic.clinic.provider);
    return present(await findBeneficiary(world.bff.database.db, { tenant, rut: parseRut(RUT) })).sealedInsurerAccess;
  };

  /** A registered patient without access, with the token of the paid checkout. */
  async function paidWithoutAccess(access: "given" | "not_given" = "not_given") {
    await clinic.register(RUT, undefined, access);
    const hash = await clinic.readyOrder({ rut: RUT });
    const token = await checkoutToken(hash);
    expect((await give(token)).body.code).toBe("widget_token_not_found");
    await clinic.pay(hash);
    await world.bff.runDue();
    return { hash, token };
  }

  test("200 without a code: the claim is filed with it, and a repeat changes nothing", async () => {
    const { hash, token } = await paidWithoutAccess();
    expect(await missing(hash)).toBe("insurer_access");
    expect((await give(token)).body).toEqual({ status: "given" });
    expect(await missing(hash)).toBeNull();
    const kept = await secret();
    expect((await give(token)).body).toEqual({ status: "given" });
    expect([await secret(), await audited("beneficiary.insurer_access_given")]).toEqual([kept, 1]);
    await clinic.submitReceipt(hash, RUT);
    await world.bff.runDue();
    expect((await clinic.mails()).join()).toContain("Presentamos tu reembolso");
  });

  test("never replaces existing access, and is refused once nothing is claimed", async () => {
    const { token, hash } = await paidWithoutAccess("given");
    const kept = await secret();
    expect((await give(token)).body).toEqual({ status: "given" });
    expect([await secret(), await audited("beneficiary.insurer_access_given")]).toEqual([kept, 0]);
    await clinic.refund(hash);
    expect((await give(token)).body).toEqual({ status: "given" });
  });

  test("404 while the clinic is not active, as with all its own tokens", async () => {
    const { token } = await paidWithoutAccess();
    const { database, clock } = world.bff;
    const operations = { db: database.db, clock, ids: systemIds, actor: "operator:ana" };
    await setActive(operations, clinic.clinic.provider.id, false);
    expect((await give(token)).body.code).toBe("widget_token_not_found");
    expect(await secret()).toBeNull();
    await setActive(operations, clinic.clinic.provider.id, true);
    expect((await give(token)).body).toEqual({ status: "given" });
  });

  test("422, 410 and 404: another insurer, a refunded order, an expired token, and a patient who is not registered", async () => {
    const { token, hash } = await paidWithoutAccess();
    expect((await give(token, "fonasa")).body.code).toBe("insurer_not_supported");
    await clinic.refund(hash);
    await world.bff.runDue();
    const ended = await give(token);
    expect([ended.status, ended.body.code]).toEqual([410, "widget_token_used"]);
    await advance(31 * DAY_MS);
    expect((await give(token)).body.code).toBe("widget_token_expired");
    const other = await clinic.readyOrder({ rut: PATIENTS.held });
    const others = await checkoutToken(other);
    await clinic.pay(other);
    expect((await give(others)).body.code).toBe("widget_token_not_found");
    expect(await secret()).toBeNull();
  });
});

test("expired codes are removed with everything that names their patient, and valid ones stay", async () => {
  const { db } = world.bff.database;
  const codes = async () => (await db.selectFrom("link_codes").select("id").execute()).length;
  const patients = async () => (await db.selectFrom("link_code_patients").selectAll().execute()).length;
  await db.deleteFrom("link_codes").execute();
  await db.deleteFrom("link_code_patients").execute();
  await opened((await declinedOrder()).link);
  await purgeLinkCodes({ ...world.bff, db });
  expect([await codes(), await patients()]).toEqual([1, 1]);
  world.bff.clock.set(new Date(now().getTime() + 2 * DAY_MS + 1));
  await purgeLinkCodes({ ...world.bff, db });
  // No hash of their RUT remains either.
  expect([await codes(), await patients()]).toEqual([0, 0]);
});
