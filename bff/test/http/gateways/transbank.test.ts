import { readFile } from "node:fs/promises";
import transbank from "transbank-sdk";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkConnector } from "../../../connectors/kit/check/check-connector.ts";
import { testValuesSchema } from "../../../connectors/kit/check/test-values.ts";
import { createPartyClient } from "../../../connectors/kit/party-client.ts";
import { createProbe } from "../../../connectors/kit/probe.ts";
import { listLostEnrolments } from "../../../connectors/transbank/enrolment-store.ts";
import { importChargebacks, importSettlements } from "../../../connectors/transbank/import-files.ts";
import { settleUnknown } from "../../../connectors/transbank/operator.ts";
import { createUserSeal } from "../../../connectors/transbank/sealed-users.ts";
import { clp } from "../../../src/contract/vocabulary/clp.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../../src/contract/vocabulary/durations.ts";
import type { GatewayCall } from "../../../src/gateways/gateway-call.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import type { Death } from "./connector-process.ts";
import {
  API_KEY,
  CONNECTOR_TOKEN,
  chargeInput,
  chooseAtWebpay,
  comeBackFrom,
  DEBIT,
  enrol,
  enrolOn,
  MALL_CODE,
  openPage,
  pressStart,
  REFUSED_VISA,
  SEAL_KEY,
  SHOP_CODE,
  startTransbank,
  type Transbank,
  VISA,
} from "./start-transbank.ts";

/*
 * Transbank's official SDK, unmodified, is the oracle: it drives every route of the stand-in, and the connector sends
 * the same requests and reads the same answers.
 */

const { MallInscription, MallTransaction, MallBinInfo } = transbank.Oneclick;

let world: Transbank;
let sdk: {
  readonly inscription: InstanceType<typeof MallInscription>;
  readonly transaction: InstanceType<typeof MallTransaction>;
  readonly bin: InstanceType<typeof MallBinInfo>;
};

beforeAll(async () => {
  world = await startTransbank();
  const options = new transbank.Options(MALL_CODE, API_KEY, world.standInUrl, 9_000);
  sdk = {
    inscription: new MallInscription(options),
    transaction: new MallTransaction(options),
    bin: new MallBinInfo(options),
  };
});
afterAll(() => world.stop());

const RETURN_URL = "https://checkout.example/return";
const EMAIL = "pagos@operadora.example";

/** The requests that arrived while something ran. */
async function sentBy<Result>(run: () => Promise<Result>) {
  const before = world.standIn.requests.length;
  const result = await run();
  return { result, requests: world.standIn.requests.slice(before) };
}

async function enrolWithSdk(username: string): Promise<string> {
  const started = await sdk.inscription.start(username, EMAIL, RETURN_URL);
  await chooseAtWebpay({ url: started.url_webpay, token: started.token }, { number: VISA });
  const finished = await sdk.inscription.finish(started.token);
  return finished.tbk_user;
}

describe("the kit's client", () => {
  it("ends a request that gets no answer in its time", async () => {
    const headers = { "tbk-api-key-id": MALL_CODE, "tbk-api-key-secret": API_KEY };
    const client = createPartyClient({ baseUrl: world.standInUrl, headers, timeoutMs: 100 });
    const path = "/rswebpaytransaction/api/oneclick/v1.2/transactions/any";
    world.standIn.faults.add("status", "silent");
    await expect(client.send({ method: "GET", path })).rejects.toMatchObject({ code: "no_end_in_time" });
    await client.close();
  });
});

