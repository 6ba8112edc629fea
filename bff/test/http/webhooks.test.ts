import { createHmac, randomUUID } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { orderEndpoints } from "../../src/contract/order-endpoints.ts";
import { webhookEndpoints } from "../../src/contract/webhook-endpoints.ts";
import { webhookEventSchema } from "../../src/contract/webhook-events.ts";
import { publishEvent } from "../../src/platform/event-store.ts";
import { createGuardedFetch } from "../../src/platform/http/guarded-fetch.ts";
import { dispatchKind } from "../../src/platform/outbox.ts";
import { rotateCredential } from "../../src/tenants/credentials.ts";
import { listEndpoints, setWebhook } from "../../src/webhooks/endpoints.ts";
import { cancelledOrder } from "../cancelled-order.ts";
import { startBff, type TestBff, type TestProvider } from "../start-bff.ts";
import { accept, type ReceivedWebhook, startReceiver, type WebhookReceiver } from "../webhook-receiver.ts";

let bff: TestBff;
beforeAll(async () => {
  bff = await startBff();
});
afterAll(() => bff.close());

const guardedFetch = createGuardedFetch({ allowLoopback: true });
let clinic: TestProvider;
let receiver: WebhookReceiver;
beforeEach(async () => {
  clinic = await bff.createProvider();
  receiver = await startReceiver(bff.clock);
  await register(receiver.url);
});
afterEach(() => receiver.close());
afterAll(() => guardedFetch.close());

function register(url: string, kinds?: string[]) {
  const operations = { ...bff.context, db: bff.database.db, guardedFetch, actor: "operator:test" };
  return setWebhook(operations, { providerId: clinic.provider.id, url, ...(kinds === undefined ? {} : { kinds }) });
}

function attempts() {
  return bff.database.db
    .selectFrom("all_webhook_attempts as a")
    .innerJoin("webhook_deliveries as d", "d.id", "a.delivery_id")
    .select(["a.number", "a.outcome", "a.failure", "a.status", "a.answer", "d.status as delivery"])
    .where("d.provider_id", "=", clinic.provider.id)
    .orderBy("d.queued_at")
    .orderBy("a.number")
    .execute();
}

function signatureOf(webhook: ReceivedWebhook | undefined, secret: string): string {
  return `sha256=${createHmac("sha256", secret)
    .update(webhook?.raw ?? "")
    .digest("hex")}`;
}

describe("an event", () => {
  it("reaches the endpoint once, as the contract says, signed over the raw body", async () => {
    const { hash, reference } = await cancelledOrder(bff, clinic);
    await bff.runDue();
    await bff.advance(3 * 60 * 60_000);
    expect(receiver.received).toHaveLength(1);
    const [webhook] = receiver.received;
    const event = webhookEventSchema.parse(webhook?.body);
    expect(event).toMatchObject({
      event: "order.cancelled",
      reference,
      order_hash: hash,
      status: "cancelled",
      sequence: 1,
    });
    expect(event.data.order.customer.first_name).toBe("Ñusta");
    expect(webhook?.headers["content-type"]).toBe("application/json");
    expect(webhook?.headers["x-service-signature"]).toBe(signatureOf(webhook, clinic.credentials.webhook_secret));
    expect(webhook?.headers["webhook-id"]).toBe(event.event_id);
  });

  it("is not sent to an endpoint that subscribes to other kinds", async () => {
    await register(receiver.url, ["order.paid"]);
    await cancelledOrder(bff, clinic);
    await bff.runDue();
    expect(receiver.received).toHaveLength(0);
  });

  it("is sent as order.changed, in addition to its own kind, only to subscribers, under a separate id", async () => {
    await register(receiver.url, ["order.cancelled", "order.changed"]);
    await cancelledOrder(bff, clinic);
    await bff.runDue();
    expect(new Set(receiver.received.map(({ body }) => body.event))).toEqual(
      new Set(["order.cancelled", "order.changed"]),
    );
    expect(receiver.received).toHaveLength(2);
    expect(new Set(receiver.received.map(({ body }) => body.event_id)).size).toBe(2);
  });

  it("verifies with the public standardwebhooks package, by real time, with both secrets while they overlap", async () => {
    const operations = { ...bff.context, db: bff.database.db, environment: "staging" as const, actor: "operator:test" };
    const rotation = { providerId: clinic.provider.id, kind: "webhook_secret", overlapMs: 60_000 } as const;
    const { value } = await rotateCredential(operations, rotation);
    await cancelledOrder(bff, clinic);
    await bff.runDue();
    const [webhook] = receiver.received;
    const signatures = String(webhook?.headers["webhook-signature"]).split(" ");
    const id = String(webhook?.headers["webhook-id"]);
    const sentAt = new Date(Number(webhook?.headers["webhook-timestamp"]) * 1_000);
    const raw = webhook?.raw.toString() ?? "";
    const known = [clinic.credentials.webhook_secret, value];
    expect(signatures).toEqual(known.map((secret) => new Webhook(secret).sign(id, sentAt, raw)));
    // The signature header required by the spec switches to the new secret when the overlap ends.
    expect(webhook?.headers["x-service-signature"]).toBe(signatureOf(webhook, clinic.credentials.webhook_secret));
    await bff.advance(60_000);
    await cancelledOrder(bff, clinic);
    await bff.runDue();
    expect(receiver.received[1]?.headers["x-service-signature"]).toBe(signatureOf(receiver.received[1], value));
  });
});

