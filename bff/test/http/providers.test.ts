import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { SANDBOX_COMMISSION_TAX } from "../../sandbox/commission-tax.ts";
import { orderEndpoints } from "../../src/contract/order-endpoints.ts";
import { spotEndpoints } from "../../src/contract/spot-endpoints.ts";
import { rotateCredential, webhookSecretsBeside } from "../../src/tenants/credentials.ts";
import {
  changeProvider,
  createProvider,
  setActive,
  setOrigins,
  setReturnUrls,
} from "../../src/tenants/manage-provider.ts";
import { OriginNotSecure } from "../../src/tenants/provider-terms.ts";
import { findProvider, ProviderNotFound, publicCredentials, showCredentials } from "../../src/tenants/providers.ts";
import { startBff, type TestBff, type TestProvider } from "../start-bff.ts";
import { orderBody, PATIENTS } from "./orders/orders-world.ts";

let bff: TestBff;
beforeAll(async () => {
  bff = await startBff();
});
afterAll(() => bff.close());

let clinic: TestProvider;
beforeEach(async () => {
  clinic = await bff.createProvider();
});

function operations() {
  return { ...bff.context, db: bff.database.db, environment: "staging" as const, actor: "operator:test" };
}

const unknownHash = "5a4f0c1e-0000-4000-8000-000000000001";
/** 404 proves that the credential was valid, because only the order does not exist. */
async function tryOrder(bearer: string): Promise<number> {
  const authorization = `Bearer ${bearer}`;
  const answer = await bff.callOrderApi(orderEndpoints.getOrder, {
    params: { hash: unknownHash },
    headers: { authorization },
  });
  return answer.status;
}

async function trySpot(publicKey: string) {
  return bff.callSpotApi(spotEndpoints.profile, { query: { public_key: publicKey } });
}

