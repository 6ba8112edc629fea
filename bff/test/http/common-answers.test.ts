import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { hashToken } from "../../src/checkout/open-widget-token.ts";
import { mintSelfServiceToken, type SelfServiceToken } from "../../src/checkout/self-service-links.ts";
import type { Endpoint } from "../../src/contract/endpoint.ts";
import { orderEndpoints } from "../../src/contract/order-endpoints.ts";
import { spotEndpoints } from "../../src/contract/spot-endpoints.ts";
import type { OrderId } from "../../src/contract/vocabulary/identifiers.ts";
import { webhookEndpoints } from "../../src/contract/webhook-endpoints.ts";
import { returnUrlOf } from "../../src/orders/redirect.ts";
import { documentedEndpoints, endpointGroups } from "../../src/partner-docs/endpoint-groups.ts";
import { endpointExamples } from "../../src/partner-docs/examples.ts";
import { orderHashExample } from "../../src/partner-docs/order-example.ts";
import { DatabaseUnavailable } from "../../src/platform/database/errors.ts";
import { inTransaction } from "../../src/platform/database/transaction.ts";
import { systemIds } from "../../src/platform/ids.ts";
import { openTestDatabase, type TestDatabase } from "../database.ts";
import { proveRegistrations } from "../registered-patient.ts";
import { startBff, type TestBff, type TestProvider } from "../start-bff.ts";
import type { CallOptions, TestAnswer } from "../test-client.ts";
import { withoutDrawnNames } from "../without-drawn-names.ts";
import { checkoutOf } from "./orders/checkout.ts";
import { watchedDatabase } from "./orders/orders-world.ts";

/**
 * Answers that all endpoints share, tested at each documented endpoint. Those of the order API are in `orders/`. The
 * bodies are the documentation's examples.
 */
const orderApi: readonly Endpoint[] = Object.values(orderEndpoints);
const endpoints = documentedEndpoints()
  .filter(([, endpoint]) => !orderApi.includes(endpoint))
  .map(([name, endpoint]) => ({ name, endpoint }));
const withJson = endpoints.filter(({ endpoint }) => endpoint.body !== undefined);
const idempotent = endpoints.filter(({ endpoint }) => endpoint.idempotent === true);
/** Not those of receipts, which need files: `spot/gastos-post.test.ts`, `spot/gastos-url-post.test.ts`. */
const keyed = idempotent.filter(({ endpoint }) => !endpoint.path.startsWith("/api/spot/gastos"));

let database: TestDatabase;
let bff: TestBff;
/** A partner with every scope, a registered patient, and a webhook endpoint. */
let partner: TestProvider;
let webhookEndpointId = "";
/** The token of a session that has not ended. */
let widgetToken = "";
let usedToken = "";
/** Tokens of self-service links, by the path of the call that they allow. */
const linkTokens = new Map<string, string>();
/** The error that the database throws at the next query. */
let trouble: Error | null = null;

beforeAll(async () => {
  database = await openTestDatabase();
  const db = watchedDatabase(database.db, () => {
    if (trouble !== null) throw trouble;
  });
  bff = await startBff({ database: { ...database, db }, environment: { WEBHOOKS_ALLOW_LOOPBACK: "true" } });
  partner = await bff.createProvider({ meta: true });
  usedToken = await mintToken();
  await signUp(usedToken);
  const endpoint = { url: "http://127.0.0.1:9/webhooks" };
  const made = await bff.callSpotApi(webhookEndpoints.createWebhookEndpoint, { as: partner, body: endpoint });
  webhookEndpointId = made.body.id;
  widgetToken = await mintToken();
  for (const { endpoint } of endpoints) {
    const purpose = linkPurposeOf(endpoint);
    if (purpose !== null) linkTokens.set(endpoint.path, await mintLink(purpose));
  }
});
afterAll(async () => {
  await bff.close();
  await database.close();
});

async function mintToken(): Promise<string> {
  const { body } = await bff.callSpotApi(spotEndpoints.mintWidgetToken, { as: partner, body: {} });
  return body.widget_token;
}

type LinkPurpose = SelfServiceToken["purpose"] | "payment";

