/** @module-tag both-databases */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { webhookEndpoints } from "../../../src/contract/webhook-endpoints.ts";
import { inTransaction } from "../../../src/platform/database/transaction.ts";
import { replayDeliveries } from "../../../src/webhooks/delivery-queue-store.ts";
import { DELIVERIES_KEPT_MS, purgeDeliveries } from "../../../src/webhooks/work.ts";
import { cancelledOrder } from "../../cancelled-order.ts";
import { testDatabaseKind } from "../../database.ts";
import { startBff, type TestBff, type TestProvider } from "../../start-bff.ts";
import { startReceiver, type WebhookReceiver } from "../../webhook-receiver.ts";

/* No request shows a replay before it is committed. PGlite has only one session, so nothing is concurrent there. */

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

const deliveries = () =>
  bff.database.db
    .selectFrom("webhook_deliveries")
    .select(["id", "status", "event_id"])
    .where("endpoint_id", "=", endpointId)
    .orderBy("queued_at")
    .execute();
const sent = () => receiver.received.map(({ body }) => String(body.event_id));

/** The id of a delivery that was sent. */
async function deliver(): Promise<string> {
  await cancelledOrder(bff, clinic);
  await bff.runDue();
  const [delivery] = await deliveries();
  expect(delivery?.status).toBe("delivered");
  return delivery?.id ?? "";
}

const ALWAYS = new Date(0);

describe.runIf(testDatabaseKind === "postgres")("a replay that is not committed", () => {
  it("a delivery being replayed is not purged, however old, and the purge does not wait for it", async () => {
    const deliveryId = await deliver();
    bff.clock.set(new Date(bff.clock.now().getTime() + DELIVERIES_KEPT_MS + 1));
    const { db } = bff.database;
    const again = { endpointId, deliveryId, since: ALWAYS, statuses: ["delivered"], at: bff.clock.now() } as const;
    await inTransaction(db, async (tx) => {
      expect(await replayDeliveries(tx, again)).toBe(1);
      await purgeDeliveries({ db, clock: bff.clock });
    });
    await bff.runDue();
    expect(sent()).toHaveLength(2);
  });
});