describe("credentials", () => {
  it("have the decided form, without an environment", () => {
    expect(clinic.credentials.client_secret).toMatch(/^cs_[\w-]{43}$/);
    expect(clinic.credentials.client_id).toMatch(/^ci_[\w-]{22}$/);
    expect(clinic.credentials.public_key).toMatch(/^PK_[\w-]{22}$/);
    expect(clinic.credentials.webhook_secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(clinic.credentials.secret_key).toMatch(/^ak_[\w-]{43}$/);
  });

  it("are stored in a form from which no secret can be derived", async () => {
    const { rows } = await sql<{ text: string }>`select credentials::text as text from credentials
      union all select audit_log::text from audit_log`.execute(bff.database.db);
    const all = rows.map(({ text }) => text).join("\n");
    for (const kind of ["client_secret", "webhook_secret", "secret_key"] as const) {
      expect(all).not.toContain(clinic.credentials[kind]);
      expect(all).not.toContain(clinic.credentials[kind].replace(/^[a-z]+_/, ""));
    }
    expect(all).toContain(clinic.credentials.client_id);
  });

  it("open their own endpoints", async () => {
    expect(await tryOrder(clinic.credentials.client_secret)).toBe(404);
    expect(await tryOrder(clinic.credentials.client_id)).toBe(404);
    expect((await trySpot(clinic.credentials.public_key)).body).toMatchObject({ environment: "staging" });
  });

  it.each(["public_key", "secret_key", "webhook_secret"] as const)("a %s as bearer is 401", async (kind) => {
    expect(await tryOrder(clinic.credentials[kind])).toBe(401);
  });

  it.each([
    ["nothing", ""],
    ["an unknown one", `cs_${"x".repeat(43)}`],
    ["a very long one", `cs_${"x".repeat(5_000)}`],
    ["another scheme's", "dXNlcjpwYXNz"],
  ])("%s as bearer is 401", async (_what, value) => {
    expect(await tryOrder(value)).toBe(401);
  });

  it("a credential in the wrong place gives 401", async () => {
    const answer = await bff.callOrderApi(orderEndpoints.getOrder, {
      params: { hash: unknownHash },
      query: { client_id: clinic.credentials.client_id },
    });
    expect([answer.status, answer.body.code]).toEqual([401, "invalid_credential"]);
    expect(answer.headers.get("www-authenticate")).toBe("Bearer");
  });

  it("client_id is no client_secret", async () => {
    const answer = await bff.callOrderApi(orderEndpoints.createOrder, { as: clinic, using: "client_id", body: {} });
    expect([answer.status, answer.body.code]).toEqual([401, "invalid_credential"]);
  });

  it("401 comes before an unreadable body, and nothing of the body is read", async () => {
    const answer = await bff.callOrderApi(orderEndpoints.createOrder, {
      rawBody: "{",
      headers: { "content-type": "application/json" },
    });
    expect(answer.status).toBe(401);
  });

  it("errors of spot endpoints have that API's own texts", async () => {
    const answer = await trySpot("PK_unknown");
    expect([answer.status, answer.body]).toEqual([
      401,
      { detail: "Invalid or unknown public key", code: "invalid_public_key" },
    ]);
    const expense = await bff.callSpotApi(spotEndpoints.submitExpense, { query: { rut: "12.345.678-5" } });
    expect([expense.status, expense.body.code]).toEqual([401, "invalid_provider"]);
  });

  it("exclude a public key that is sent twice", async () => {
    const key = clinic.credentials.public_key;
    const answer = await fetch(`${bff.spotApi}/api/profile?public_key=${key}&public_key=${key}`);
    expect(answer.status).toBe(401);
  });

  it("an inactive provider has no valid credentials until it is active again", async () => {
    await setActive(operations(), clinic.provider.id, false);
    expect(await tryOrder(clinic.credentials.client_secret)).toBe(401);
    expect((await trySpot(clinic.credentials.public_key)).status).toBe(401);
    await setActive(operations(), clinic.provider.id, true);
    expect(await tryOrder(clinic.credentials.client_secret)).toBe(404);
  });

  it("a credential of the other environment is 401", async () => {
    const { credentials } = await createProvider(
      { ...operations(), environment: "production" },
      {
        name: "Clínica Los Aromos del Sur SpA",
        rut: "76.900.001-1",
        commissionPercentage: 7,
        commissionTax: SANDBOX_COMMISSION_TAX,
        supportEmail: "pagos@losaromos.example.com",
      },
    );
    for (const { kind, value } of credentials) {
      if (kind === "client_secret" || kind === "client_id") expect(await tryOrder(value)).toBe(401);
      if (kind === "public_key") expect((await trySpot(value)).status).toBe(401);
    }
  });
});

describe("rotation", () => {
  it("ends the old credential at once without an overlap", async () => {
    const issued = await rotateCredential(operations(), {
      providerId: clinic.provider.id,
      kind: "client_secret",
      overlapMs: 0,
    });
    expect(await tryOrder(issued.value)).toBe(404);
    expect(await tryOrder(clinic.credentials.client_secret)).toBe(401);
  });

  it("keeps both credentials valid during an overlap", async () => {
    const providerId = clinic.provider.id;
    const issued = await rotateCredential(operations(), { providerId, kind: "public_key", overlapMs: 60_000 });
    expect((await trySpot(clinic.credentials.public_key)).status).toBe(200);
    expect((await trySpot(issued.value)).status).toBe(200);
    expect(await publicCredentials({ ...operations() }, providerId)).toMatchObject({ publicKey: issued.value });
    await bff.advance(60_000);
    expect((await trySpot(clinic.credentials.public_key)).status).toBe(401);
    expect((await trySpot(issued.value)).status).toBe(200);
  });

  it("keeps the old webhook secret first until the overlap ends", async () => {
    const providerId = clinic.provider.id;
    const secrets = webhookSecretsBeside(bff.context);
    const issued = await rotateCredential(operations(), { providerId, kind: "webhook_secret", overlapMs: 60_000 });
    const read = async () => {
      const at = sql`${bff.clock.now()}::timestamptz`;
      const endpoint = { providerId: sql`${providerId}::uuid`, endpointId: sql`${unknownHash}::uuid`, at };
      const { rows } = await sql<{ secrets: unknown }>`select ${secrets.column(endpoint)} as secrets`.execute(
        bff.database.db,
      );
      return secrets.read(rows[0]?.secrets);
    };
    expect(await read()).toEqual([clinic.credentials.webhook_secret, issued.value]);
    await bff.advance(60_000);
    expect(await read()).toEqual([issued.value]);
  });

  it("is audited with its actor and without the value", async () => {
    await rotateCredential(operations(), { providerId: clinic.provider.id, kind: "secret_key", overlapMs: 0 });
    const rows = await bff.database.db
      .selectFrom("audit_log")
      .select(["actor", "act", "details"])
      .where("provider_id", "=", clinic.provider.id)
      .where("act", "=", "credential.rotated")
      .execute();
    expect(rows).toEqual([
      {
        actor: "operator:test",
        act: "credential.rotated",
        details: { kind: "secret_key", credential_id: expect.any(String) },
      },
    ]);
  });

  it("is refused for an unknown provider and leaves nothing behind", async () => {
    const rotation = { providerId: unknownHash, kind: "client_id", overlapMs: 0 } as const;
    await expect(rotateCredential(operations(), rotation)).rejects.toThrow(ProviderNotFound);
  });
});

describe("origins", () => {
  it("are stored as origins, each once, in the given order", async () => {
    const origins = await setOrigins(operations(), clinic.provider.id, [
      "https://B.example",
      "https://a.example:443",
      "http://127.0.0.1:4000",
      "https://a.example",
    ]);
    expect(origins).toEqual(["https://b.example", "https://a.example", "http://127.0.0.1:4000"]);
    expect((await findProvider(bff.database.db, clinic.provider.id))?.origins).toEqual(origins);
  });

  it.each(["https://a.example/path", "*", "https://*.example", "ftp://a.example", "null", "javascript:alert(1)"])(
    "%s is refused",
    async (origin) => {
      await expect(setOrigins(operations(), clinic.provider.id, [origin])).rejects.toThrow();
      expect((await findProvider(bff.database.db, clinic.provider.id))?.origins).toEqual(clinic.provider.origins);
    },
  );

  it("must use HTTPS in production", async () => {
    const production = { ...operations(), environment: "production" as const };
    await expect(setOrigins(production, clinic.provider.id, ["http://a.example"])).rejects.toThrow(OriginNotSecure);
  });
});

describe("return URLs", () => {
  it("are kept in one form, each once, and audited", async () => {
    const urls = ["https://A.example", "https://a.example/", "cl.clinic.app:/paid?from=aapd"];
    const kept = await setReturnUrls(operations(), clinic.provider.id, urls);
    expect(kept).toEqual(["https://a.example/", "cl.clinic.app:/paid?from=aapd"]);
    expect((await findProvider(bff.database.db, clinic.provider.id))?.returnUrls).toEqual(kept);
    await setReturnUrls(operations(), clinic.provider.id, []);
  });

  it.each([
    "clinic:/paid",
    "javascript:alert(1)",
    "intent://x",
    "https://u@a.example",
    "https://a.example/#x",
    "/paid",
  ])("%s is refused", async (url) => {
    await expect(setReturnUrls(operations(), clinic.provider.id, [url])).rejects.toThrow();
  });

  it("must use HTTPS in production, except an app's own scheme", async () => {
    const production = { ...operations(), environment: "production" as const };
    const set = (url: string) => setReturnUrls(production, clinic.provider.id, [url]);
    await expect(set("http://a.example/paid")).rejects.toThrow(OriginNotSecure);
    await expect(set("cl.clinic.app:/paid")).resolves.toEqual(["cl.clinic.app:/paid"]);
    await expect(setReturnUrls(operations(), unknownHash, [])).rejects.toThrow(ProviderNotFound);
  });
});

describe("a provider's terms", () => {
  const commissionOf = async (reference: string) => {
    const body = orderBody({ total: 100_000, rut: "12.345.678-5", reference });
    const { status, body: order } = await bff.callOrderApi(orderEndpoints.createOrder, { as: clinic, body });
    expect(status).toBe(201);
    return { hash: order.hash, percentage: order.plan.data.commission.percentage };
  };
  const change = (input: Parameters<typeof changeProvider>[2]) =>
    changeProvider(operations(), clinic.provider.id, input);
  const stored = () => findProvider(bff.database.db, clinic.provider.id);

  it("apply to new orders, also of known callers: an existing order keeps its commission", async () => {
    const before = await commissionOf("before");
    await change({ commissionPercentage: 5.9 });
    expect(await commissionOf("after")).toMatchObject({ percentage: 5.9 });
    const { body } = await bff.callOrderApi(orderEndpoints.getOrder, { as: clinic, params: { hash: before.hash } });
    expect(body.plan.data.commission.percentage).toBe(before.percentage);
  });

  it("appear in the next widget", async () => {
    await change({
      name: "Clínica Mirador SpA",
      logoUrl: "https://cdn.example/logo.svg",
      supportEmail: "ayuda@mirador.example",
      supportPhone: null,
      supportWhatsapp: "9 8765 4321",
      appearance: { accent: "#0a7d55", radius: "large", density: "compact", labels: "inside" },
    });
    const minted = await bff.callSpotApi(spotEndpoints.mintWidgetToken, {
      query: { public_key: clinic.credentials.public_key },
      body: {},
    });
    const { body: session } = await bff.callSpotApi(spotEndpoints.readWidgetToken, {
      params: { token: minted.body.widget_token },
    });
    expect(session.provider).toMatchObject({
      name: "Clínica Mirador SpA",
      logo_url: "https://cdn.example/logo.svg",
      support: { email: "ayuda@mirador.example", phone: null, whatsapp: "+56987654321" },
      appearance: { accent: "#0a7d55", radius: "large", density: "compact", labels: "inside" },
    });
  });

  it("keep the fields that a change does not name; optional ones can be removed", async () => {
    await change({ appearance: { accent: "#0a7d55", font: "serif" }, unpaidOrderExpiryMinutes: 60 });
    await change({ appearance: { accent: null, color_scheme: "dark" }, captureFirst: true });
    const before = clinic.provider;
    expect(await stored()).toEqual({
      ...before,
      appearance: { font: "serif", color_scheme: "dark" },
      settings: { ...before.settings, captureFirst: true, unpaidOrderExpiryMinutes: 60 },
    });
    await change({ unpaidOrderExpiryMinutes: null });
    expect((await stored())?.settings.unpaidOrderExpiryMinutes).toBeNull();
  });

  it("are audited with the previous value and the actor", async () => {
    await change({ commissionPercentage: 5.9 });
    const row = await bff.database.db
      .selectFrom("audit_log")
      .select(["actor", "details"])
      .where("provider_id", "=", clinic.provider.id)
      .where("act", "=", "provider.changed")
      .executeTakeFirstOrThrow();
    const { commissionBasisPoints } = clinic.provider.settings;
    expect(row).toMatchObject({
      actor: "operator:test",
      details: { from: { commissionBasisPoints }, to: { commissionBasisPoints: 590 } },
    });
  });

  it("keep both of two concurrent changes", async () => {
    await Promise.all([change({ name: "Clínica Mirador SpA" }), change({ commissionPercentage: 5.9 })]);
    expect(await stored()).toMatchObject({ name: "Clínica Mirador SpA", settings: { commissionBasisPoints: 590 } });
  });

  it.each([
    ["a commission above 100 %", { commissionPercentage: 101 }],
    ["no commission", { commissionPercentage: null }],
    ["no name", { name: " " }],
    ["an invalid colour", { appearance: { accent: "green" } }],
    ["an invalid density", { appearance: { density: "dense" } }],
    ["labels that stand nowhere", { appearance: { labels: "below" } }],
    ["a logo that is not an address", { logoUrl: "javascript:alert(1)" }],
    ["an expiry at once", { unpaidOrderExpiryMinutes: 0 }],
    ["another RUT", { rut: "76.900.001-1" }],
  ])("are refused with %s and stay unchanged", async (_what, wrong) => {
    // @ts-expect-error: what the type refuses is refused at run time too.
    await expect(change(wrong)).rejects.toThrow();
    expect(await stored()).toEqual(clinic.provider);
  });

  it("are refused for an unknown provider", async () => {
    await expect(changeProvider(operations(), unknownHash, { name: "Nadie" })).rejects.toThrow(ProviderNotFound);
  });
});

it("a provider shows its public credentials in full and secrets by their last four characters", async () => {
  const shown = await showCredentials(operations(), clinic.provider.id);
  expect(shown.map(({ kind, value, hint }) => ({ kind, value, hint }))).toEqual(
    expect.arrayContaining([
      { kind: "client_id", value: clinic.credentials.client_id, hint: clinic.credentials.client_id.slice(-4) },
      { kind: "client_secret", value: null, hint: clinic.credentials.client_secret.slice(-4) },
    ]),
  );
});

it.each([
  ["no commission", { commissionPercentage: undefined }],
  ["a commission above 100 %", { commissionPercentage: 101 }],
  ["a commission with three decimals", { commissionPercentage: 1.005 }],
  ["a malformed RUT", { rut: "76.900.001-2" }],
  ["no name", { name: " " }],
])("a provider with %s is not created", async (_what, wrong) => {
  const input = {
    name: "Clínica",
    rut: "76.900.001-1",
    commissionPercentage: 7,
    commissionTax: SANDBOX_COMMISSION_TAX,
    supportEmail: "pagos@losaromos.example.com",
    ...wrong,
  };
  // @ts-expect-error: what the type refuses is refused at run time too.
  await expect(createProvider(operations(), input)).rejects.toThrow();
});

describe("calls from partners' pages", () => {
  const origin = "https://losaromos.example.com";
  const profile = (key: string) => `${bff.spotApi}/api/profile?public_key=${key}`;

  it("are answered to the provider's own origins if their credentials are public, without cookies", async () => {
    const answer = await fetch(profile(clinic.credentials.public_key), { headers: { origin } });
    expect(answer.headers.get("access-control-allow-origin")).toBe(origin);
    expect(answer.headers.get("access-control-allow-credentials")).toBeNull();
    expect(answer.headers.get("vary")).toContain("Origin");
  });

  it("from another origin are not readable", async () => {
    const headers = { origin: "https://evil.example" };
    const answer = await fetch(profile(clinic.credentials.public_key), { headers });
    expect(answer.headers.get("access-control-allow-origin")).toBeNull();
  });

  it("another provider's origin is another origin", async () => {
    const other = await bff.createProvider({ origins: ["https://mirador.example"] });
    const headers = { origin: "https://mirador.example" };
    const mine = await fetch(profile(clinic.credentials.public_key), { headers });
    expect(mine.headers.get("access-control-allow-origin")).toBeNull();
    const theirs = await fetch(profile(other.credentials.public_key), { headers });
    expect(theirs.headers.get("access-control-allow-origin")).toBe("https://mirador.example");
  });

  it("can read a 429 and its wait, whatever their origin", async () => {
    const addressLimits = { guessesPerMinute: 100, publicCallsPerMinute: 2 };
    const limited = await startBff({ addressLimits });
    const { credentials } = await limited.createProvider({ origins: [origin] });
    const ask = () =>
      fetch(`${limited.orderApi}/orders/${unknownHash}/payment`, {
        method: "POST",
        headers: { origin, authorization: `Bearer ${credentials.client_id}` },
      });
    for (let time = 0; time < 2; time += 1) expect((await ask()).status).toBe(404);
    const look = () =>
      fetch(`${limited.spotApi}/api/profile?public_key=${credentials.public_key}`, { headers: { origin } });
    for (const refused of [await ask(), await look()]) {
      expect(refused.status).toBe(429);
      const { headers } = refused;
      expect(headers.get("access-control-allow-origin")).toBe(origin);
      expect(headers.get("access-control-expose-headers")).toContain("RateLimit-Policy");
      expect([headers.get("ratelimit-limit"), headers.get("ratelimit-remaining")]).toEqual(["2", "0"]);
      expect(headers.get("ratelimit-policy")).toBe("2;w=60");
      expect(headers.get("ratelimit-reset")).toBe(headers.get("retry-after"));
    }
    await limited.close();
  });

  it("send a preflight first", async () => {
    const preflight = (url: string, from: string) =>
      fetch(url, { method: "OPTIONS", headers: { origin: from, "access-control-request-method": "POST" } });
    const mint = `${bff.spotApi}/api/spot/widget?public_key=${clinic.credentials.public_key}`;
    const allowed = await preflight(mint, origin);
    expect(allowed.status).toBe(204);
    expect(allowed.headers.get("access-control-allow-origin")).toBe(origin);
    expect(allowed.headers.get("access-control-allow-methods")).toBe("POST");
    expect((await preflight(mint, "https://evil.example")).headers.get("access-control-allow-origin")).toBeNull();
    const step = `${bff.orderApi}/orders/${unknownHash}/payment`;
    expect((await preflight(step, origin)).headers.get("access-control-allow-origin")).toBe(origin);
  });

  it("get the request's id and security headers, even for preflights", async () => {
    const { headers } = await fetch(profile(clinic.credentials.public_key), {
      method: "OPTIONS",
      headers: { origin, "x-request-id": "a-question-before", "access-control-request-method": "GET" },
    });
    expect(headers.get("x-request-id")).toBe("a-question-before");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(headers.get("cache-control")).toBe("no-store");
  });

  it("can read an order with client_id, and not with client_secret", async () => {
    const body = orderBody({ total: 40_000, rut: PATIENTS.good, reference: crypto.randomUUID() });
    const { hash } = (await bff.callOrderApi(orderEndpoints.createOrder, { as: clinic, body })).body;
    const url = `${bff.orderApi}/orders/${hash}`;
    const read = (credential: string) => fetch(url, { headers: { origin, authorization: `Bearer ${credential}` } });
    const byPage = await read(clinic.credentials.client_id);
    expect([byPage.status, byPage.headers.get("access-control-allow-origin")]).toEqual([200, origin]);
    expect(await byPage.text()).toContain("•");
    const bySecret = await read(clinic.credentials.client_secret);
    expect([bySecret.status, bySecret.headers.get("access-control-allow-origin")]).toEqual([200, null]);
    const preflight = await fetch(url, {
      method: "OPTIONS",
      headers: { origin, "access-control-request-method": "GET", "access-control-request-headers": "authorization" },
    });
    expect(preflight.headers.get("access-control-allow-origin")).toBe(origin);
    expect(preflight.headers.get("access-control-allow-headers")).toContain("Authorization");
  });

  it("are answered to no origin if their credentials are secret", async () => {
    const headers = { origin, authorization: `Bearer ${clinic.credentials.client_secret}` };
    const answer = await fetch(`${bff.orderApi}/orders/${unknownHash}`, { headers });
    expect(answer.headers.get("access-control-allow-origin")).toBeNull();
    const preflight = await fetch(`${bff.orderApi}/orders`, { method: "OPTIONS", headers: { origin } });
    expect(preflight.headers.get("access-control-allow-origin")).toBeNull();
  });
});