/** The purpose of the service link that allows a call. */
function linkPurposeOf({ path, errors }: Endpoint): LinkPurpose | null {
  if (path === spotEndpoints.objectToEmailChange.path) return "objection";
  if (!path.startsWith("/api/spot/patient/") || !errors.includes("raw_card_refused")) return null;
  if (path.endsWith("/insurer_access")) return "insurer_access";
  if (path.endsWith("/card") || path.endsWith("/card_page")) return "card_change";
  if (path.startsWith(spotEndpoints.readPayment.path)) return "payment";
  return path.endsWith("/early_payment") ? "pay_early" : "my_data";
}

async function mintLink(minted: LinkPurpose): Promise<string> {
  const now = bff.clock.now();
  const purpose = minted === "payment" ? "pay_early" : minted;
  const { url } = await inTransaction(database.db, (tx) =>
    mintSelfServiceToken({ ids: systemIds, widgetHostUrl: bff.widgetHost }, tx, {
      provider: partner.provider,
      publicKey: partner.credentials.public_key,
      purpose,
      beneficiaryId: null,
      rut: "12345678-5",
      now,
      expiresAt: new Date(now.getTime() + 3_600_000),
    }),
  );
  const token = new URL(url).searchParams.get("widget_token") ?? "";
  // Only a paid order has a payment page. These calls are refused before the order is read.
  if (minted === "payment")
    await database.db
      .updateTable("widget_tokens")
      .set({ purpose: minted, sealed_token: "sealed", order_id: systemIds.uuid() as OrderId })
      .where("token_hash", "=", hashToken(token))
      .execute();
  return token;
}

/** Creates the patient of the examples, so that requests about them are found. */
async function signUp(token: string): Promise<void> {
  const [example] = Object.values(endpointExamples.registerPatient?.request ?? {});
  const body = { ...Object(example?.value), widget_token: token };
  expect((await bff.callSpotApi(spotEndpoints.registerPatient, { as: partner, body })).status).toBe(201);
  await proveRegistrations({ ...bff, db: bff.database.db, keyring: bff.context.keyring }, partner.provider);
}

/** The reference of a return URL of this service. */
function returnReference({ context: { keyring }, widgetHost }: TestBff): string {
  const redirect = { kind: "payment", providerId: orderHashExample, attemptId: orderHashExample } as const;
  const url = returnUrlOf(
    { keyring, widgetHostUrl: widgetHost },
    { ...redirect, orderId: orderHashExample as OrderId },
  );
  return url.slice(url.lastIndexOf("/") + 1);
}

/** Calls an endpoint with a value for each parameter, without a credential unless one is given. */
function callAnonymously(on: TestBff, name: string, endpoint: Endpoint, options: CallOptions): Promise<TestAnswer> {
  const isOnOrderApi = endpointGroups.some((group) => group.face === "order" && name in group.endpoints);
  const params = {
    hash: orderHashExample,
    token: orderHashExample,
    rut: "40100000-3",
    id: webhookEndpointId,
    reference: returnReference(on),
  };
  const { shape } = endpoint.query instanceof z.ZodMiniObject ? endpoint.query : z.object({});
  const query = "rut" in shape ? { query: { rut: "40.100.000-3" } } : {};
  const call = isOnOrderApi ? on.callOrderApi : on.callSpotApi;
  return call(endpoint, { params, ...query, ...options });
}

function callOn(on: TestBff, name: string, endpoint: Endpoint, options: CallOptions): Promise<TestAnswer> {
  return callAnonymously(on, name, endpoint, { as: on === bff ? partner : on.clinic, ...options });
}

/** A valid body for the endpoint. A clock is moved by one second only. */
function goodBody(name: string, endpoint: Endpoint): CallOptions {
  if (endpoint.multipart === true) {
    const form = new FormData();
    form.append("uploaded_files", new Blob(["%PDF-1.4\n%%EOF\n"], { type: "application/pdf" }), "boleta.pdf");
    return { rawBody: form };
  }
  if (endpoint.body === undefined) return {};
  if (name === "moveSandboxClock") return { body: { advance: "1s" } };
  const [example] = Object.values(endpointExamples[name]?.request ?? {});
  return { body: example?.value };
}

const json = { "content-type": "application/json" };