describe("the official SDK", () => {
  it("drives all routes of the stand-in: enrols, charges, captures, refunds, and deletes a card", async () => {
    const username = "sdk-visit";
    const started = await sdk.inscription.start(username, EMAIL, RETURN_URL);
    expect(await sdk.inscription.finish(started.token)).toEqual({ response_code: -96 });
    const sent = await chooseAtWebpay({ url: started.url_webpay, token: started.token });
    expect(sent.headers.get("location")).toBe(`${RETURN_URL}?TBK_TOKEN=${started.token}`);
    const finished = await sdk.inscription.finish(started.token);
    expect(finished).toMatchObject({ response_code: 0, card_type: "Visa", card_number: "XXXXXXXXXXXX6623" });
    expect(await sdk.bin.queryBin(finished.tbk_user)).toMatchObject({ bin_payment_type: "Credito", bin_brand: "Visa" });

    const detail = new transbank.TransactionDetail(10_000, SHOP_CODE, "shop-order-1");
    const charged = await sdk.transaction.authorize(username, finished.tbk_user, "mall-order-1", [detail]);
    expect(charged.details[0]).toMatchObject({ response_code: 0, status: "AUTHORIZED", payment_type_code: "VN" });
    const part = await sdk.transaction.refund("mall-order-1", SHOP_CODE, "shop-order-1", 4_000);
    expect(part).toMatchObject({ type: "NULLIFIED", nullified_amount: 4_000, balance: 6_000, response_code: 0 });
    expect((await sdk.transaction.status("mall-order-1")).details[0]).toMatchObject({ balance: 6_000 });

    const second = new transbank.TransactionDetail(5_000, SHOP_CODE, "shop-order-2");
    const whole = await sdk.transaction.authorize(username, finished.tbk_user, "mall-order-2", [second]);
    const code = whole.details[0].authorization_code;
    const captured = await sdk.transaction.capture(SHOP_CODE, "shop-order-2", code, 5_000);
    expect(captured).toMatchObject({ captured_amount: 5_000, response_code: 0 });
    expect(await sdk.transaction.refund("mall-order-2", SHOP_CODE, "shop-order-2", 5_000)).toEqual({
      type: "REVERSED",
    });
    expect(await sdk.inscription.delete(finished.tbk_user, username)).toBe(true);
    await expect(sdk.inscription.delete(finished.tbk_user, username)).rejects.toThrow("404");
    await expect(sdk.transaction.status("never-sent")).rejects.toThrow("buy order not found");
  });
});

describe("the connector's requests", () => {
  it("are the SDK's, with the same answers, for every route that it uses", async () => {
    const { api } = world.oneclick;
    const username = "same-requests";
    const start = await sentBy(() => sdk.inscription.start(username, EMAIL, RETURN_URL));
    const own = await sentBy(() => api.start({ username, email: EMAIL, responseUrl: RETURN_URL }));
    expect(own.requests).toEqual(start.requests);
    if (own.result.is !== "answer") throw new Error("start was refused");
    const { token } = own.result.answer;
    expect((await sentBy(() => api.finish(token))).requests).toEqual(
      (await sentBy(() => sdk.inscription.finish(token))).requests,
    );

    const tbkUser = await enrolWithSdk(username);
    const bins = [await sentBy(() => api.bin(tbkUser)), await sentBy(() => sdk.bin.queryBin(tbkUser))];
    expect(bins[0]?.requests).toEqual(bins[1]?.requests);

    const names = { buyOrder: "MSAME", shopBuyOrder: "SSAME", shopCode: SHOP_CODE };
    const detail = new transbank.TransactionDetail(9_000, SHOP_CODE, names.shopBuyOrder, 0);
    const charge = await sentBy(() => api.authorize({ username, tbkUser, amount: 9_000, ...names }));
    const repeated = await sentBy(() =>
      sdk.transaction.authorize(username, tbkUser, names.buyOrder, [detail]).catch(() => "refused"),
    );
    expect(charge.requests).toEqual(repeated.requests);
    expect(world.standIn.sentAgain.splice(0)).toEqual([names.buyOrder]);

    const status = await sentBy(() => api.status(names.buyOrder));
    const sdkStatus = await sentBy(() => sdk.transaction.status(names.buyOrder));
    expect(status.requests).toEqual(sdkStatus.requests);
    expect(status.result).toMatchObject({
      answer: { buy_order: names.buyOrder, details: [{ amount: 9_000, status: sdkStatus.result.details[0].status }] },
    });

    const refund = await sentBy(() => api.refund(names.buyOrder, { ...names, amount: 1_000 }));
    const sdkRefund = await sentBy(() => sdk.transaction.refund(names.buyOrder, SHOP_CODE, "SSAME", 1_000));
    expect(refund.requests).toEqual(sdkRefund.requests);
    expect(refund.result).toMatchObject({ answer: { balance: 8_000 } });
    expect(sdkRefund.result).toMatchObject({ balance: 7_000 });

    const removal = await sentBy(() => api.remove({ tbkUser, username }));
    const sdkRemoval = await sentBy(() => sdk.inscription.delete(tbkUser, username).catch(() => "refused"));
    expect(removal.requests).toEqual(sdkRemoval.requests);
  });

  it("send the key to no other host, and treat a redirect, a page or an endless answer as unanswered", async () => {
    const { api } = world.oneclick;
    for (const [kind, code] of [
      ["redirect", "redirect"],
      ["html", "no_json"],
      ["endless", "too_long"],
      ["lost", "no_connection"],
      ["error", "status_500"],
    ] as const) {
      world.standIn.faults.add("status", kind);
      await expect(api.status("mall-order-1")).rejects.toMatchObject({ code });
    }
  });
});

