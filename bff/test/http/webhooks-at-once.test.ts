/** @module-tag both-databases */
import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { webhookEndpoints } from "../../src/contract/webhook-endpoints.ts";
import { inTransaction } from "../../src/platform/database/transaction.ts";
import { createGuardedFetch } from "../../src/platform/http/guarded-fetch.ts";
import { listEndpoints, setWebhook } from "../../src/webhooks/endpoints.ts";
import { cancelledOrder } from "../cancelled-order.ts";
import { testDatabaseKind } from "../database.ts";
import { askWhileHeld } from "../lock-waits.ts";
import { startBff, type TestBff, type TestProvider } from "../start-bff.ts";
import { startReceiver, type WebhookReceiver } from "../webhook-receiver.ts";

/* Concurrent actions on the same deliveries. PGlite has only one session, so nothing is concurrent there. */

let bff: TestBff;
let clinic: TestProvider;
let receiver: WebhookReceiver;
let endpointId: string;
beforeAll(async () => {
  bff = await startBff();
});
beforeEach(async () => {
  clinic = await bff.createProvider();
  receiver = await startReceiver(bff.clock);
  const body = { url: receiver.url };
  endpointId = (await bff.callSpotApi(webhookEndpoints.createWebhookEndpoint, { as: clinic, body })).body.id;
});
afterEach(() => receiver.close());
afterAll(() => bff.close());

const call = (name: keyof typeof webhookEndpoints, body?: object) =>
  bff.callSpotApi(webhookEndpoints[name], {
    as: clinic,
    params: { id: endpointId },
    ...(body === undefined ? {} : { body }),
  });
const deliveries = () =>
  bff.database.db
    .selectFrom("webhook_deliveries")
    .select(["id", "status", "event_id"])
    .where("endpoint_id", "=", endpointId)
    .orderBy("queued_at")
    .execute();
const sent = () => receiver.received.map(({ body }) => String(body.event_id));
const holding = (id: string) => sql`select from webhook_deliveries where id = ${id} for update`;

/** The id of a delivery that was sent. */
async function deliver(): Promise<string> {
  await cancelledOrder(bff, clinic);
  await bff.runDue();
  const [delivery] = await deliveries();
  expect(delivery?.status).toBe("delivered");
  return delivery?.id ?? "";
}

const ALWAYS = new Date(0);
const sendAgain = () => call("replayWebhooks", { since: ALWAYS.toISOString() });

describe.runIf(testDatabaseKind === "postgres")("concurrent actions on deliveries", () => {
  it("a worker skips deliveries that another one is claiming, without waiting", async () => {
    await call("changeWebhookEndpoint", { paused: true });
    for (const _order of [1, 2, 3]) await cancelledOrder(bff, clinic);
    await bff.runDue();
    const [taken, ...others] = await deliveries();
    expect(others.map(({ status }) => status)).toEqual(["queued", "queued"]);
    await call("changeWebhookEndpoint", { paused: false });
    await inTransaction(bff.database.db, async (tx) => {
      await holding(taken?.id ?? "").execute(tx);
      await bff.runDue();
      expect(sent().toSorted()).toEqual(others.map(({ event_id }) => String(event_id)).toSorted());
    });
    await bff.runDue();
    expect(sent().slice(others.length)).toEqual([taken?.event_id]);
  });

  it("one of two concurrent replays wins, and each delivery is sent once more", async () => {
    const row = holding(await deliver());
    const answers = await askWhileHeld(bff.database.db, row, [sendAgain, sendAgain]);
    expect(answers.map(({ body }) => body)).toEqual([{ replayed: 1 }, { replayed: 0 }]);
    await bff.runDue();
    expect(sent()).toHaveLength(2);
  });

  it("when the clinic's first address is set twice at once, one call creates the endpoint and the other changes it", async () => {
    const guardedFetch = createGuardedFetch({ allowLoopback: true });
    const operations = { ...bff.context, db: bff.database.db, guardedFetch, actor: "operator:test" };
    const providerId = clinic.provider.id;
    const set = (url: string) => () => setWebhook(operations, { providerId, url });
    const [first, second] = [`${receiver.url}/first`, `${receiver.url}/second`];
    const held = sql`select from providers where id = ${providerId} for update`;
    await askWhileHeld(bff.database.db, held, [set(first), set(second)]);
    await guardedFetch.close();
    const urls = (await listEndpoints(bff.database.db, providerId)).map(({ url }) => url);
    expect(urls.toSorted()).toEqual([receiver.url, second].toSorted());
  });

  it("setting the address of an endpoint that is being deleted creates another one", async () => {
    const guardedFetch = createGuardedFetch({ allowLoopback: true });
    const operations = { ...bff.context, db: bff.database.db, guardedFetch, actor: "operator:test" };
    const providerId = clinic.provider.id;
    const set = (url: string) => setWebhook(operations, { providerId, url });
    const [first, second] = [`${receiver.url}/first`, `${receiver.url}/second`];
    await set(first);
    const shared = (await listEndpoints(bff.database.db, providerId)).find(({ url }) => url === first);
    const params = { id: shared?.id ?? "" };
    const remove = () => bff.callSpotApi(webhookEndpoints.deleteWebhookEndpoint, { as: clinic, params });
    const held = sql`select from providers where id = ${providerId} for update`;
    await askWhileHeld<unknown>(bff.database.db, held, [remove, () => set(second)]);
    await guardedFetch.close();
    const urls = (await listEndpoints(bff.database.db, providerId)).map(({ url }) => url);
    expect(urls.toSorted()).toEqual([receiver.url, second].toSorted());
  });

  describe("nothing is left waiting for an endpoint that is deleted", () => {
    const remove = () => call("deleteWebhookEndpoint");

    it.each([
      { title: "just after it was asked to send again", asks: [sendAgain, remove] },
      { title: "just before it is asked to send again", asks: [remove, sendAgain] },
      { title: "just before an event is told to it", asks: [remove, () => bff.runDue()] },
    ])("$title", async ({ asks }) => {
      await deliver();
      await cancelledOrder(bff, clinic);
      const endpoint = sql`select from webhook_endpoints where id = ${endpointId} for update`;
      await askWhileHeld<unknown>(bff.database.db, endpoint, asks);
      expect((await deliveries()).filter(({ status }) => status === "queued")).toEqual([]);
    });
  });
});
