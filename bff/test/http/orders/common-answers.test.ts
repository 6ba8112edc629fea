import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Endpoint } from "../../../src/contract/endpoint.ts";
import { orderEndpoints } from "../../../src/contract/order-endpoints.ts";
import { spotEndpoints } from "../../../src/contract/spot-endpoints.ts";
import { DatabaseUnavailable } from "../../../src/platform/database/errors.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { openTestDatabase, type TestDatabase } from "../../database.ts";
import { startBff, type TestBff } from "../../start-bff.ts";
import { withoutDrawnNames } from "../../without-drawn-names.ts";
import { type Checkout, checkoutOf } from "./checkout.ts";
import { acceptedConsents, orderBody, PATIENTS, watchedDatabase } from "./orders-world.ts";

/** Answers that every endpoint of the order API shares. Each is checked at each endpoint. */
const endpoints = Object.entries(orderEndpoints).map(([name, endpoint]) => ({ name, endpoint: endpoint as Endpoint }));
const withBody = endpoints.filter(({ endpoint }) => endpoint.body !== undefined);
const idempotent = endpoints.filter(({ endpoint }) => endpoint.idempotent === true);

let database: TestDatabase;
let bff: TestBff;
let checkout: Checkout;
let hash = "";
/** The error that the database throws at the next query. */
let trouble: Error | null = null;

beforeAll(async () => {
  database = await openTestDatabase();
  const db = watchedDatabase(database.db, () => {
    if (trouble !== null) throw trouble;
  });
  bff = await startBff({ database: { ...database, db } });
  checkout = checkoutOf(bff);
  hash = await checkout.newOrder();
});
afterAll(async () => {
  await bff.close();
  await database.close();
});

const call = (endpoint: Endpoint, options = {}) =>
  bff.callOrderApi(endpoint, { as: bff.clinic, params: { hash }, ...options });
const json = { "content-type": "application/json" };

/** A body that each endpoint accepts. The outcome does not matter here. */
function goodBody(name: string): unknown {
  if (name === "createOrder") return orderBody({ total: 1_000, rut: PATIENTS.good, reference: systemIds.uuid() });
  if (name === "validateIdentity") return { document_serial: "123456789" };
  if (name === "verifyRecognition") return { code: "123456" };
  if (name === "addPaymentMethod") return { sealed_card: "AAAA.AAAA.AAAA.AAAA.AAAA" };
  return name === "payOrder" ? { consents: acceptedConsents } : {};
}

describe("an unreadable body", () => {
  it.each(withBody)("$name: malformed_json", async ({ endpoint }) => {
    const { status, body } = await call(endpoint, { rawBody: "{", headers: json });
    expect([status, body.code]).toEqual([400, "malformed_json"]);
  });

  it.each(withBody)("$name: unreadable_body for a body that is not JSON", async ({ endpoint }) => {
    const { status, body } = await call(endpoint, { rawBody: "a=b", headers: { "content-type": "text/plain" } });
    expect([status, body.code]).toEqual([400, "unreadable_body"]);
  });

  it.each(withBody)("$name: body_too_large above 64 KiB", async ({ endpoint }) => {
    const { status, body } = await call(endpoint, { rawBody: `"${"x".repeat(65_536)}"`, headers: json });
    expect([status, body.code]).toEqual([413, "body_too_large"]);
  });

  it.each(withBody)("$name: validation_error for another shape", async ({ endpoint }) => {
    const { status, body } = await call(endpoint, { rawBody: "[]", headers: json });
    expect([status, body.code]).toEqual([422, "validation_error"]);
  });

  it("is not read before the credential: 401 is answered while the body is still arriving", async () => {
    const status = await new Promise((resolve, reject) => {
      const url = new URL("/orders", bff.orderApi);
      const sent = request(url, { method: "POST", headers: { ...json, "content-length": "1000" } }, (response) =>
        resolve(response.statusCode),
      );
      sent.on("error", reject);
      sent.write("{");
    });
    expect(status).toBe(401);
  });
});

describe("a card in the clear", () => {
  const refusing = endpoints.filter(({ endpoint }) => endpoint.errors.includes("raw_card_refused"));

  it.each(refusing)("$name: raw_card_refused, whatever the field's name", async ({ name, endpoint }) => {
    const body = { ...Object(goodBody(name)), note: "4051 8856 0044 6623" };
    const answer = await call(endpoint, { body });
    expect([answer.status, answer.body.code]).toEqual([422, "raw_card_refused"]);
    expect(withoutDrawnNames(JSON.stringify(answer.body))).not.toContain("4051");
  });
});

