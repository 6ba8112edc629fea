import { afterAll, beforeAll, expect, it } from "vitest";
import { spotEndpoints } from "../../../src/contract/spot-endpoints.ts";
import { purgeIdentityChecks } from "../../../src/orders/work.ts";
import { proveRegistrations } from "../../registered-patient.ts";
import { startBff, type TestBff } from "../../start-bff.ts";
import { type Checkout, checkoutOf } from "../orders/checkout.ts";
import { CAMILA, given } from "./people.ts";

/*
 * The identity document is checked in two places: to pay an order, and to recover a RUT. Wrong attempts in one must not
 * lock the patient out of the other.
 */

const REJECTED = "100000001";
let bff: TestBff;
let checkout: Checkout;
beforeAll(async () => {
  bff = await startBff();
  checkout = checkoutOf(bff);
  const body = { ...CAMILA, consents: given("onboarding"), widget_token: await mint() };
  expect((await bff.callSpotApi(spotEndpoints.registerPatient, { as: bff.clinic, body })).status).toBe(201);
  await proveRegistrations({ ...bff, db: bff.database.db, keyring: bff.context.keyring }, bff.clinic.provider);
});
afterAll(() => bff.close());

async function mint(): Promise<string> {
  return (await bff.callSpotApi(spotEndpoints.mintWidgetToken, { as: bff.clinic, body: {} })).body.widget_token;
}

async function recover(widget_token: string) {
  const proof = { way: "identity", document_serial: REJECTED, email: "nueva@example.org" };
  const body = { rut: CAMILA.rut, ...proof, widget_token };
  return (await bff.callSpotApi(spotEndpoints.startRecovery, { as: bff.clinic, body })).body;
}

it("identity attempts of a recovery do not count for an order, nor the other way round", async () => {
  const token = await mint();
  for (let tries = 0; tries < 5; tries += 1) expect((await recover(token)).code).toBe("identity_rejected");
  expect((await recover(token)).code).toBe("identity_attempts_exhausted");
  const hash = await checkout.newOrder({ rut: CAMILA.rut });
  expect((await checkout.identify(hash, REJECTED)).body).toMatchObject({ code: "identity_rejected", attempts_left: 4 });
  for (let tries = 0; tries < 4; tries += 1) await checkout.identify(hash, REJECTED);
  expect((await checkout.identify(hash, REJECTED)).body.code).toBe("identity_attempts_exhausted");
  bff.clock.set(new Date(bff.clock.now().getTime() + 59 * 60_000));
  const other = await mint();
  expect((await recover(other)).code).toBe("identity_attempts_exhausted");
  bff.clock.set(new Date(bff.clock.now().getTime() + 2 * 60_000));
  expect((await recover(other)).code).toBe("identity_rejected");
});

it("the housekeeping of a running process deletes after a day whose document was checked", async () => {
  const { db } = bff.database;
  const checks = async () => (await db.selectFrom("identity_checks").select("id").execute()).length;
  await db.deleteFrom("identity_checks").execute();
  const hash = await checkout.newOrder({ rut: "10000013-K" });
  await checkout.identify(hash, REJECTED);
  await purgeIdentityChecks({ ...bff, db });
  expect(await checks()).toBe(1);
  bff.clock.set(new Date(bff.clock.now().getTime() + 24 * 3_600_000));
  await purgeIdentityChecks({ ...bff, db });
  expect(await checks()).toBe(1);
  bff.clock.set(new Date(bff.clock.now().getTime() + 1));
  await checkout.identify(hash, REJECTED);
  expect(await checks()).toBe(2);
  bff.context.start();
  await expect.poll(checks).toBe(1);
});
