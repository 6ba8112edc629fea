import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { spotEndpoints } from "../../../src/contract/spot-endpoints.ts";
import {
  PATIENT_LOOKUPS_OF_PROVIDER_PER_DAY_EXPECTED,
  RECEIPTS_OF_PATIENT_PER_HOUR_MAX,
} from "../../../src/contract/terms.ts";
import { HOUR_MS, SECOND_MS } from "../../../src/contract/vocabulary/durations.ts";
import { validateIdentity } from "../../../src/orders/identity/validate-identity.ts";
import { createLogger } from "../../../src/platform/logger.ts";
import { registerPatient } from "../../registered-patient.ts";
import { startBff, type TestBff, type TestProvider } from "../../start-bff.ts";
import { type Checkout, checkoutOf } from "../orders/checkout.ts";
import { type OrdersWorld, startOrdersWorld } from "../orders/orders-world.ts";
import { CAMILA, given } from "../spot/people.ts";

/* A stranger knows the clinic's public key, which is in its pages, and a patient's RUT. The patient has an order. */

let bff: TestBff;
let checkout: Checkout;
const lines: string[] = [];
beforeAll(async () => {
  bff = await startBff({
    logger: createLogger({ level: "warn", destination: { write: (line) => lines.push(line) } }),
    addressLimits: { guessesPerMinute: 1e6, publicCallsPerMinute: 1e6, patientLookupsPerTenMinutes: 200 },
    environment: { TRUSTED_PROXIES: "1" },
  });
  checkout = checkoutOf(bff);
});
afterAll(() => bff.close());

const from = (address: string) => ({ headers: { "x-forwarded-for": address } });
async function mint(body: object = {}): Promise<string> {
  return (await bff.callSpotApi(spotEndpoints.mintWidgetToken, { as: bff.clinic, body })).body.widget_token;
}
const call = (name: "registerPatient" | "startRecovery" | "verifyRecovery", body: object, address: string) =>
  bff.callSpotApi(spotEndpoints[name], { as: bff.clinic, body, ...from(address) });

describe("attempts to lock a chosen patient out of her checkout", () => {
  const STRANGER = "203.0.113.66";
  const PATIENT = "198.51.100.7";

  it("do not use up the limits of her order", async () => {
    await registerPatient(bff, bff.clinic, { rut: CAMILA.rut, email: "camila.antes@example.com" });
    const signUp = { ...CAMILA, consents: given("onboarding") };
    const strangers = await mint({ rut: CAMILA.rut });
    for (let tries = 0; tries < 32; tries += 1) {
      await call("registerPatient", { ...signUp, widget_token: strangers }, STRANGER);
      await call("startRecovery", { rut: CAMILA.rut, way: "email_code", widget_token: strangers }, STRANGER);
    }
    for (let tries = 0; tries < 62; tries += 1)
      await call("verifyRecovery", { rut: CAMILA.rut, code: "000000", widget_token: strangers }, STRANGER);
    const serial = { way: "identity", document_serial: "100.000.001", email: "otra@example.com" };
    for (let tries = 0; tries < 6; tries += 1)
      await call("startRecovery", { rut: CAMILA.rut, ...serial, widget_token: await mint() }, STRANGER);

    const order_token = await checkout.newOrder({ rut: CAMILA.rut });
    const hers = await mint({ order_token });
    const signedUp = await call("registerPatient", { ...signUp, widget_token: hers }, PATIENT);
    expect([signedUp.status, signedUp.body.code]).toEqual([409, "RUT_OTHER_EMAIL"]);
    const sent = await call("startRecovery", { rut: CAMILA.rut, way: "email_code", widget_token: hers }, PATIENT);
    expect(sent.status).toBe(202);
    const tried = await call("verifyRecovery", { rut: CAMILA.rut, code: "000000", widget_token: hers }, PATIENT);
    expect([tried.status, tried.body.attempts_left]).toEqual([422, 4]);
  });

  it("negative control: limits by RUT alone still apply, as do the limits of her order", async () => {
    const strangers = await mint({ rut: CAMILA.rut });
    const again = { rut: CAMILA.rut, way: "email_code", widget_token: strangers };
    expect((await call("startRecovery", again, STRANGER)).status).toBe(429);
    const hers = await mint({ order_token: await checkout.newOrder({ rut: CAMILA.rut }) });
    const statuses: number[] = [];
    for (let tries = 0; tries < 31; tries += 1)
      statuses.push(
        (await call("registerPatient", { ...CAMILA, consents: given("onboarding"), widget_token: hers }, PATIENT))
          .status,
      );
    expect([statuses.at(-2), statuses.at(-1)]).toEqual([409, 429]);
  });

  it("a sign-up refused for missing data uses up no limit", async () => {
    const rut = "40237731-3";
    const widget_token = await mint({ rut });
    for (let tries = 0; tries < 31; tries += 1)
      expect((await call("registerPatient", { ...CAMILA, rut, consents: [], widget_token }, STRANGER)).body.code).toBe(
        "consents_missing",
      );
    const signUp = { ...CAMILA, rut, consents: given("onboarding"), widget_token };
    expect((await call("registerPatient", signUp, STRANGER)).status).toBe(201);
  });

  it("a stranger's requests for links to her data leave hers working", async () => {
    const ask = (address: string) =>
      bff.callSpotApi(spotEndpoints.sendDataLink, { as: bff.clinic, body: { rut: CAMILA.rut }, ...from(address) });
    for (let tries = 0; tries < 11; tries += 1) await ask(STRANGER);
    expect((await ask(STRANGER)).status).toBe(429);
    expect((await ask(PATIENT)).status).toBe(202);
  });
});