describe("an unreadable body", () => {
  it.each(withJson)("$name: malformed_json", async ({ name, endpoint }) => {
    const { status, body } = await callOn(bff, name, endpoint, { rawBody: "{", headers: json });
    expect([status, body.code]).toEqual([400, "malformed_json"]);
  });

  it.each(withJson)("$name answers unreadable_body to a body that is not JSON", async ({ name, endpoint }) => {
    const headers = { "content-type": "text/plain" };
    const { status, body } = await callOn(bff, name, endpoint, { rawBody: "a=b", headers });
    expect([status, body.code]).toEqual([400, "unreadable_body"]);
  });

  it.each(withJson)("$name: body_too_large above 64 KiB", async ({ name, endpoint }) => {
    const rawBody = `"${"x".repeat(65_536)}"`;
    const { status, body } = await callOn(bff, name, endpoint, { rawBody, headers: json });
    expect([status, body.code]).toEqual([413, "body_too_large"]);
  });

  // The resource in the path is looked up first. The endpoint's own tests have a claim to find.
  const namesNothing = withJson.filter(({ endpoint }) => !endpoint.path.includes("{hash}"));

  it.each(namesNothing)("$name: validation_error for another shape", async ({ name, endpoint }) => {
    const { status, body } = await callOn(bff, name, endpoint, { rawBody: "[]", headers: json });
    expect([status, body.code]).toEqual([422, "validation_error"]);
  });
});

const cardInTheClear = endpoints.filter(({ endpoint }) => endpoint.errors.includes("raw_card_refused"));

describe("a card in the clear", () => {
  it.each(cardInTheClear)("$name: raw_card_refused, whatever the field's name", async ({ name, endpoint }) => {
    const good = goodBody(name, endpoint).body;
    const token = linkTokens.get(endpoint.path) ?? widgetToken;
    const body = { ...Object(good), widget_token: token, note: "4051 8856 0044 6623" };
    const { status, body: answer } = await callOn(bff, name, endpoint, { body });
    expect([status, answer.code]).toEqual([422, "raw_card_refused"]);
    expect(withoutDrawnNames(JSON.stringify(answer))).not.toContain("4051");
  });
});

/** Sessions of service links have another purpose, and no token minted by a partner opens them. */
const inSession = withJson.filter(
  ({ name, endpoint }) =>
    endpoint.errors.includes("widget_token_used") &&
    name !== "objectToEmailChange" &&
    !endpoint.path.startsWith("/api/spot/patient/"),
);

describe("a session that has ended", () => {
  const callIn = (name: string, endpoint: Endpoint, token: string) => {
    const body = { ...Object(goodBody(name, endpoint).body), widget_token: token };
    return callOn(bff, name, endpoint, { body });
  };

  it.each(inSession)("$name: widget_token_used", async ({ name, endpoint }) => {
    const { status, body } = await callIn(name, endpoint, usedToken);
    expect([status, body.code]).toEqual([410, "widget_token_used"]);
  });

  it.each(inSession)("$name: widget_token_expired", async ({ name, endpoint }) => {
    const expiring = await mintToken();
    await bff.advance(61 * 60_000);
    const { status, body } = await callIn(name, endpoint, expiring);
    expect([status, body.code]).toEqual([410, "widget_token_expired"]);
  });
});

describe("Idempotency-Key", () => {
  /** A request whose answer is stored, such as a chargeback of an order that has a charge. */
  async function keptBody(name: string, endpoint: Endpoint): Promise<CallOptions> {
    if (name !== "chargeBackInSandbox") return goodBody(name, endpoint);
    return { as: bff.clinic, body: { order_hash: await checkoutOf(bff).paidOrder() } };
  }

  it.each(idempotent)("$name: idempotency_key_malformed", async ({ name, endpoint }) => {
    const headers = { "Idempotency-Key": "x".repeat(256) };
    const { status, body } = await callOn(bff, name, endpoint, { ...goodBody(name, endpoint), headers });
    expect([status, body.code]).toEqual([422, "idempotency_key_malformed"]);
  });

  it.each(keyed)("$name: idempotency_key_reused for another body", async ({ name, endpoint }) => {
    const headers = { "Idempotency-Key": systemIds.uuid() };
    const options = { ...(await keptBody(name, endpoint)), headers };
    await callOn(bff, name, endpoint, options);
    const another = { ...Object(options.body), unknown_field: true };
    const answer = await callOn(bff, name, endpoint, { ...options, body: another });
    expect([answer.status, answer.body.code]).toEqual([422, "idempotency_key_reused"]);
  });

  it.each(keyed)("$name: idempotency_in_flight while the first request is running", async ({ name, endpoint }) => {
    const headers = { "Idempotency-Key": systemIds.uuid() };
    const options = { ...(await keptBody(name, endpoint)), headers };
    await callOn(bff, name, endpoint, options);
    // Resets the first request to its state before its answer was stored, as if it were still in progress.
    await database.db
      .updateTable("idempotency_keys")
      .set({
        status: null,
        body_sealed: null,
        lease_id: systemIds.uuid(),
        lease_until: new Date(bff.clock.now().getTime() + 60_000),
      })
      .where("path", "like", endpoint.path.replaceAll(/\{\w+\}/g, "%"))
      .where("provider_id", "in", [partner.provider.id, bff.clinic.provider.id])
      .execute();
    const { status, body } = await callOn(bff, name, endpoint, options);
    expect([status, body.code]).toEqual([409, "idempotency_in_flight"]);
  });
});