describe("a delivery that fails", () => {
  it("is tried six times, each after its delay from the end of the previous attempt", async () => {
    receiver.behave((response) => response.writeHead(500).end("no"));
    await cancelledOrder(bff, clinic);
    await bff.runDue();
    await bff.advance(6 * 60 * 60_000);
    const times = receiver.received.map(({ at }) => at.getTime());
    const minutes = times.slice(1).map((time, index) => (time - (times[index] ?? 0)) / 60_000);
    expect(minutes).toEqual([1, 5, 15, 30, 60]);
    expect(new Set(receiver.received.map(({ body }) => body.event_id)).size).toBe(1);
    expect(new Set(receiver.received.map(({ raw }) => raw.toString())).size).toBe(1);
    const recorded = await attempts();
    expect(recorded.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(recorded.at(-1)).toMatchObject({
      outcome: "failed",
      failure: "status",
      status: 500,
      answer: "no",
      delivery: "exhausted",
    });
  });

  it("is tried no more once it was accepted", async () => {
    receiver.behave((response) => response.writeHead(503).end());
    await cancelledOrder(bff, clinic);
    await bff.runDue();
    receiver.behave(accept);
    await bff.advance(6 * 60 * 60_000);
    expect(receiver.received).toHaveLength(2);
    expect((await attempts()).map(({ outcome }) => outcome)).toEqual(["failed", "succeeded"]);
  });

  it("a redirect is a failure and is not followed", async () => {
    const elsewhere = await startReceiver(bff.clock);
    receiver.behave((response) => response.writeHead(307, { location: elsewhere.url }).end());
    await cancelledOrder(bff, clinic);
    await bff.runDue();
    expect(elsewhere.received).toHaveLength(0);
    expect(await attempts()).toMatchObject([{ outcome: "failed", failure: "redirect", status: 307 }]);
    await elsewhere.close();
  });

  it("a connection that is closed without an answer is a failure", async () => {
    receiver.behave((response) => response.destroy());
    await cancelledOrder(bff, clinic);
    await bff.runDue();
    expect(await attempts()).toMatchObject([{ outcome: "failed", failure: "network", status: null }]);
  });

  it("an answer that breaks off after its status counts by its status", async () => {
    receiver.behave((response) => {
      response.writeHead(200, { "content-length": "100" });
      response.write("half", () => response.destroy());
    });
    await cancelledOrder(bff, clinic);
    await bff.runDue();
    expect(await attempts()).toMatchObject([{ outcome: "succeeded", status: 200, answer: "half" }]);
  });

  it("a 2xx after 10 seconds is too late, as is no answer, and other endpoints wait for neither", async () => {
    const late: NodeJS.Timeout[] = [];
    receiver.behave((response) => void late.push(setTimeout(() => response.writeHead(204).end(), 10_400)));
    await cancelledOrder(bff, clinic);
    const first = clinic;
    clinic = await bff.createProvider();
    const second = clinic;
    const silent = await startReceiver(bff.clock);
    silent.behave(() => undefined);
    await register(silent.url);
    await cancelledOrder(bff, clinic);
    const hanging = bff.runDue();
    clinic = await bff.createProvider();
    const other = await startReceiver(bff.clock);
    await register(other.url);
    await cancelledOrder(bff, clinic);
    await bff.runDue({ providerId: clinic.provider.id });
    expect(other.received).toHaveLength(1);
    await hanging;
    for (const timer of late) clearTimeout(timer);
    for (const slow of [first, second]) {
      clinic = slow;
      expect(await attempts()).toMatchObject([{ outcome: "failed", failure: "timeout", status: null }]);
    }
    await silent.close();
    await other.close();
  });
});

describe("many deliveries to one endpoint", () => {
  it("continue while one of them hangs: a free place is filled at once", async () => {
    const ORDERS = 25;
    let release = () => undefined as unknown;
    const arrivedBeforeRelease: number[] = [];
    receiver.behave((response) => {
      if (receiver.received.length === 1) release = () => response.writeHead(204).end();
      else response.writeHead(204).end();
      if (receiver.received.length === ORDERS) {
        arrivedBeforeRelease.push(receiver.received.length);
        release();
      }
    });
    for (let orders = 0; orders < ORDERS; orders += 1) await cancelledOrder(bff, clinic);
    await bff.runDue();
    expect(arrivedBeforeRelease).toEqual([ORDERS]);
    expect((await attempts()).map(({ outcome }) => outcome)).toEqual(Array(ORDERS).fill("succeeded"));
  });
});

it("an attempt carries the time of its sending, which a receiver may check even for a retry", async () => {
  receiver.behave((response) => response.writeHead(500).end());
  await cancelledOrder(bff, clinic);
  await bff.runDue();
  await bff.advance(60_000);
  const { received } = receiver;
  expect(received.map(({ headers }) => Number(headers["webhook-timestamp"]))).toEqual(
    received.map(({ at }) => Math.floor(at.getTime() / 1_000)),
  );
  expect((received[1]?.at.getTime() ?? 0) - (received[0]?.at.getTime() ?? 0)).toBe(60_000);
});

/** Publishes a second event of an order, of a kind that only endpoints subscribe to. */
async function publishNext({ hash, reference }: { hash: string; reference: string }): Promise<void> {
  const order = (await bff.callOrderApi(orderEndpoints.getOrder, { as: clinic, params: { hash } })).body;
  await publishEvent(bff.database.db, {
    id: randomUUID(),
    providerId: clinic.provider.id,
    orderId: hash,
    kind: "order.partially_paid",
    sequence: 2,
    payload: { reference, order_hash: hash, status: "partially_paid", order },
    createdAt: bff.clock.now(),
  });
}

describe("the sequence of an order's events", () => {
  it("a later event waits only for the earlier one's first attempt", async () => {
    receiver.behave((response, { body }) => response.writeHead(body.sequence === 1 ? 500 : 204).end());
    await publishNext(await cancelledOrder(bff, clinic));
    await bff.runDue();
    expect(receiver.received.map(({ body }) => body.sequence)).toEqual([1, 2]);
  });

  it("an event that is dispatched before an earlier one is sent after it, and once", async () => {
    const order = await cancelledOrder(bff, clinic);
    const inAnHour = new Date(bff.clock.now().getTime() + 3_600_000);
    const dispatches = bff.database.db.updateTable("timers").set({ due_at: inAnHour }).where("kind", "=", dispatchKind);
    await dispatches.where("provider_id", "=", clinic.provider.id).where("done_at", "is", null).execute();
    await publishNext(order);
    await bff.runDue();
    expect(receiver.received.map(({ body }) => body.sequence)).toEqual([1, 2]);
    await bff.advance(3_600_000);
    expect(receiver.received).toHaveLength(2);
  });

  it("a later event does not wait for an earlier one at another endpoint", async () => {
    const { id } = (
      await bff.callSpotApi(webhookEndpoints.createWebhookEndpoint, {
        as: clinic,
        body: { url: `${receiver.url}/other` },
      })
    ).body;
    await bff.callSpotApi(webhookEndpoints.changeWebhookEndpoint, {
      as: clinic,
      params: { id },
      body: { paused: true },
    });
    await publishNext(await cancelledOrder(bff, clinic));
    await bff.runDue();
    expect(receiver.received.map(({ body }) => body.sequence)).toEqual([1, 2]);
  });

  it("an endpoint that is created between two events receives only the later one", async () => {
    const order = await cancelledOrder(bff, clinic);
    await bff.runDue();
    const later = await startReceiver(bff.clock);
    const body = { url: later.url };
    await bff.callSpotApi(webhookEndpoints.createWebhookEndpoint, { as: clinic, body });
    await publishNext(order);
    await bff.runDue();
    expect(later.received.map(({ body }) => body.sequence)).toEqual([2]);
    await later.close();
  });
});

it("a worker that dies in the middle is recorded as interrupted, and the receiver gets the event under the same id", async () => {
  await cancelledOrder(bff, clinic);
  const { db } = bff.database;
  receiver.behave((response) => response.writeHead(500).end());
  await bff.runDue();
  // The rows left by a process that is killed after claiming the delivery.
  const lease = {
    lease_id: randomUUID(),
    leased_at: bff.clock.now(),
    lease_until: new Date(bff.clock.now().getTime() + 30_000),
  };
  await db
    .updateTable("webhook_deliveries")
    .set({ status: "queued", ...lease })
    .where("provider_id", "=", clinic.provider.id)
    .execute();
  receiver.behave(accept);
  await bff.runDue();
  expect(receiver.received).toHaveLength(1);
  await bff.advance(30_000);
  expect(new Set(receiver.received.map(({ body }) => body.event_id)).size).toBe(1);
  expect((await attempts()).map(({ outcome }) => outcome)).toEqual(["failed", "interrupted", "succeeded"]);
  const [endpoint] = await listEndpoints(db, clinic.provider.id);
  const call = { as: clinic, params: { id: endpoint?.id ?? "" } };
  const [delivery] = (await bff.callSpotApi(webhookEndpoints.listWebhookDeliveries, call)).body.deliveries;
  expect(delivery.attempts).toMatchObject([
    { outcome: "failed", duration_ms: 0 },
    { outcome: "interrupted", duration_ms: null, failure: null, explanation: null },
    { outcome: "succeeded", duration_ms: 0 },
  ]);
  await bff.advance(6 * 60 * 60_000);
  expect(receiver.received).toHaveLength(2);
});

it("the owner is notified once after five days of failures, and the endpoint stays on", async () => {
  receiver.behave((response) => response.writeHead(500).end());
  await cancelledOrder(bff, clinic);
  await bff.runDue();
  await bff.advance(5 * 24 * 60 * 60_000);
  await cancelledOrder(bff, clinic);
  await bff.advance(6 * 24 * 60 * 60_000);
  const { db } = bff.database;
  const mails = await db
    .selectFrom("sandbox_notices")
    .selectAll()
    .where("provider_id", "=", clinic.provider.id)
    .execute();
  expect(mails).toHaveLength(1);
  expect(mails[0]).toMatchObject({ to_address: "pagos@losaromos.example.com" });
  const before = receiver.received.length;
  receiver.behave(accept);
  await cancelledOrder(bff, clinic);
  await bff.runDue();
  expect(receiver.received).toHaveLength(before + 1);
  const endpoint = await db
    .selectFrom("webhook_endpoints")
    .selectAll()
    .where("provider_id", "=", clinic.provider.id)
    .executeTakeFirstOrThrow();
  expect([endpoint.failing_at, endpoint.first_failed_at]).toEqual([null, null]);
});

describe("forbidden addresses", () => {
  it.each([
    "https://10.0.0.1/",
    "https://[::1]/",
    "http://example.com/",
    "ftp://example.com/",
    "https://u:p@example.com/",
    "x",
  ])("%s is refused when it is set", async (url) => {
    const strict = createGuardedFetch({ allowLoopback: false });
    const operations = { ...bff.context, db: bff.database.db, guardedFetch: strict, actor: "operator:test" };
    await expect(setWebhook(operations, { providerId: clinic.provider.id, url })).rejects.toMatchObject({
      code: "endpoint_url_not_allowed",
    });
    await strict.close();
  });

  it("are not called even if a name resolves to them only at the moment of connecting", async () => {
    let asked = 0;
    const rebinding = await startBff({
      database: bff.database,
      environment: { WEBHOOKS_ALLOW_LOOPBACK: "false" },
      resolveName: async () => {
        asked += 1;
        return [{ address: "10.0.0.7", family: 4 }];
      },
    });
    const publicName = createGuardedFetch({
      allowLoopback: false,
      resolve: async () => [{ address: "93.184.216.34", family: 4 }],
    });
    const operations = { ...bff.context, db: bff.database.db, guardedFetch: publicName, actor: "operator:test" };
    await setWebhook(operations, { providerId: clinic.provider.id, url: "https://hooks.clinic.example/" });
    await cancelledOrder(bff, clinic);
    rebinding.clock.set(bff.clock.now());
    await rebinding.runDue();
    expect(asked).toBeGreaterThan(0);
    expect(await attempts()).toMatchObject([{ outcome: "failed", failure: "url_refused", status: null }]);
    await publicName.close();
    await rebinding.close();
  });
});

it("an address whose check fails is not reported as forbidden", async () => {
  const check = () => Promise.reject(new Error("The check fails."));
  const operations = { ...bff.context, db: bff.database.db, guardedFetch: { check }, actor: "operator:test" };
  const set = setWebhook(operations, { providerId: clinic.provider.id, url: receiver.url });
  await expect(set).rejects.toThrow("The check fails.");
});