describe("five wrong serials at another clinic", () => {
  let world: OrdersWorld;
  beforeAll(async () => {
    world = await startOrdersWorld();
  });
  afterAll(() => world.stop());

  it("do not count at her clinic, in production too", async () => {
    const validate = (
      at: TestProvider["provider"],
      order: Awaited<ReturnType<OrdersWorld["createOrder"]>>,
      documentSerial: string,
    ) =>
      validateIdentity(world.dependencies, {
        provider: at,
        order,
        documentSerial,
        documentType: "CEDULA",
        now: world.clock.now(),
      });
    const inProduction = () => ({ ...world.newProvider(), environment: "production" as const });
    const clinic = inProduction();
    const other = inProduction();
    const [hers, theirs] = [await world.createOrder(clinic), await world.createOrder(other)];
    for (let tries = 0; tries < 5; tries += 1) await validate(other, theirs, "100.000.001").catch(() => undefined);
    await expect(validate(other, theirs, "123.456.789")).rejects.toMatchObject({ code: "identity_attempts_exhausted" });
    expect((await validate(clinic, hers, "123.456.789")).identityValidatedAt).not.toBeNull();
  });
});

describe("calls that show who is registered", () => {
  const asked = [
    ["isUserSubscribed", { query: { rut: CAMILA.rut } }],
    ["submitExpenseByUrl", { query: { rut: CAMILA.rut }, body: { urls: [] } }],
    ["mintWidgetToken", { body: { rut: CAMILA.rut } }],
  ] as const;
  const logged = () => lines.map((line) => JSON.parse(line)).map(({ event, count }) => [event, count]);

  it("share one limit over all public keys and endpoints of an address; the first refusal is logged", async () => {
    lines.length = 0;
    const clinics = [bff.clinic, await bff.createProvider(), await bff.createProvider()];
    const call = (turn: number, address: string) => {
      const [name, sent] = asked[turn % asked.length] ?? asked[0];
      const as = clinics[Math.floor(turn / asked.length) % clinics.length] ?? bff.clinic;
      return bff.callSpotApi(spotEndpoints[name], { as, ...sent, ...from(address) });
    };
    for (let turn = 0; turn < 200; turn += 1) expect((await call(turn, "203.0.113.9")).status).not.toBe(429);
    for (let turn = 200; turn < 209; turn += 1) expect((await call(turn, "203.0.113.9")).status).toBe(429);
    expect(logged()).toEqual([["patients.looked_up_too_often", 201]]);
    expect((await call(0, "203.0.113.10")).status).not.toBe(429);
  });

  it("are logged once, and not refused, if one clinic has unusually many, since its public key is public", async () => {
    lines.length = 0;
    const clinic = await bff.createProvider();
    const ask = (turn: number) =>
      bff.callSpotApi(spotEndpoints.isUserSubscribed, {
        as: clinic,
        query: { rut: CAMILA.rut },
        ...from(`198.51.100.${turn}`),
      });
    await ask(100);
    const counted = bff.database.db
      .updateTable("rate_limits")
      .set({ points: PATIENT_LOOKUPS_OF_PROVIDER_PER_DAY_EXPECTED });
    await counted.where("key", "like", `patients.looked_up_unusually_often:%:${clinic.provider.id}`).execute();
    expect([(await ask(101)).status, (await ask(102)).status]).toEqual([200, 200]);
    expect(logged()).toEqual([
      ["patients.looked_up_unusually_often", PATIENT_LOOKUPS_OF_PROVIDER_PER_DAY_EXPECTED + 1],
    ]);
  });
});

it("a patient's receipts are limited at one clinic, for an hour", async () => {
  const { db } = bff.database;
  const [clinic, other] = [await bff.createProvider(), await bff.createProvider()];
  for (const each of [clinic, other]) await registerPatient(bff, each, { rut: CAMILA.rut });
  const send = async (as: TestProvider) => {
    const sent = { as, query: { rut: CAMILA.rut }, body: { urls: [] } };
    return (await bff.callSpotApi(spotEndpoints.submitExpenseByUrl, sent)).body.code;
  };
  expect(await send(clinic)).toBe("no_files");
  // As if the clinic had sent all but one of the allowed receipts.
  const counted = db.updateTable("rate_limits").set({ points: RECEIPTS_OF_PATIENT_PER_HOUR_MAX - 1 });
  await counted.where("key", "like", `expenses.rut:%:${clinic.provider.id}`).execute();
  expect([await send(clinic), await send(clinic), await send(other)]).toEqual(["no_files", "rate_limited", "no_files"]);
  bff.clock.advance(HOUR_MS - SECOND_MS);
  expect(await send(clinic)).toBe("rate_limited");
  bff.clock.advance(SECOND_MS + 1);
  expect(await send(clinic)).toBe("no_files");
});
