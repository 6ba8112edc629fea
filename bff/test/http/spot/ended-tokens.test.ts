import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { purgeEndedTokens } from "../../../src/checkout/work.ts";
import { pullTrigger } from "../../../src/collection/trigger-charge.ts";
import { spotEndpoints } from "../../../src/contract/spot-endpoints.ts";
import { readOrderId } from "../../../src/contract/vocabulary/identifiers.ts";
import { inTransaction } from "../../../src/platform/database/transaction.ts";
import { proveRegistrations } from "../../registered-patient.ts";
import { startBff, type TestBff } from "../../start-bff.ts";
import { troubledDatabase } from "../../troubled-database.ts";
import { checkoutOf } from "../orders/checkout.ts";
import { present } from "../orders/orders-world.ts";
import { CAMILA, given } from "./people.ts";

/* Personal data that partners write into a token is deleted when no longer needed (data law). */

const HOUR_MS = 60 * 60 * 1_000;
const DAY_MS = 24 * HOUR_MS;
let bff: TestBff;
beforeAll(async () => {
  bff = await startBff();
});
afterAll(() => bff.close());

function mint(more: Record<string, unknown> = {}) {
  const body = { rut: CAMILA.rut, user_data: { name: "Camila", email: CAMILA.email }, ...more };
  return bff.callSpotApi(spotEndpoints.mintWidgetToken, { as: bff.clinic, body });
}

async function held(): Promise<string[]> {
  const rows = await bff.database.db
    .selectFrom("widget_tokens")
    .select(["rut", "user_data", "provider_data"])
    .execute();
  return rows.map((row) => JSON.stringify(row)).filter((row) => /Camila|40100000|example/.test(row));
}

async function recoveries(): Promise<string[]> {
  return (await bff.database.db.selectFrom("recoveries").select("email").execute()).map(({ email }) => email);
}

describe("personal data of ended tokens", () => {
  it("is deleted after their end, including addresses of recoveries, and kept for live tokens", async () => {
    const used = (await mint()).body.widget_token;
    const body = { ...CAMILA, consents: given("onboarding"), widget_token: used };
    expect((await bff.callSpotApi(spotEndpoints.registerPatient, { as: bff.clinic, body })).status).toBe(201);
    await proveRegistrations({ ...bff, db: bff.database.db, keyring: bff.context.keyring }, bff.clinic.provider);
    const expired = (await mint()).body.widget_token;
    const proof = { way: "identity", document_serial: "123456789", email: "nueva@example.org" };
    const recovery = { rut: CAMILA.rut, ...proof, widget_token: expired };
    expect((await bff.callSpotApi(spotEndpoints.startRecovery, { as: bff.clinic, body: recovery })).status).toBe(202);
    expect(await recoveries()).toEqual(["nueva@example.org"]);
    const live = (await mint({ long_term_token: true })).body.widget_token;
    expect(await held()).toHaveLength(3);
    bff.clock.set(new Date(bff.clock.now().getTime() + 2 * DAY_MS + 1));
    // The housekeeping of a starting process runs at once.
    bff.context.start();
    await expect.poll(held).toHaveLength(1);
    await expect.poll(recoveries).toEqual([]);
    const read = (token: string) => bff.callWidgetHost(spotEndpoints.readWidgetToken, { params: { token } });
    expect((await read(expired)).body.code).toBe("widget_token_expired");
    expect((await read(live)).body.user_data).toMatchObject({ name: "Camila" });
  });

  it("is deleted even if another purge of the same hour fails", async () => {
    await mint();
    const before = (await held()).length;
    let failures = 0;
    const db = troubledDatabase(bff.database.db, (query) => {
      if (!query.includes("delete from timers")) return;
      failures += 1;
      throw new Error("no");
    });
    const troubled = await startBff({ database: { ...bff.database, db } });
    troubled.clock.set(new Date(bff.clock.now().getTime() + 2 * DAY_MS));
    troubled.context.start();
    await expect.poll(held).toHaveLength(before - 1);
    expect(failures).toBeGreaterThan(0);
    await troubled.close();
  });

  it("is deleted once their order is paid, even before their expiry and after other purges", async () => {
    const checkout = checkoutOf(bff);
    const hash = await checkout.readyOrder();
    expect((await mint({ order_token: hash, long_term_token: true })).status).toBe(201);
    expect((await checkout.pay(hash)).status).toBe(200);
    await bff.runDue();
    bff.clock.advance(DAY_MS + HOUR_MS);
    const key = { providerId: bff.clinic.provider.id, orderId: present(readOrderId(hash)) };
    const trigger = { reason: "approved", at: bff.clock.now(), evidence: {} } as const;
    await inTransaction(bff.database.db, (tx) => pullTrigger(tx, key, trigger));
    await bff.runDue();
    expect((await checkout.read(hash)).collection?.status).toBe("collected");
    bff.clock.advance(DAY_MS - HOUR_MS);
    await purgeEndedTokens({ db: bff.database.db, clock: bff.clock });
    const kept = bff.database.db
      .selectFrom("widget_tokens")
      .select(["rut", "user_data"])
      .where("order_id", "is not", null)
      .where("purpose", "=", "checkout");
    expect(await kept.execute()).toEqual([{ rut: null, user_data: {} }]);
  });

  it("is deleted a day after their end, once and no sooner, whichever fields are set", async () => {
    const meta = await bff.createProvider({ meta: true });
    const purge = () => purgeEndedTokens({ db: bff.database.db, clock: bff.clock });
    const endsAt = new Date(bff.clock.now().getTime() + 15 * 60_000);
    const data = [{ rut: CAMILA.rut }, { user_data: { name: "Camila" } }, { provider_data: { name: "Centro Ñuñoa" } }];
    // The last token has none of this data.
    for (const one of [...data, {}]) {
      const body = { ...one, expires_in_minutes: 15 };
      expect((await bff.callSpotApi(spotEndpoints.mintWidgetToken, { as: meta, body })).status).toBe(201);
    }
    const kept = () =>
      bff.database.db
        .selectFrom("widget_tokens")
        .select(["rut", "user_data", "provider_data"])
        .where("provider_id", "=", meta.provider.id)
        .orderBy("created_at")
        .execute();
    const nothing = { rut: null, user_data: {}, provider_data: null };
    const all = [...data, {}].map((one) => ({ ...nothing, ...one }));
    bff.clock.set(new Date(endsAt.getTime() + DAY_MS));
    await purge();
    expect(await kept()).toEqual(expect.arrayContaining(all));
    bff.clock.advance(1);
    expect([await purge(), await kept()]).toEqual([data.length, all.map(() => nothing)]);
    expect(await purge()).toBe(0);
  });

  it("is deleted with the tokens ninety days after their end; live tokens stay", async () => {
    const minted = async (body: Record<string, unknown>) => (await mint(body)).body.widget_token;
    const ended = await minted({ expires_in_minutes: 15 });
    const ninetyDays = 90 * DAY_MS + 15 * 60_000;
    const code = async (token: string) =>
      (await bff.callWidgetHost(spotEndpoints.readWidgetToken, { params: { token } })).body.code;
    bff.clock.set(new Date(bff.clock.now().getTime() + ninetyDays - 1));
    await purgeEndedTokens({ db: bff.database.db, clock: bff.clock });
    expect(await code(ended)).toBe("widget_token_expired");
    const live = await minted({});
    bff.clock.set(new Date(bff.clock.now().getTime() + 2));
    expect(await purgeEndedTokens({ db: bff.database.db, clock: bff.clock })).toBe(1);
    expect([await code(ended), await code(live)]).toEqual(["widget_token_not_found", undefined]);
  });
});
