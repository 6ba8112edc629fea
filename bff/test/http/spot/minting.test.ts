import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { orderEndpoints } from "../../../src/contract/order-endpoints.ts";
import { spotEndpoints } from "../../../src/contract/spot-endpoints.ts";
import { registerPatient } from "../../registered-patient.ts";
import { startBff, type TestBff, type TestProvider } from "../../start-bff.ts";
import { auditOf } from "../audit-of.ts";
import { type Checkout, checkoutOf } from "../orders/checkout.ts";
import { orderBody, PATIENTS } from "../orders/orders-world.ts";
import { CAMILA, given } from "./people.ts";

const LOOKUPS_MAX = 5;
const CENTRE = { rut: "76.902.223-6", name: "Centro Ñuñoa", email: "nunoa@example.com" };

let bff: TestBff;
let checkout: Checkout;
let meta: TestProvider;
beforeAll(async () => {
  const addressLimits = { guessesPerMinute: 1e6, publicCallsPerMinute: 1e6, patientLookupsPerTenMinutes: LOOKUPS_MAX };
  bff = await startBff({ addressLimits, environment: { TRUSTED_PROXIES: "1" } });
  checkout = checkoutOf(bff);
  meta = await bff.createProvider({ name: "Red Salud Quillay", rut: "96.900.001-6", meta: true });
  await bff.callSpotApi(spotEndpoints.upsertCenters, { as: meta, body: { centers: [CENTRE] } });
});
afterAll(() => bff.close());

let addresses = 0;
/** Each call comes from another network, unless the test names one. */
function from(address?: string) {
  addresses += 1;
  return { "x-forwarded-for": address ?? `198.51.100.${addresses}` };
}
const bearer = (value: string) => ({ authorization: `Bearer ${value}` });
const mint = (body: object, as: TestProvider = bff.clinic, headers: Record<string, string> = from()) =>
  bff.callSpotApi(spotEndpoints.mintWidgetToken, { as, body, headers });
const tokenOf = async (body: object, as?: TestProvider): Promise<string> => (await mint(body, as)).body.widget_token;
const read = (token: string) => bff.callWidgetHost(spotEndpoints.readWidgetToken, { params: { token } });
const revoke = (token: string, as: TestProvider = bff.clinic) =>
  bff.callSpotApi(spotEndpoints.revokeWidgetToken, { as, params: { token } });
const codeOf = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code];

describe("the sub-clinic of a minted checkout", () => {
  async function orderOfCentre(): Promise<string> {
    const body = {
      ...orderBody({ total: 40_000, rut: PATIENTS.good, reference: crypto.randomUUID() }),
      provider_rut: CENTRE.rut,
    };
    return (await bff.callOrderApi(orderEndpoints.createOrder, { as: meta, body })).body.hash;
  }
  const providerOf = async (body: object) => (await read(await tokenOf(body, meta))).body.provider;

  it("is the order's centre if provider_data is left out", async () => {
    expect(await providerOf({ order_token: await orderOfCentre() })).toMatchObject({ name: CENTRE.name });
  });

  it("follows provider_data, and the centre for omitted fields", async () => {
    const order_token = await orderOfCentre();
    const logo_url = "https://red.example/logo.png";
    expect(await providerOf({ order_token, provider_data: { logo_url } })).toMatchObject({
      name: CENTRE.name,
      logo_url,
    });
    expect(await providerOf({ order_token, provider_data: { name: "Sede Plaza" } })).toMatchObject({
      name: "Sede Plaza",
    });
  });

  it("does not take a name from the order's centre if provider_data names another RUT", async () => {
    const provider_data = { rut: "76.900.003-8" };
    const provider = await providerOf({ order_token: await orderOfCentre(), provider_data });
    expect(provider.name).not.toBe(CENTRE.name);
  });

  it("is the network if there is no order", async () => {
    expect(await providerOf({})).toMatchObject({ name: meta.provider.name });
  });
});

describe("minting with client_secret", () => {
  it("is not limited by address, as minting without it is", async () => {
    const one = from("203.0.113.9");
    for (let minted = 0; minted < LOOKUPS_MAX; minted += 1) expect((await mint({}, bff.clinic, one)).status).toBe(201);
    expect(codeOf(await mint({}, bff.clinic, one))).toEqual([429, "rate_limited"]);
    const withSecret = { ...one, ...bearer(bff.clinic.credentials.client_secret) };
    for (let minted = 0; minted <= LOOKUPS_MAX; minted += 1)
      expect((await mint({}, bff.clinic, withSecret)).status).toBe(201);
  });

  it("401 invalid_credential for a wrong one, for another provider's, and for a credential of another kind", async () => {
    const { client_id, secret_key } = bff.clinic.credentials;
    for (const wrong of ["cs_unknown", meta.credentials.client_secret, client_id, secret_key])
      expect(codeOf(await mint({}, bff.clinic, { ...from(), ...bearer(wrong) }))).toEqual([401, "invalid_credential"]);
  });

  it("ignores an Authorization of another scheme", async () => {
    expect((await mint({}, bff.clinic, { ...from(), authorization: "Basic cHJveHk6eA==" })).status).toBe(201);
  });

  it("still needs the public_key", async () => {
    const headers = { ...from(), ...bearer(bff.clinic.credentials.client_secret) };
    const answer = await bff.callSpotApi(spotEndpoints.mintWidgetToken, { body: {}, headers });
    expect(codeOf(answer)).toEqual([401, "invalid_public_key"]);
  });
});

