import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { orderEndpoints } from "../../src/contract/order-endpoints.ts";
import { spotEndpoints } from "../../src/contract/spot-endpoints.ts";
import { systemIds } from "../../src/platform/ids.ts";
import { openTestDatabase, type TestDatabase } from "../database.ts";
import { startBff, type TestBff, type TestProvider } from "../start-bff.ts";
import type { TestAnswer } from "../test-client.ts";
import { acceptedConsents, orderBody, PATIENTS, watchedDatabase } from "./orders/orders-world.ts";

/** The statement that reads the resource also looks up the caller, so an expired credential is refused at once. */
let database: TestDatabase;
let bff: TestBff;
let statements = 0;
beforeAll(async () => {
  database = await openTestDatabase();
  const db = watchedDatabase(database.db, () => {
    statements += 1;
  });
  bff = await startBff({ database: { ...database, db } });
});
afterAll(async () => {
  await bff.close();
  await database.close();
});

const UNKNOWN_ORDER = "00000000-0000-4000-8000-000000000000";

/** Requests of a clinic's widget and back end about an order. None may be refused because of its caller. */
const calls: Readonly<Record<string, (as: TestProvider, hash: string) => Promise<TestAnswer>>> = {
  getOrder: (as, hash) => bff.callOrderApi(orderEndpoints.getOrder, { as, params: { hash } }),
  validateIdentity: (as, hash) =>
    bff.callOrderApi(orderEndpoints.validateIdentity, {
      as,
      params: { hash },
      body: { document_serial: "123456789" },
    }),
  addPaymentMethod: (as, hash) =>
    bff.callOrderApi(orderEndpoints.addPaymentMethod, { as, params: { hash }, body: { sealed_card: "a.b.c.d.e" } }),
  payOrder: (as, hash) =>
    bff.callOrderApi(orderEndpoints.payOrder, { as, params: { hash }, body: { consents: acceptedConsents } }),
  mintWidgetToken: (as, hash) => bff.callSpotApi(spotEndpoints.mintWidgetToken, { as, body: { order_token: hash } }),
};
const names = Object.keys(calls);

async function orderOf(as: TestProvider): Promise<string> {
  const body = orderBody({ total: 40_000, rut: PATIENTS.good, reference: systemIds.uuid() });
  return (await bff.callOrderApi(orderEndpoints.createOrder, { as, body })).body.hash;
}

async function call(name: string, as: TestProvider, hash: string): Promise<TestAnswer> {
  const answer = await calls[name]?.(as, hash);
  if (answer === undefined) throw new Error(`There is no call ${name}.`);
  return answer;
}

/** A clinic that has made this call before. */
async function known(name: string): Promise<{ as: TestProvider; hash: string }> {
  const as = await bff.createProvider();
  const hash = await orderOf(as);
  for (let time = 0; time < 2; time += 1) expect((await call(name, as, hash)).status).not.toBe(401);
  return { as, hash };
}

describe.each(names)("%s by a caller that has called before", (name) => {
  it("is refused as soon as the credential has ended, by any means", async () => {
    const { as, hash } = await known(name);
    const end = (at: Date | null) =>
      database.db.updateTable("credentials").set({ ends_at: at }).where("provider_id", "=", as.provider.id).execute();
    await end(bff.clock.now());
    expect((await call(name, as, hash)).status).toBe(401);
    await end(null);
    expect((await call(name, as, hash)).status).not.toBe(401);
  });

  it("is refused while the provider is inactive", async () => {
    const { as, hash } = await known(name);
    const setActive = (active: boolean) =>
      database.db.updateTable("providers").set({ active }).where("id", "=", as.provider.id).execute();
    await setActive(false);
    expect((await call(name, as, hash)).status).toBe(401);
    await setActive(true);
    expect((await call(name, as, hash)).status).not.toBe(401);
  });

  it("finds neither another clinic's order nor an order that does not exist", async () => {
    const { as } = await known(name);
    const foreign = await orderOf(await bff.createProvider());
    for (const hash of [foreign, UNKNOWN_ORDER]) expect((await call(name, as, hash)).status).toBe(404);
  });
});

it("registerPatient by a caller that has called before is refused while the provider is inactive", async () => {
  const as = await bff.createProvider();
  const minted = await bff.callSpotApi(spotEndpoints.mintWidgetToken, { as, body: {} });
  const register = () =>
    bff.callSpotApi(spotEndpoints.registerPatient, { as, body: { widget_token: minted.body.widget_token } });
  for (let time = 0; time < 2; time += 1) expect((await register()).status).toBe(422);
  await database.db.updateTable("providers").set({ active: false }).where("id", "=", as.provider.id).execute();
  expect((await register()).status).toBe(401);
});

it("the checks before a request, including the lookup of its subject, cost one statement", async () => {
  const as = await bff.createProvider();
  const hash = await orderOf(as);
  // The first request with a credential looks it up before its body is read.
  await call("mintWidgetToken", as, hash);
  const before = statements;
  await call("mintWidgetToken", as, hash);
  // One statement reads caller, order and limit together; the second reads the token.
  expect(statements - before).toBe(2);
});

it("a caller over its address's limit is stopped before any lookup", async () => {
  const db = watchedDatabase(database.db, () => {
    statements += 1;
  });
  const addressLimits = { guessesPerMinute: 100, publicCallsPerMinute: 2 };
  const limited = await startBff({ database: { ...database, db }, addressLimits });
  const as = await limited.createProvider();
  const ask = () =>
    limited.callOrderApi(orderEndpoints.getOrder, { as, using: "client_id", params: { hash: UNKNOWN_ORDER } });
  for (let time = 0; time < 2; time += 1) expect((await ask()).status).toBe(404);
  const before = statements;
  expect([(await ask()).status, statements - before]).toEqual([429, 0]);
  await limited.close();
});