describe("the Transbank connector", () => {
  it("passes the connector check with a script that enrols the cards by hand", async () => {
    const { clock, connectorUrl, standIn } = world;
    const probe = createProbe({ baseUrl: connectorUrl, deadlineMs: 30_000, answerBytesMax: 1024 * 1024 });
    const report = await checkConnector(
      {
        probe,
        token: CONNECTOR_TOKEN,
        clock,
        ids: systemIds,
        // Oneclick has no challenge at a charge, and makes refunds at once.
        values: testValuesSchema.parse({ challenge_card: null, pending_return_card: null }),
        wait: async (milliseconds) => clock.advance(milliseconds),
        returnWaitMs: 0,
        giveCard: async (page, { number }) => void (await enrolOn(page, { number })),
      },
      { url: connectorUrl, parties: ["card-processor"], callbacks: null, callbackWaitMs: 0 },
    );
    await probe.close();
    expect(report.findings.filter(({ result }) => result === "failed")).toEqual([]);
    expect(report.verdict).toBe("conforms");
    expect(report.findings.filter(({ result }) => result === "not_checked").map(({ check }) => check)).toEqual([
      "challenge",
      "pending-return",
    ]);
    expect(report.passed).toBeGreaterThan(80);
    expect(standIn.sentAgain).toEqual([]);
  });
});

