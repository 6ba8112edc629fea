import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { DELIVERIES_KEPT_DAYS } from "../../src/contract/terms.ts";
import { webhookEndpoints } from "../../src/contract/webhook-endpoints.ts";
import { DELIVERIES_KEPT_MS, purgeDeliveries } from "../../src/webhooks/work.ts";
import { cancelledOrder } from "../cancelled-order.ts";
import { startBff, type TestBff, type TestProvider } from "../start-bff.ts";
import { accept, startReceiver, type WebhookReceiver } from "../webhook-receiver.ts";

/* Deliveries that ended long ago are deleted. Every promise to partners still holds. */

const MINUTE_MS = 60_000;
let bff: TestBff;
beforeAll(async () => {
  bff = await startBff();
});
afterAll(() => bff.close());

let clinic: TestProvider;
let receiver: WebhookReceiver;
beforeEach(async () => {
  await bff.database.db.deleteFrom("webhook_attempts").execute();
  await bff.database.db.deleteFrom("webhook_deliveries").execute();
  clinic = await bff.createProvider();
  receiver = await startReceiver(bff.clock);
});
afterEach(() => receiver.close());

const call = (name: keyof typeof webhookEndpoints, id?: string, body?: unknown) =>
  bff.callSpotApi(webhookEndpoints[name], {
    as: clinic,
    ...(id === undefined ? {} : { params: { id } }),
    ...(body === undefined ? {} : { body }),
  });
const newEndpoint = async () =>
  (await call("createWebhookEndpoint", undefined, { url: receiver.url })).body.id as string;
const listed = async (id: string) => (await call("listWebhookDeliveries", id)).body.deliveries;
const purge = () => purgeDeliveries({ db: bff.database.db, clock: bff.clock });
const pass = (milliseconds: number) => bff.clock.set(new Date(bff.clock.now().getTime() + milliseconds));
const attemptRows = async () =>
  (await bff.database.db.selectFrom("webhook_attempts").select("number").execute()).length;

async function deliver(): Promise<void> {
  await cancelledOrder(bff, clinic);
  await bff.runDue();
}

describe("a delivery that has ended", () => {
  it("is listed and can be replayed for its retention time, then removed with its attempts; its event stays", async () => {
    const id = await newEndpoint();
    receiver.behave((response) => void response.writeHead(500).end());
    await deliver();
    receiver.behave(accept);
    await bff.advance(2 * MINUTE_MS);
    expect(await listed(id)).toMatchObject([{ status: "delivered", attempts: [{ status: 500 }, { status: 204 }] }]);
    pass(DELIVERIES_KEPT_MS - MINUTE_MS);
    expect(await purge()).toBe(0);
    expect((await listed(id)).length).toBe(1);
    pass(2 * MINUTE_MS);
    expect(await purge()).toBe(1);
    expect(await listed(id)).toEqual([]);
    expect(await attemptRows()).toBe(0);
    const since = new Date(bff.clock.now().getTime() - 2 * DELIVERIES_KEPT_MS).toISOString();
    expect((await call("replayWebhooks", id, { since })).body).toEqual({ replayed: 0 });
    const { events } = (await call("listEvents")).body;
    expect(events).toMatchObject([{ event: "order.cancelled", event_id: receiver.received[0]?.body.event_id }]);
    expect(DELIVERIES_KEPT_DAYS).toBe(90);
  });

  it("is not delivered again after its removal, whatever runs", async () => {
    await newEndpoint();
    await deliver();
    pass(DELIVERIES_KEPT_MS);
    expect(await purge()).toBe(0);
    pass(1);
    expect(await purge()).toBe(1);
    await bff.runDue();
    await bff.advance(24 * 60 * MINUTE_MS);
    expect(receiver.received).toHaveLength(1);
  });

  it("is kept from the end of its last replay", async () => {
    const id = await newEndpoint();
    await deliver();
    pass(DELIVERIES_KEPT_MS - MINUTE_MS);
    const [{ id: delivery_id }] = await listed(id);
    expect((await call("replayWebhooks", id, { delivery_id })).body).toEqual({ replayed: 1 });
    await bff.runDue();
    pass(DELIVERIES_KEPT_MS - MINUTE_MS);
    expect(await purge()).toBe(0);
    pass(2 * MINUTE_MS);
    expect(await purge()).toBe(1);
    expect(await attemptRows()).toBe(0);
  });

  it("is purged even if its endpoint was deleted", async () => {
    const id = await newEndpoint();
    await deliver();
    await call("deleteWebhookEndpoint", id);
    pass(DELIVERIES_KEPT_MS + 1);
    expect(await purge()).toBe(1);
  });
});

describe("a delivery that waits", () => {
  it("stays while its endpoint is paused, however long, and is sent when it resumes", async () => {
    const id = await newEndpoint();
    await deliver();
    receiver.behave((response) => void response.writeHead(500).end());
    await deliver();
    await call("changeWebhookEndpoint", id, { paused: true });
    receiver.behave(accept);
    await bff.advance(MINUTE_MS);
    pass(10 * DELIVERIES_KEPT_MS);
    expect(await purge()).toBe(1);
    expect(await listed(id)).toMatchObject([{ status: "pending", attempts: [{ status: 500 }] }]);
    await call("changeWebhookEndpoint", id, { paused: false });
    await bff.runDue();
    expect(receiver.received).toHaveLength(3);
  });
});

describe("many deliveries", () => {
  it("are purged in statements that scan two thousand each, past any number of older waiting ones", async () => {
    const id = await newEndpoint();
    const { db } = bff.database;
    const begun = new Date(bff.clock.now().getTime() - 2 * DELIVERIES_KEPT_MS);
    // The older half is still waiting.
    await sql`
      insert into webhook_deliveries (id, provider_id, endpoint_id, webhook_id, kind, status, queued_at, attempts, failures, round,
        attempted, created_at, ended_at)
      select md5(${id}::text || n)::uuid, ${clinic.provider.id}::uuid, ${id}::uuid, ${randomUUID()}::uuid, 'endpoint.test',
        case when n <= 2500 then 'scheduled' else 'dropped' end, ${begun}::timestamptz, 0, 0, 1, true,
        ${begun}::timestamptz + n * interval '1 second', case when n > 2500 then ${begun}::timestamptz end
      from generate_series(1, 5000) as n`.execute(db);
    const passed: unknown[] = [];
    const counted = db.withPlugin({
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        // The endpoints of other clinics have nothing to scan.
        passed.push(...result.rows.flatMap((row) => (row.passed ? [row.passed] : [])));
        return result;
      },
    });
    expect(await purgeDeliveries({ db: counted, clock: bff.clock })).toBe(2_500);
    expect(passed).toEqual([2_000, 2_000, 1_000]);
    expect(await purge()).toBe(0);
    const left = await db.selectFrom("webhook_deliveries").select("status").distinct().execute();
    expect(left).toEqual([{ status: "scheduled" }]);
  });
});