describe("an internal failure", () => {
  it.each(endpoints)("$name: service_unavailable without the database", async ({ name, endpoint }) => {
    trouble = new DatabaseUnavailable("on purpose");
    const answer = await callOn(bff, name, endpoint, goodBody(name, endpoint)).finally(() => {
      trouble = null;
    });
    expect([answer.status, answer.body.code]).toEqual([503, "service_unavailable"]);
    expect(answer.headers.get("retry-after")).not.toBeNull();
    expect(JSON.stringify(answer.body)).not.toContain("on purpose");
  });

  it.each(endpoints)(
    "$name answers internal_error with a request id and no internal detail",
    async ({ name, endpoint }) => {
      trouble = new Error("a secret of ours");
      const { status, body, headers } = await callOn(bff, name, endpoint, goodBody(name, endpoint)).finally(() => {
        trouble = null;
      });
      expect([status, body.code, body.request_id]).toEqual([500, "internal_error", headers.get("x-request-id")]);
      expect(JSON.stringify(body)).not.toContain("secret");
    },
  );
});

describe("no credential", () => {
  const closed = endpoints.filter(({ endpoint }) => endpoint.credentials.length > 0);

  it.each(closed)("$name: 401 before any other check", async ({ name, endpoint }) => {
    const body = endpoint.method === "GET" ? {} : { rawBody: "{", headers: json };
    expect((await callAnonymously(bff, name, endpoint, body)).status).toBe(401);
  });
});

/** The path contains no secret either. */
const isOpenToAnybody = ({ credentials, path }: Endpoint) => credentials.length === 0 && !path.includes("{");

describe("limits", () => {
  it("guessing credentials leads to rate_limited at every endpoint, with Retry-After", async () => {
    const guessed = await startBff({ addressLimits: { guessesPerMinute: 3, publicCallsPerMinute: 1_000 } });
    const closed = endpoints.filter(({ endpoint }) => endpoint.credentials.length > 0);
    const guess = () => guessed.callOrderApi(orderEndpoints.getOrder, { params: { hash: orderHashExample } });
    for (let index = 0; index < 3; index += 1) expect((await guess()).status).toBe(401);
    for (const { name, endpoint } of closed) {
      const { status, body, headers } = await callAnonymously(guessed, name, endpoint, goodBody(name, endpoint));
      expect([name, status, body.code]).toEqual([name, 429, "rate_limited"]);
      expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
      expect([headers.get("ratelimit-policy"), headers.get("ratelimit-remaining")]).toEqual(["3;w=60", "0"]);
    }
    await guessed.close();
  });

  it("too many calls without a secret lead to rate_limited, even if only a token is needed", async () => {
    const busy = await startBff({ addressLimits: { guessesPerMinute: 1_000, publicCallsPerMinute: 2 } });
    const read = () => busy.callSpotApi(spotEndpoints.readWidgetToken, { params: { token: orderHashExample } });
    expect((await read()).status).toBe(404);
    expect((await read()).status).toBe(404);
    const { status, body } = await read();
    expect([status, body.code]).toEqual([429, "rate_limited"]);
    for (const { name, endpoint } of endpoints.filter((each) => isOpenToAnybody(each.endpoint))) {
      const answer = await callAnonymously(busy, name, endpoint, goodBody(name, endpoint));
      expect([name, answer.status, answer.body.code]).toEqual([name, 429, "rate_limited"]);
    }
    await busy.close();
  });
});