describe("an enrolment", () => {
  it.each(["GET", "POST"] as const)(
    "registers the card when Webpay sends the browser back with %s",
    async (returnBy) => {
      world.standIn.returnBy = returnBy;
      const orderHash = world.order();
      const { call, page } = await openPage(world, orderHash);
      expect(await world.processor.inquireRegistration(call)).toMatchObject({
        outcome: "page",
        url: page,
        display: "window",
      });
      expect(await enrolOn(page)).toContain("Tarjeta inscrita");
      const known = await world.processor.inquireRegistration(call);
      expect(known).toMatchObject({
        outcome: "registered",
        card: { brand: "visa", kind: "credit", last4: "6623", authenticatedAt: world.clock.now() },
      });
      expect(await world.processor.inquireRegistration(call)).toEqual(known);
      world.standIn.returnBy = "GET";
    },
  );

  it("names the kind of a debit card, and the brand that Transbank reports only afterwards", async () => {
    const { call, page } = await openPage(world, world.order());
    await enrolOn(page, { number: DEBIT });
    const known = await world.processor.inquireRegistration(call);
    expect(known).toMatchObject({ outcome: "registered", card: { brand: "visa", kind: "debit", last4: "7763" } });
  });

  it.each([
    ["cancels", "cancel", "page_abandoned", "Inscripción cancelada"],
    ["is refused", "reject", "declined", "No pudimos inscribir la tarjeta"],
  ] as const)("ends without a card if the patient %s", async (_what, choice, outcome, title) => {
    const { call, page } = await openPage(world, world.order());
    const before = world.standIn.requests.length;
    expect(await enrolOn(page, { choice })).toContain(title);
    expect(await world.processor.inquireRegistration(call)).toMatchObject({ outcome });
    const finished = world.standIn.requests.slice(before).filter(({ method }) => method === "PUT");
    expect(finished).toHaveLength(choice === "cancel" ? 0 : 1);
  });

  it("is abandoned when the window was closed and its time is over", async () => {
    const { call, page } = await openPage(world, world.order());
    await pressStart(page);
    expect(await world.processor.inquireRegistration(call)).toMatchObject({ outcome: "page" });
    world.clock.advance(22 * MINUTE_MS);
    const later = { ...call, at: world.clock.now() };
    expect(await world.processor.inquireRegistration(later)).toEqual({ outcome: "page_abandoned" });
    expect(await (await fetch(page)).text()).toContain("Inscripción cancelada");
  });

  it("uses another username for each press, and takes only the last one's return", async () => {
    const { call, page } = await openPage(world, world.order());
    const first = await pressStart(page);
    const second = await pressStart(page);
    const names = world.standIn.requests.slice(-2).map(({ body }) => (body as { username: string }).username);
    expect(new Set(names).size).toBe(2);
    expect(names.every((name) => name.length <= 40)).toBe(true);
    expect(await comeBackFrom(await chooseAtWebpay(first))).toContain("Inscribe tu tarjeta");
    expect(await comeBackFrom(await chooseAtWebpay(second))).toContain("Tarjeta inscrita");
    expect(await world.processor.inquireRegistration(call)).toMatchObject({ outcome: "registered" });
  });

  it("repeats its request within 60 seconds after a lost answer, and registers one card", async () => {
    const { call, page } = await openPage(world, world.order());
    const users = world.standIn.users();
    world.standIn.faults.add("finish", "dropped");
    expect(await enrolOn(page)).toContain("Estamos confirmando tu tarjeta");
    expect(await (await fetch(page)).text()).toContain("Tarjeta inscrita");
    expect(await world.processor.inquireRegistration(call)).toMatchObject({ outcome: "registered" });
    expect(world.standIn.users()).toBe(users + 1);
  });

  it("is lost, and listed for the operator, if Transbank enrolled the card and the answer was lost", async () => {
    const { call, page } = await openPage(world, world.order());
    world.standIn.faults.add("finish", "lost");
    await enrolOn(page);
    expect(await (await fetch(page)).text()).toContain("No pudimos confirmar la inscripción");
    expect(await world.processor.inquireRegistration(call)).toEqual({ outcome: "page_abandoned" });
    expect(await listLostEnrolments(world.database.db)).toContainEqual(
      expect.objectContaining({ id: page.split("/").at(-1) }),
    );
  });

  it.each(["before", "after"] as const)("ends when the process dies %s its request to finish", async (death) => {
    const { call, page } = await openPage(world, world.order());
    const answer = await chooseAtWebpay(await pressStart(page));
    world.dieAt(death, /inscriptions/);
    void comeBackFrom(answer).catch(() => undefined);
    await expect.poll(() => world.isDead()).toBe(true);
    world.restart();
    world.clock.advance(11 * SECOND_MS);
    await fetch(page);
    const outcome = death === "before" ? "registered" : "page_abandoned";
    expect(await world.processor.inquireRegistration(call)).toMatchObject({ outcome });
  });

  it("shows why Webpay does not open, and opens at the next press", async () => {
    const { page } = await openPage(world, world.order());
    world.standIn.faults.add("start", "failed");
    const failed = await fetch(`${page}/start`, { method: "POST" });
    expect(failed.status).toBe(503);
    expect(await failed.text()).toContain("Webpay no responde");
    expect((await pressStart(page)).url).toContain("/webpayserver/");
  });

  it("has a page that cannot be framed, and none for an unknown id", async () => {
    const { page } = await openPage(world, world.order());
    expect((await fetch(page)).headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    // The link of the proxy's page after a press without an answer.
    expect(await (await fetch(new URL(".", `${page}/start`))).text()).toContain("Inscribe tu tarjeta");
    expect((await fetch(`${page}0`)).status).toBe(404);
    expect((await fetch(`${page}0/return?TBK_TOKEN=x`)).status).toBe(404);
    expect((await fetch(new URL("/card/%00", page))).status).toBe(404);
  });
});

describe("a charge", () => {
  it("names the buy orders that its key determines, and the issuer's code", async () => {
    const card = await enrol(world);
    const outcome = await world.processor.charge(world.call(), chargeInput(card));
    expect(outcome).toEqual({
      outcome: "captured",
      chargeId: expect.stringMatching(/^M[A-Z2-7]{25}$/),
      amount: 10_000,
      buyOrder: expect.stringMatching(/^M[A-Z2-7]{25}$/),
      storeCode: SHOP_CODE,
      authorisationCode: "1213",
      instalments: 0,
    });
  });

  it.each(["lost", "error", "redirect", "html", "endless"] as const)(
    "is found by its buy order after an invalid answer (%s), and never sent twice",
    async (fault) => {
      const card = await enrol(world);
      const call = world.call();
      world.standIn.faults.add("authorize", fault);
      expect(await world.processor.charge(call, chargeInput(card))).toEqual({ outcome: "unknown" });
      const known = await world.processor.inquireCharge(call);
      expect(known).toMatchObject({ outcome: "captured", amount: 10_000 });
      expect(await world.processor.charge(call, chargeInput(card))).toEqual(known);
      expect(world.standIn.sentAgain).toEqual([]);
    },
  );

  it("is made once if its request arrives twice", async () => {
    const card = await enrol(world);
    const call = world.call();
    const charges = world.standIn.charges.size;
    world.standIn.faults.add("authorize", "twice");
    expect(await world.processor.charge(call, chargeInput(card))).toMatchObject({ outcome: "captured" });
    expect(world.standIn.charges.size).toBe(charges + 1);
    expect(world.standIn.sentAgain.splice(0)).toHaveLength(1);
  });

  it.each(["dropped", "timed_out"] as const)(
    "(%s) has no answer while Transbank may still receive it, and is then made once",
    async (fault) => {
      const card = await enrol(world);
      const call = world.call();
      const charges = world.standIn.charges.size;
      world.standIn.faults.add("authorize", fault);
      expect(await world.processor.charge(call, chargeInput(card))).toEqual({ outcome: "unknown" });
      expect(await world.processor.inquireCharge(call)).toEqual({ outcome: "unknown" });
      world.clock.advance(6 * MINUTE_MS);
      const inquiry = { ...call, at: world.clock.now() };
      expect(await world.processor.inquireCharge(inquiry)).toEqual({ outcome: "not_found" });
      expect(await world.processor.charge(call, chargeInput(card))).toEqual({ outcome: "unknown" });
      const again = { ...call, at: world.clock.now() };
      expect(await world.processor.charge(again, chargeInput(card))).toMatchObject({ outcome: "captured" });
      expect(world.standIn.charges.size).toBe(charges + 1);
    },
  );

  it("keeps its answer for ever, and makes no further request to Transbank", async () => {
    const card = await enrol(world);
    const call = world.call();
    const outcome = await world.processor.charge(call, chargeInput(card));
    world.clock.advance(400 * DAY_MS);
    const before = world.standIn.requests.length;
    expect(await world.processor.inquireCharge(call)).toEqual(outcome);
    expect(world.standIn.requests).toHaveLength(before);
  });

  it("stays unknown after the 7 days in which Transbank answers, until an operator settles it", async () => {
    const card = await enrol(world);
    const call = world.call();
    world.standIn.faults.add("authorize", "lost");
    await world.processor.charge(call, chargeInput(card));
    world.clock.advance(8 * DAY_MS);
    expect(await world.processor.inquireCharge(call)).toEqual({ outcome: "unknown" });
    const settled = { by: "ana", because: "Portal: aprobada, código 4711", wasDone: true, authorisationCode: "4711" };
    expect(await settleUnknown(world.oneclick, { operation: "charge", ...call }, settled)).toBe(true);
    const known = await world.processor.inquireCharge(call);
    expect(known).toMatchObject({ outcome: "captured", authorisationCode: "4711", amount: 10_000 });
    expect(await settleUnknown(world.oneclick, { operation: "charge", ...call }, settled)).toBe(false);
  });

  it("does not count as new after a restore that lost its row", async () => {
    const card = await enrol(world);
    const call = world.call();
    await world.processor.charge(call, chargeInput(card));
    await world.database.withSession((session) =>
      session.query("delete from connector_calls where idempotency_key = $1", [call.idempotencyKey]),
    );
    expect(await world.processor.inquireCharge(call)).toEqual({ outcome: "unknown" });
    expect(world.log.join("")).toContain("transbank.charge_not_recorded");
  });

  it.each([
    [-1, 1, { reason: "declined", hard: false }],
    [-1, 2, { reason: "declined", hard: true }],
    [-4, 1, { reason: "declined", hard: false }],
    [-4, 2, { reason: "card_expired", hard: true }],
    [-7, 2, { reason: "card_blocked", hard: true }],
    [-3, 2, { reason: "declined", limit: "amount", hard: false }],
    [-96, 1, { reason: "declined", hard: true }],
    [-97, 1, { reason: "declined", limit: "amount", hard: false }],
    [-98, 2, { reason: "declined", limit: "amount", hard: false }],
    [-99, 1, { reason: "declined", limit: "uses", hard: false }],
    ["CONSTRAINTS_VIOLATED", 1, { reason: "declined", limit: "amount", hard: false }],
  ] as const)("reads the refusal %s at level %s", async (code, codeLevel, refusal) => {
    world.restart({ codeLevel });
    const card = await enrol(world);
    world.standIn.nextCodes.push(code);
    const call = world.call();
    const declined = { outcome: "declined", ...refusal };
    expect(await world.processor.charge(call, chargeInput(card))).toEqual(declined);
    expect(await world.processor.inquireCharge(call)).toEqual(declined);
    world.restart();
  });

  it("has no answer until Transbank has ended it", async () => {
    const card = await enrol(world);
    world.standIn.nextCodes.push("INITIALIZED");
    const call = world.call();
    expect(await world.processor.charge(call, chargeInput(card))).toEqual({ outcome: "unknown" });
    expect(await world.processor.inquireCharge(call)).toEqual({ outcome: "unknown" });
  });

  it("above the mall's limit is declined without a request", async () => {
    const card = await enrol(world);
    world.restart({ limits: { perCharge: clp(9_999) } });
    expect(await world.processor.chargeLimits()).toEqual({ perCharge: 9_999 });
    const before = world.standIn.requests.length;
    const declined = { outcome: "declined", reason: "declined", limit: "amount", hard: false };
    expect(await world.processor.charge(world.call(), chargeInput(card))).toEqual(declined);
    expect(world.standIn.requests).toHaveLength(before);
    world.restart();
  });

  it("is declined if the issuer refuses the card", async () => {
    const refused = await enrol(world, REFUSED_VISA);
    expect(await world.processor.charge(world.call(), chargeInput(refused))).toMatchObject({ outcome: "declined" });
  });
});

/** Dies in a call, starts another process, and returns what it then knows under the key. */
async function dieIn(
  death: Death,
  call: GatewayCall,
  run: () => Promise<unknown>,
  known: (call: GatewayCall) => Promise<unknown>,
) {
  // A refund reads the balance first.
  world.dieAt(death, /\/(?:transactions|refunds)$/);
  void run();
  await expect.poll(() => world.isDead()).toBe(true);
  world.restart();
  const first = await known(call);
  if (death === "after") return first;
  expect(first).toEqual({ outcome: "unknown" });
  world.clock.advance(6 * MINUTE_MS);
  return known({ ...call, at: world.clock.now() });
}

describe("a process that dies in a call to Transbank", () => {
  it.each([
    ["before", { outcome: "not_found" }],
    ["after", { outcome: "captured", amount: 10_000 }],
  ] as const)("%s a charge loses nothing and charges once", async (death, outcome) => {
    const card = await enrol(world);
    const call = world.call();
    const charges = world.standIn.charges.size;
    const { processor } = world;
    const known = await dieIn(
      death,
      call,
      () => processor.charge(call, chargeInput(card)),
      (inquiry) => world.processor.inquireCharge(inquiry),
    );
    expect(known).toMatchObject(outcome);
    const repeated = { ...call, at: world.clock.now() };
    expect(await world.processor.charge(repeated, chargeInput(card))).toMatchObject({ outcome: "captured" });
    expect(world.standIn.charges.size).toBe(charges + 1);
    expect(world.standIn.sentAgain).toEqual([]);
  });

  it.each([
    ["before", { outcome: "not_found" }],
    ["after", { outcome: "returned", amount: 4_000 }],
  ] as const)("%s a refund loses nothing and refunds once", async (death, outcome) => {
    const card = await enrol(world);
    const chargeId = await captured(card);
    const call = world.call();
    const input = { chargeId, orderHash: card.orderHash, amount: clp(4_000) };
    const { processor } = world;
    const known = await dieIn(
      death,
      call,
      () => processor.returnCharge(call, input),
      (inquiry) => world.processor.inquireReturn(inquiry),
    );
    expect(known).toMatchObject(outcome);
    const repeated = { ...call, at: world.clock.now() };
    expect(await world.processor.returnCharge(repeated, input)).toMatchObject({ outcome: "returned", amount: 4_000 });
    expect(balanceOf(chargeId)).toBe(6_000);
  });

  it.each(["before", "after"] as const)("%s a removal asks again, and the card is gone", async (death) => {
    const card = await enrol(world);
    const users = world.standIn.users();
    const call = world.call();
    const { processor } = world;
    world.dieAt(death);
    void processor.removeCard(call, card);
    await expect.poll(() => world.isDead()).toBe(true);
    world.restart();
    expect(await world.processor.inquireRemoval(call)).toEqual({ outcome: "removed" });
    expect(world.standIn.users()).toBe(users - 1);
  });
});

type Card = Awaited<ReturnType<typeof enrol>>;

async function captured(card: Card, amount = 10_000): Promise<string> {
  const outcome = await world.processor.charge(world.call(), chargeInput(card, amount));
  if (outcome.outcome !== "captured") throw new Error(`Not captured: ${outcome.outcome}.`);
  return outcome.chargeId;
}

function balanceOf(chargeId: string): number | undefined {
  const detail = world.standIn.charges.get(chargeId)?.details[0];
  return detail?.balance ?? detail?.amount;
}

describe("a refund", () => {
  it("reverses a whole charge within 3 hours, and nullifies it later with a code", async () => {
    const card = await enrol(world);
    const { orderHash } = card;
    const early = { chargeId: await captured(card), orderHash, amount: clp(10_000) };
    const reversed = await world.processor.returnCharge(world.call(), early);
    expect(reversed).toMatchObject({ outcome: "returned", amount: 10_000 });
    expect(reversed).not.toHaveProperty("authorisationCode");
    const late = { ...early, chargeId: await captured(card) };
    world.clock.advance(4 * HOUR_MS);
    expect(await world.processor.returnCharge(world.call(), late)).toMatchObject({
      outcome: "returned",
      authorisationCode: "123456",
    });
  });

  it.each(["lost", "error", "html"] as const)("is found by the balance after an invalid answer (%s)", async (fault) => {
    const card = await enrol(world);
    const chargeId = await captured(card);
    const input = { chargeId, orderHash: card.orderHash, amount: clp(4_000) };
    const call = world.call();
    world.standIn.faults.add("refund", fault);
    expect(await world.processor.returnCharge(call, input)).toEqual({ outcome: "unknown" });
    // While it is unknown, no other refund of the charge is made.
    const other = world.call();
    expect(await world.processor.returnCharge(other, input)).toEqual({ outcome: "unknown" });
    expect(await world.processor.inquireReturn(call)).toMatchObject({ outcome: "returned", amount: 4_000 });
    expect(await world.processor.returnCharge(other, input)).toMatchObject({ outcome: "returned" });
    expect(balanceOf(chargeId)).toBe(2_000);
  });

  it("refuses a part of a debit charge, and of a charge with instalments", async () => {
    const card = await enrol(world, DEBIT);
    const input = { chargeId: await captured(card), orderHash: card.orderHash };
    expect(await world.processor.returnCharge(world.call(), { ...input, amount: clp(1) })).toEqual({
      outcome: "refused",
    });
    expect(await world.processor.returnCharge(world.call(), { ...input, amount: clp(10_000) })).toMatchObject({
      outcome: "returned",
    });
    world.standIn.instalments = 3;
    const credit = await enrol(world);
    const inParts = { chargeId: await captured(credit), orderHash: credit.orderHash, amount: clp(5_000) };
    world.standIn.instalments = 0;
    expect(await world.processor.returnCharge(world.call(), inParts)).toEqual({ outcome: "refused" });
  });

  it("is too old after the agreed days", async () => {
    const card = await enrol(world);
    const input = { chargeId: await captured(card), orderHash: card.orderHash, amount: clp(1_000) };
    world.clock.advance(91 * DAY_MS);
    const refused = { outcome: "refused", reason: "too_old" };
    expect(await world.processor.returnCharge(world.call(), input)).toEqual(refused);
  });

  it("stays unknown after 7 days, until an operator reports that it was not made", async () => {
    const card = await enrol(world);
    const input = { chargeId: await captured(card), orderHash: card.orderHash, amount: clp(1_000) };
    world.clock.advance(8 * DAY_MS);
    const call = world.call();
    world.standIn.faults.add("refund", "dropped");
    expect(await world.processor.returnCharge(call, input)).toEqual({ outcome: "unknown" });
    world.clock.advance(DAY_MS);
    expect(await world.processor.inquireReturn(call)).toEqual({ outcome: "unknown" });
    const settled = { by: "ana", because: "El portal no la muestra", wasDone: false };
    expect(await settleUnknown(world.oneclick, { operation: "return", ...call }, settled)).toBe(true);
    expect(await world.processor.inquireReturn(call)).toEqual({ outcome: "refused" });
    expect(await world.processor.returnCharge(world.call(), input)).toMatchObject({ outcome: "returned" });
  });
});

describe("an enrolled card that several orders use", () => {
  it("is deleted at Transbank when the last use is gone", async () => {
    const card = await enrol(world);
    const users = world.standIn.users();
    const customer = systemIds.uuid();
    const kept = await world.processor.keepCard(world.call(), { cardId: card.cardId, customer });
    if (kept.outcome !== "kept") throw new Error("The card was not kept.");
    const { storedCardId } = kept;
    const orderHash = world.order();
    const second = await world.processor.registerStoredCard(world.call(), { storedCardId, customer, orderHash });
    if (second.outcome !== "registered") throw new Error("The kept card was not registered.");
    await world.processor.removeCard(world.call(), card);
    await world.processor.forgetCard(world.call(), { storedCardId, customer });
    expect(world.standIn.users()).toBe(users);
    const used = { cardId: second.card.id, orderHash };
    expect(await world.processor.charge(world.call(), chargeInput(used))).toMatchObject({ outcome: "captured" });
    await world.processor.removeCard(world.call(), used);
    expect(world.standIn.users()).toBe(users - 1);
    expect(await world.processor.charge(world.call(), chargeInput(used))).toMatchObject({
      outcome: "declined",
      hard: true,
    });
  });
});

describe("the connector's log", () => {
  it("holds no key of the mall, user, token or card number", async () => {
    const card = await enrol(world);
    world.standIn.faults.add("authorize", "error");
    await world.processor.charge(world.call(), chargeInput(card));
    const written = world.log.join("\n");
    expect(written).toContain("connector.party_unanswered");
    const { rows } = await world.database.withSession((session) =>
      session.query("select tbk_user as secret from oneclick_users union all select token from enrolments", []),
    );
    const secrets = (rows as { secret: string | null }[]).flatMap(({ secret }) => secret ?? []);
    // It is stored sealed.
    const { open } = createUserSeal([SEAL_KEY]);
    expect(secrets.filter((secret) => open(secret) !== secret).length).toBeGreaterThan(0);
    secrets.push(...secrets.map(open));
    for (const secret of [API_KEY, VISA, CONNECTOR_TOKEN, ...secrets]) expect(written).not.toContain(secret);
  });
});

it("the request of a call is deleted once its answer is stored", async () => {
  await captured(await enrol(world));
  const { rows } = await world.database.withSession((session) =>
    session.query(
      "select bool_or(plan is not null) as is_kept, count(*) > 0 as is_any from connector_calls where answer is not null",
      [],
    ),
  );
  expect(rows).toEqual([{ is_kept: false, is_any: true }]);
});

describe("the files of Transbank's portal", () => {
  it("provide the settlements and chargebacks for reconciliation, each once", async () => {
    const card = await enrol(world);
    const chargeId = await captured(card);
    const charged = { chargeId, orderHash: card.orderHash };
    await world.processor.returnCharge(world.call(), { ...charged, amount: clp(4_000) });
    world.clock.advance(MINUTE_MS);
    const [from, to] = [world.clock.now(), new Date(world.clock.now().getTime() + DAY_MS)];
    const file = `Abono;Tipo;Orden;Monto;Comisión;IVA
D-1;charge;${chargeId};10.000;149;28
D-1;return;${chargeId};4000;0;0
`;
    const columns = {
      deposit: "Abono",
      kind: "Tipo",
      order: "Orden",
      amount: "Monto",
      fee: "Comisión",
      fee_vat: "IVA",
    };
    expect(await importSettlements(world.oneclick, file, columns)).toEqual({ stored: 1, known: 0 });
    expect(await importSettlements(world.oneclick, file, columns)).toEqual({ stored: 0, known: 1 });
    const { providerId } = world.call();
    expect(await world.processor.listSettlements(providerId, from, to)).toMatchObject([
      {
        id: "D-1",
        amount: 5_823,
        lines: [
          { kind: "charge", amount: 10_000 },
          { kind: "return", amount: 4_000 },
        ],
      },
    ]);

    const chargebacks = `id,order,amount\nCB-1,${chargeId},6000\n`;
    expect(await importChargebacks(world.oneclick, chargebacks)).toEqual({ stored: 1, known: 0 });
    expect(await importChargebacks(world.oneclick, chargebacks)).toEqual({ stored: 0, known: 1 });
    expect(await world.processor.listMovements(providerId, from, to)).toMatchObject([
      { id: "CB-1", kind: "chargeback", chargeId, amount: 6_000, orderHash: card.orderHash },
    ]);
    const disputed = { outcome: "refused", reason: "disputed" };
    expect(await world.processor.returnCharge(world.call(), { ...charged, amount: clp(1_000) })).toEqual(disputed);
  });

  it("are refused as a whole, with the line, if one names nothing that was charged", async () => {
    const chargeId = await captured(await enrol(world));
    const header = "deposit,kind,order,amount,fee,fee_vat";
    const good = `D-2,charge,${chargeId},10000,149,28`;
    for (const [line, message] of [
      ["D-2,charge,NONE,10000,0,0", "Line 3: NONE is no order of this connector."],
      [`D-2,charge,${chargeId},10000,149,28`, "Line 3: there is no such charge."],
      [`D-2,return,${chargeId},500,0,0`, "Line 3: there is no such return."],
      [`D-2,charge,${chargeId},1e4,0,0`, "Line 3: amount is whole pesos."],
    ] as const)
      await expect(importSettlements(world.oneclick, `${header}\n${good}\n${line}\n`)).rejects.toThrow(message);
    expect(await importSettlements(world.oneclick, `${header}\n${good}\n`)).toEqual({ stored: 1, known: 0 });
  });
});

describe("the connector's first migration", () => {
  it("is the kit's", async () => {
    const read = (path: string) => readFile(new URL(`../../../connectors/${path}`, import.meta.url), "utf8");
    expect(await read("transbank/migrations/0001_calls.sql")).toBe(await read("../packages/connector-kit/calls.sql"));
  });
});