describe("Idempotency-Key", () => {
  /** An order for which the endpoint's answer is stored. */
  async function keepingHash(name: string): Promise<string> {
    if (name === "payOrder") return checkout.readyOrder();
    if (name === "startRecognition") return checkout.newOrder();
    if (name === "verifyRecognition") await showPage();
    return name === "refundOrder" ? checkout.paidOrder() : hash;
  }

  /** Reports the order's page as shown, without which no code is accepted. */
  async function showPage(): Promise<void> {
    const as = { as: bff.clinic };
    const body = { order_token: hash, long_term_token: true };
    const { widget_token } = (await bff.callSpotApi(spotEndpoints.mintWidgetToken, { ...as, body })).body;
    await bff.callWidgetHost(spotEndpoints.reportShown, { ...as, body: { widget_token } });
  }

  it.each(idempotent)("$name: idempotency_key_malformed", async ({ name, endpoint }) => {
    const headers = { "Idempotency-Key": "x".repeat(256) };
    const { status, body } = await call(endpoint, { body: goodBody(name), headers });
    expect([status, body.code]).toEqual([422, "idempotency_key_malformed"]);
  });

  it.each(idempotent)("$name: idempotency_key_reused for another body", async ({ name, endpoint }) => {
    const headers = { "Idempotency-Key": systemIds.uuid() };
    const params = { hash: await keepingHash(name) };
    await call(endpoint, { params, body: goodBody(name), headers });
    const another = name === "refundOrder" ? { reason: "another" } : { ...Object(goodBody(name)), unknown_field: true };
    const { status, body } = await call(endpoint, { params, body: another, headers });
    expect([status, body.code]).toEqual([422, "idempotency_key_reused"]);
  });

  it.each(idempotent)("$name: idempotency_in_flight while the first request is running", async ({ name, endpoint }) => {
    const headers = { "Idempotency-Key": systemIds.uuid() };
    const body = goodBody(name);
    const params = { hash: await keepingHash(name) };
    const path = endpoint.path.replace("{hash}", params.hash);
    await call(endpoint, { params, body, headers });
    // Resets the first request to its state before its answer was stored, as if it were in progress.
    const leaseUntil = new Date(bff.clock.now().getTime() + 60_000);
    await database.db
      .updateTable("idempotency_keys")
      .set({ status: null, body_sealed: null, lease_id: systemIds.uuid(), lease_until: leaseUntil })
      .where("path", "=", path)
      .where("provider_id", "=", bff.clinic.provider.id)
      .where("expires_at", ">", bff.clock.now())
      .execute();
    const answer = await call(endpoint, { params, body, headers });
    expect([answer.status, answer.body.code]).toEqual([409, "idempotency_in_flight"]);
  });
});

describe("an internal failure", () => {
  it.each(endpoints)(
    "$name: service_unavailable without the database, and leaves nothing half done",
    async ({ name, endpoint }) => {
      const body = endpoint.body === undefined ? {} : { body: goodBody(name) };
      trouble = new DatabaseUnavailable("on purpose");
      const { status, body: answer } = await call(endpoint, body).finally(() => {
        trouble = null;
      });
      expect([status, answer.code]).toEqual([503, "service_unavailable"]);
      expect(JSON.stringify(answer)).not.toContain("on purpose");
    },
  );

  it.each(endpoints)("$name: internal_error with a request id and no internal detail", async ({ name, endpoint }) => {
    const body = endpoint.body === undefined ? {} : { body: goodBody(name) };
    trouble = new Error("a secret of ours");
    const {
      status,
      body: answer,
      headers,
    } = await call(endpoint, body).finally(() => {
      trouble = null;
    });
    expect([status, answer.code, answer.request_id]).toEqual([500, "internal_error", headers.get("x-request-id")]);
    expect(JSON.stringify(answer)).not.toContain("secret");
  });
});

describe("limits", () => {
  it("rate limits count the steps per order and return when to retry", async () => {
    const counted = await checkout.newOrder();
    for (let index = 0; index < 60; index += 1) await checkout.pay(counted);
    const { status, body, headers } = await checkout.pay(counted);
    expect([status, body.code]).toEqual([429, "rate_limited"]);
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
    expect(headers.get("ratelimit-remaining")).toBe("0");
    expect((await checkout.pay(await checkout.newOrder())).status).toBe(400);
    await bff.advance(60_000);
    expect((await checkout.pay(counted)).status).toBe(400);
  });

  it("a rate-limited request leaves its Idempotency-Key free", async () => {
    const counted = await checkout.newOrder();
    const headers = { "Idempotency-Key": "refused at first" };
    const paying = () => checkout.call("payOrder", counted, { body: { consents: [] }, headers });
    for (let index = 0; index < 60; index += 1) await checkout.pay(counted);
    expect((await paying()).status).toBe(429);
    await bff.advance(61_000);
    const { status, headers: answered } = await paying();
    expect([status, answered.get("idempotency-replayed")]).toEqual([400, null]);
  });

  it("guessing credentials leads to rate_limited at every endpoint", async () => {
    const guessed = await startBff({ addressLimits: { guessesPerMinute: 3, publicCallsPerMinute: 1_000 } });
    const headers = { authorization: "Bearer x" };
    const guess = () => guessed.callOrderApi(orderEndpoints.getOrder, { params: { hash }, headers });
    for (let index = 0; index < 3; index += 1) expect((await guess()).status).toBe(401);
    for (const { name, endpoint } of endpoints) {
      const body = endpoint.body === undefined ? {} : { body: goodBody(name) };
      const answer = await guessed.callOrderApi(endpoint, { params: { hash }, headers, ...body });
      expect([name, answer.status, answer.body.code]).toEqual([name, 429, "rate_limited"]);
    }
    await guessed.close();
  });
});

describe("credentials of the wrong kind", () => {
  it.each(endpoints)("$name: 401 without credentials", async ({ name, endpoint }) => {
    const body = endpoint.body === undefined ? {} : { body: goodBody(name) };
    const { status, body: answer } = await bff.callOrderApi(endpoint, { params: { hash }, ...body });
    expect([status, answer.code]).toEqual([401, "invalid_credential"]);
  });
});
