import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { solveChallenge } from "../../../packages/server/src/dev/solve-challenge.ts";
import { TENANTS_OF_HOLDER_PER_HOUR } from "../../../sandbox/keys/make-tenant.ts";
import { markClaimed } from "../../../sandbox/keys/sandbox-keys-store.ts";
import { orderEndpoints } from "../../../src/contract/order-endpoints.ts";
import { sandboxEndpoints } from "../../../src/contract/sandbox-endpoints.ts";
import { inTransaction } from "../../../src/platform/database/transaction.ts";
import { keepCredentials } from "../../../src/tenants/credentials.ts";
import { startBff, type TestBff } from "../../start-bff.ts";
import { createOrder } from "./sandbox-world.ts";

const { readSandboxChallenge, createSandboxKeys, moveSandboxClock } = sandboxEndpoints;
const DAY_MS = 86_400_000;
let bff: TestBff;
beforeAll(async () => {
  bff = await startBff();
});
afterAll(() => bff.close());

async function solved() {
  const { body } = await bff.callOrderApi(readSandboxChallenge);
  return { challenge: String(body.challenge), solution: solveChallenge(body.challenge, body.bits) };
}

describe("POST /sandbox/keys", () => {
  it("201: keys of a new tenant without an account, with the addresses that accept them", async () => {
    const { status, body } = await bff.callOrderApi(createSandboxKeys, { body: { ...(await solved()), name: "Yo" } });
    expect([status, body.errors, body.provider?.name]).toEqual([201, undefined, "Yo"]);
    expect(body.addresses.order_api).toBe(bff.orderApi);
    const hash = await createOrder(bff, body, "one");
    expect((await bff.callOrderApi(orderEndpoints.getOrder, { as: body, params: { hash } })).status).toBe(200);
    expect((await bff.callOrderApi(orderEndpoints.getOrder, { as: bff.clinic, params: { hash } })).status).toBe(404);
  });

  it("one challenge creates one tenant, even with two concurrent requests", async () => {
    const body = await solved();
    const answers = await Promise.all([1, 2, 3].map(() => bff.callOrderApi(createSandboxKeys, { body })));
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([201, 422, 422]);
    const refused = answers.find(({ status }) => status === 422);
    expect(refused?.body.errors).toEqual([{ path: "challenge", message: "has been used: ask for another one" }]);
  });

  it("422: a missing proof of work, and an unknown challenge", async () => {
    const proof = await solved();
    for (const [wrong, path] of [
      [{ solution: "" }, "solution"],
      [{ challenge: "mine" }, "challenge"],
    ] as const) {
      const answer = await bff.callOrderApi(createSandboxKeys, { body: { ...proof, ...wrong } });
      expect([answer.status, answer.body.errors[0].path]).toEqual([422, path]);
    }
  });

  it("422: a challenge that is older than ten minutes", async () => {
    const body = await solved();
    await bff.advance(10 * 60_000);
    expect((await bff.callOrderApi(createSandboxKeys, { body })).body.errors[0].path).toBe("challenge");
  });

  it("the keys expire after 30 days of real time, whatever the tenant's clock; claimed keys stay valid", async () => {
    const made = async () => (await bff.callOrderApi(createSandboxKeys, { body: await solved() })).body;
    const [left, claimed] = [await made(), await made()];
    const works = async (as: typeof left) =>
      (await bff.callOrderApi(sandboxEndpoints.readSandboxClock, { as })).status === 200;
    await bff.callOrderApi(moveSandboxClock, { as: left, body: { advance: "60d" } });
    expect(await works(left)).toBe(true);
    const at = bff.clock.now();
    await inTransaction(bff.database.db, async (tx) => {
      const endsAt = await markClaimed(tx, claimed.provider.id, at);
      expect(endsAt?.toISOString()).toBe(claimed.ends_at);
      if (endsAt !== null) await keepCredentials(tx, { providerId: claimed.provider.id, endsAt });
    });
    await bff.advance(31 * DAY_MS);
    expect([await works(left), await works(claimed)]).toEqual([false, true]);
    // An expired or claimed key cannot be claimed.
    for (const { provider } of [left, claimed])
      expect(await inTransaction(bff.database.db, (tx) => markClaimed(tx, provider.id, bff.clock.now()))).toBeNull();
  });

  it("tenants created with a holder's keys, directly or indirectly, expire with them", async () => {
    const holder = (await bff.callOrderApi(createSandboxKeys, { body: await solved() })).body;
    const child = (await bff.callOrderApi(sandboxEndpoints.createSandboxTenant, { as: holder, body: {} })).body;
    const grandchild = (await bff.callOrderApi(sandboxEndpoints.createSandboxTenant, { as: child, body: {} })).body;
    const reads = async (as: typeof holder) =>
      (await bff.callOrderApi(sandboxEndpoints.readSandboxClock, { as })).status;
    expect([await reads(child), await reads(grandchild)]).toEqual([200, 200]);
    await bff.advance(new Date(holder.ends_at).getTime() - bff.clock.now().getTime());
    expect([await reads(holder), await reads(child), await reads(grandchild)]).toEqual([401, 401, 401]);
  });

  it("429: all tenants from one proof of work share one limit, apart from other callers", async () => {
    const holder = (await bff.callOrderApi(createSandboxKeys, { body: await solved() })).body;
    const make = (as: typeof holder) => bff.callOrderApi(sandboxEndpoints.createSandboxTenant, { as, body: {} });
    const child = (await make(holder)).body;
    const counted = bff.database.db.updateTable("rate_limits").set({ points: TENANTS_OF_HOLDER_PER_HOUR - 1 });
    await counted.where("key", "like", "sandbox.tenants:%").execute();
    const answers = [await make(child), await make(child), await make(holder), await make(bff.clinic)];
    expect(answers.map(({ status }) => status)).toEqual([201, 429, 429, 201]);
  });
});