describe("409 order_of_another_patient", () => {
  it.each([{ rut: "12.345.678-5" }, { user_data: { rut: "12.345.678-5" } }])(
    "for %j, and nothing is minted",
    async (sent) => {
      const order_token = await checkout.newOrder({ rut: CAMILA.rut });
      expect(codeOf(await mint({ order_token, ...sent }))).toEqual([409, "order_of_another_patient"]);
      const minted = bff.database.db.selectFrom("widget_tokens").where("order_id", "=", order_token as never);
      expect(await minted.select("id").execute()).toEqual([]);
      expect((await mint({ order_token, rut: CAMILA.rut })).status).toBe(201);
    },
  );
});

describe("DELETE /api/spot/widget/{token}", () => {
  it("200 ends the token everywhere, and a repeat changes nothing", async () => {
    const order_token = await checkout.newOrder({ rut: CAMILA.rut });
    const token = await tokenOf({ order_token });
    for (let tries = 0; tries < 2; tries += 1) {
      expect(await revoke(token)).toMatchObject({ status: 200, body: { status: "revoked" } });
      bff.clock.advance(1_000);
    }
    expect(codeOf(await read(token))).toEqual([410, "widget_token_revoked"]);
    const page = await fetch(
      `${bff.widgetHost}/?widget_token=${token}&public_key=${bff.clinic.credentials.public_key}`,
    );
    const text = await page.text();
    expect(text).toContain('"code":"widget_token_revoked"');
    expect(text).not.toContain(order_token);
    const [row] = await bff.database.db
      .selectFrom("widget_tokens")
      .selectAll()
      .where("order_id", "=", order_token as never)
      .execute();
    expect(await auditOf(bff.database.db, row?.id ?? "")).toMatchObject([
      { act: "widget_token.revoked", actor: "credential:client_secret" },
    ]);
    // The order is not used up: another token opens it.
    expect((await read(await tokenOf({ order_token }))).body.order_token).toBe(order_token);
  });

  const inSession = {
    reportShown: {},
    registerPatient: { ...CAMILA, consents: given("onboarding") },
    startRecovery: { rut: CAMILA.rut, way: "email_code" },
    verifyRecovery: { rut: CAMILA.rut, code: "123456" },
    giveInsurerAccess: {
      insurer: "colmena",
      sealed_insurer_access: "eyJhbGciOiJSU0EifQ.a1-_.b2.c3.d4",
      consents: given("onboarding", "insurer_access"),
    },
  } as const;

  it.each(Object.keys(inSession) as (keyof typeof inSession)[])("ends %s with 410", async (name) => {
    if (name === "startRecovery") await registerPatient(bff, bff.clinic, { rut: CAMILA.rut });
    const needsOrder = name === "giveInsurerAccess";
    const token = await tokenOf(needsOrder ? { order_token: await checkout.newOrder({ rut: CAMILA.rut }) } : {});
    await revoke(token);
    const body = { ...inSession[name], widget_token: token };
    const answer = await bff.callSpotApi(spotEndpoints[name], { as: bff.clinic, body, headers: from() });
    expect(codeOf(answer)).toEqual([410, "widget_token_revoked"]);
  });

  it("410 for a used and for an expired token, whose state does not change", async () => {
    const used = await tokenOf({});
    const signUp = { ...CAMILA, consents: given("onboarding"), widget_token: used };
    await bff.callSpotApi(spotEndpoints.registerPatient, { as: bff.clinic, body: signUp, headers: from() });
    expect(codeOf(await revoke(used))).toEqual([410, "widget_token_used"]);
    expect(codeOf(await read(used))).toEqual([410, "widget_token_used"]);
    const expired = await tokenOf({ expires_in_minutes: 15 });
    bff.clock.advance(15 * 60_000);
    expect(codeOf(await revoke(expired))).toEqual([410, "widget_token_expired"]);
  });

  it("404 for a malformed, an unknown and another provider's token, which still opens", async () => {
    const theirs = await tokenOf({}, meta);
    for (const token of ["x", crypto.randomUUID(), theirs])
      expect(codeOf(await revoke(token))).toEqual([404, "widget_token_not_found"]);
    expect((await read(theirs)).status).toBe(200);
  });

  it("401 without client_secret", async () => {
    const token = await tokenOf({});
    const call = { as: bff.clinic, using: "client_id", params: { token } } as const;
    expect(codeOf(await bff.callSpotApi(spotEndpoints.revokeWidgetToken, call))).toEqual([401, "invalid_credential"]);
  });

  it("is 404 on the widget host", async () => {
    const url = `${bff.widgetHost}/api/spot/widget/${await tokenOf({})}`;
    const headers = bearer(bff.clinic.credentials.client_secret);
    expect((await fetch(url, { method: "DELETE", headers })).status).toBe(404);
  });
});
