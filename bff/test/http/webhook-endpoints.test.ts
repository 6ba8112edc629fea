import { createHmac } from "node:crypto";
import { sql } from "kysely";
import { Webhook } from "standardwebhooks";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { sandboxEndpoints } from "../../src/contract/sandbox-endpoints.ts";
import { WEBHOOK_DELAYS_SECONDS } from "../../src/contract/terms.ts";
import { webhookEndpoints } from "../../src/contract/webhook-endpoints.ts";
import { createGuardedFetch } from "../../src/platform/http/guarded-fetch.ts";
import { failingKind } from "../../src/webhooks/attempt-recorder.ts";
import { readDeliveries } from "../../src/webhooks/deliveries.ts";
import { listEndpoints, setWebhook } from "../../src/webhooks/endpoints.ts";
import { cancelledOrder } from "../cancelled-order.ts";
import { countingRows } from "../rows-returned.ts";
import { startBff, type TestBff, type TestProvider } from "../start-bff.ts";
import { accept, startReceiver, type WebhookReceiver } from "../webhook-receiver.ts";
import { auditOf, credentialId } from "./audit-of.ts";
import { present } from "./orders/orders-world.ts";

let bff: TestBff;
beforeAll(async () => {
  bff = await startBff();
});
afterAll(() => bff.close());

let clinic: TestProvider;
let receiver: WebhookReceiver;
beforeEach(async () => {
  clinic = await bff.createProvider();
  receiver = await startReceiver(bff.clock);
});
afterEach(() => receiver.close());

const unknownId = "5a4f0c1e-0000-4000-8000-000000000001";

async function create(body: object = {}) {
  const call = { as: clinic, body: { url: receiver.url, ...body } };
  return bff.callSpotApi(webhookEndpoints.createWebhookEndpoint, call);
}

/** Registers another address of the same receiver. */
const createOther = () => create({ url: `${receiver.url}/other` });

const listed = async (): Promise<{ id: string; url: string }[]> =>
  (await bff.callSpotApi(webhookEndpoints.listWebhookEndpoints, { as: clinic })).body.webhook_endpoints;

/** Sets the address of the endpoint that signs with the clinic's own secret, like the operator's command. */
async function setWebhookOf(url: string): Promise<void> {
  const guardedFetch = createGuardedFetch({ allowLoopback: true });
  onTestFinished(() => guardedFetch.close());
  const operations = { ...bff.context, db: bff.database.db, guardedFetch, actor: "operator:test" };
  await setWebhook(operations, { providerId: clinic.provider.id, url });
}

/** The hash of an order whose only event has been delivered. */
async function deliveredOrder(): Promise<string> {
  const { hash } = await cancelledOrder(bff, clinic);
  await bff.runDue();
  return hash;
}

async function deliveries(id: string, query: Record<string, string> = {}) {
  const answer = await bff.callSpotApi(webhookEndpoints.listWebhookDeliveries, { as: clinic, params: { id }, query });
  return answer.body;
}

describe("requests with a wrong credential or for a wrong endpoint", () => {
  it.each(Object.entries(webhookEndpoints))("%s is 401 for no secret_key", async (_name, endpoint) => {
    const answer = await bff.callSpotApi(endpoint, { params: { id: unknownId } });
    expect([answer.status, answer.body.code]).toEqual([401, "invalid_credential"]);
    const authorization = `Bearer ${clinic.credentials.client_secret}`;
    expect((await bff.callSpotApi(endpoint, { params: { id: unknownId }, headers: { authorization } })).status).toBe(
      401,
    );
  });

  it.each(Object.entries(webhookEndpoints).filter(([, { path }]) => path.includes("{id}")))(
    "%s is 404 for an endpoint that is unknown, another clinic's, or deleted",
    async (_name, endpoint) => {
      const foreign = await bff.createProvider();
      const made = { as: foreign, body: { url: receiver.url } };
      const theirs = (await bff.callSpotApi(webhookEndpoints.createWebhookEndpoint, made)).body.id;
      const gone = (await create()).body.id;
      await bff.callSpotApi(webhookEndpoints.deleteWebhookEndpoint, { as: clinic, params: { id: gone } });
      for (const id of [unknownId, "x", theirs, gone]) {
        const body = endpoint.method === "GET" || endpoint.method === "DELETE" ? {} : { body: {} };
        const answer = await bff.callSpotApi(endpoint, { as: clinic, params: { id }, ...body });
        expect([answer.status, answer.body.code]).toEqual([404, "webhook_endpoint_not_found"]);
      }
    },
  );
});

describe("an endpoint", () => {
  it("is created with a separate secret, which is shown once and signs its deliveries", async () => {
    const { status, body } = await create({ notify_email: "ops@clinic.example.com" });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      url: receiver.url,
      paused: false,
      failing_since: null,
      notify_email: "ops@clinic.example.com",
    });
    expect(body.kinds).not.toContain("order.changed");
    const read = await bff.callSpotApi(webhookEndpoints.readWebhookEndpoint, { as: clinic, params: { id: body.id } });
    expect(JSON.stringify(read.body)).not.toContain(body.secret);
    await deliveredOrder();
    const [webhook] = receiver.received;
    const hex = createHmac("sha256", body.secret)
      .update(webhook?.raw ?? "")
      .digest("hex");
    expect(webhook?.headers["x-service-signature"]).toBe(`sha256=${hex}`);
  });

  it("is independent of the clinic's others, with its own secret and kinds", async () => {
    const other = await startReceiver(bff.clock);
    const first = (await create()).body;
    bff.clock.advance(1_000);
    const second = (await create({ url: other.url, kinds: ["order.paid", "order.changed"] })).body;
    expect(second.secret).not.toBe(first.secret);
    receiver.behave((response) => response.writeHead(500).end());
    await deliveredOrder();
    expect(receiver.received.map(({ body }) => body.event)).toEqual(["order.cancelled"]);
    expect(other.received.map(({ body }) => body.event)).toEqual(["order.changed"]);
    const listed = await bff.callSpotApi(webhookEndpoints.listWebhookEndpoints, { as: clinic });
    expect(listed.body.webhook_endpoints.map(({ id }: { id: string }) => id)).toEqual([first.id, second.id]);
    await other.close();
  });

  it("explains why an attempt failed, with the endpoint's answer", async () => {
    const { id } = (await create()).body;
    receiver.behave((response) => response.writeHead(401).end("who are you?"));
    await deliveredOrder();
    await receiver.close();
    await bff.advance(60_000);
    const [delivery] = (await deliveries(id)).deliveries;
    expect(delivery.attempts).toMatchObject([
      { failure: "status", status: 401, answer: "who are you?", explanation: expect.stringContaining("answered 401") },
      { failure: "refused", status: null, answer: null, explanation: expect.stringContaining("nothing listens") },
    ]);
  });

  it("queues events while it is paused, and receives them when it resumes", async () => {
    const { id } = (await create()).body;
    const change = (body: object) =>
      bff.callSpotApi(webhookEndpoints.changeWebhookEndpoint, { as: clinic, params: { id }, body });
    expect((await change({ paused: true })).body.paused).toBe(true);
    // Other changes do not resume it.
    expect((await change({ notify_email: "ops@clinic.example.com" })).body.paused).toBe(true);
    await deliveredOrder();
    expect(receiver.received).toHaveLength(0);
    expect((await deliveries(id, { status: "pending" })).deliveries).toMatchObject([
      { attempts: [], next_attempt_at: bff.clock.now().toISOString() },
    ]);
    expect((await change({ paused: false, kinds: ["order.paid"] })).body).toMatchObject({
      paused: false,
      kinds: ["order.paid"],
    });
    await bff.runDue();
    expect(receiver.received).toHaveLength(1);
  });

  it("changes its URL and its contact for failures", async () => {
    const { id } = (await create({ notify_email: "ops@clinic.example.com" })).body;
    const other = await startReceiver(bff.clock);
    const changed = { url: other.url, notify_email: null };
    const call = { as: clinic, params: { id } };
    expect(
      (await bff.callSpotApi(webhookEndpoints.changeWebhookEndpoint, { ...call, body: changed })).body,
    ).toMatchObject(changed);
    expect((await bff.callSpotApi(webhookEndpoints.readWebhookEndpoint, call)).body).toMatchObject(changed);
    await deliveredOrder();
    expect([receiver.received.length, other.received.length]).toEqual([0, 1]);
    await other.close();
  });

  it("receives nothing after it is deleted, and its pending deliveries are dropped", async () => {
    const other = await startReceiver(bff.clock);
    onTestFinished(() => other.close());
    const { id } = (await create()).body;
    const { id: left } = (await create({ url: other.url })).body;
    const rows = () =>
      bff.database.db
        .selectFrom("webhook_deliveries")
        .select(["endpoint_id", "status", "ended_at"])
        .where("provider_id", "=", clinic.provider.id)
        .orderBy("queued_at")
        .execute();
    await deliveredOrder();
    const deliveredAt = bff.clock.now();
    bff.clock.advance(1_000);
    for (const one of [receiver, other]) one.behave((response) => response.writeHead(500).end());
    await deliveredOrder();
    const deleted = await bff.callSpotApi(webhookEndpoints.deleteWebhookEndpoint, { as: clinic, params: { id } });
    expect(deleted.body).toEqual({ id, deleted: true });
    const deliveriesOf = async (endpoint: string) =>
      (await rows()).flatMap(({ endpoint_id, ...row }) => (endpoint_id === endpoint ? [row] : []));
    // Ended deliveries stay on record, and those of other endpoints continue.
    const delivered = { status: "delivered", ended_at: deliveredAt };
    expect(await deliveriesOf(id)).toEqual([delivered, { status: "dropped", ended_at: bff.clock.now() }]);
    expect(await deliveriesOf(left)).toEqual([delivered, { status: "scheduled", ended_at: null }]);
    await bff.advance(6 * 60 * 60_000);
    await deliveredOrder();
    expect(receiver.received).toHaveLength(2);
    expect(other.received).toHaveLength(8);
  });

  it("is deleted at its clinic's own time: waiting deliveries are dropped, and kept on record as usual", async () => {
    const { id } = (await create()).body;
    const ahead = { clock_offset_ms: 400 * 24 * 60 * 60_000 };
    const { db } = bff.database;
    await db.updateTable("providers").set(ahead).where("id", "=", clinic.provider.id).execute();
    receiver.behave((response) => response.writeHead(500).end());
    await deliveredOrder();
    await bff.callSpotApi(webhookEndpoints.deleteWebhookEndpoint, { as: clinic, params: { id } });
    const rows = db.selectFrom("webhook_deliveries").select(["status", "ended_at"]).where("endpoint_id", "=", id);
    const endedAt = new Date(bff.clock.now().getTime() + ahead.clock_offset_ms);
    expect(await rows.execute()).toEqual([{ status: "dropped", ended_at: endedAt }]);
  });

  /** An endpoint that is registered by a command has no separate secret. */
  async function signingAsTheClinic() {
    await setWebhookOf(receiver.url);
    const [endpoint] = await listed();
    return { id: endpoint?.id ?? "", secret: clinic.credentials.webhook_secret };
  }

  it("is created once by the command, then changed, even if others exist, and created again after a deletion", async () => {
    const { id: own } = (await create()).body;
    const others = async () => (await listed()).filter(({ id }) => id !== own);
    await setWebhookOf(`${receiver.url}/first`);
    const [made] = await others();
    await setWebhookOf(`${receiver.url}/second`);
    expect(await others()).toMatchObject([{ id: made?.id, url: `${receiver.url}/second` }]);
    await bff.callSpotApi(webhookEndpoints.deleteWebhookEndpoint, { as: clinic, params: { id: made?.id ?? "" } });
    await setWebhookOf(`${receiver.url}/third`);
    expect(await others()).toMatchObject([{ url: `${receiver.url}/third` }]);
    expect(await listed()).toContainEqual(expect.objectContaining({ id: own, url: receiver.url }));
  });

  it("is the oldest one for the command, if an earlier version created several", async () => {
    const { db } = bff.database;
    for (const url of [`${receiver.url}/first`, `${receiver.url}/second`]) {
      const at = bff.clock.now();
      await sql`insert into webhook_endpoints (id, provider_id, url, kinds, created_at, updated_at)
        values (${bff.context.ids.uuid()}, ${clinic.provider.id}, ${url}, array['order.paid'], ${at}, ${at})`.execute(
        db,
      );
      bff.clock.advance(1_000);
    }
    await setWebhookOf(`${receiver.url}/third`);
    expect((await listed()).map(({ url }) => url)).toEqual([`${receiver.url}/third`, `${receiver.url}/second`]);
  });

  it("rotates its secret with an overlap, in which both verify", async () => {
    await bothVerifyFor((await create()).body);
  });

  it("rotates the clinic's secret in the same way if it has no separate one", async () => {
    await bothVerifyFor(await signingAsTheClinic());
  });

  /** Rotates an endpoint's secret, and checks the signatures during and after the overlap. */
  async function bothVerifyFor({ id, secret }: { readonly id: string; readonly secret: string }): Promise<void> {
    const call = { as: clinic, params: { id }, body: { overlap_hours: 1 } };
    const rotated = (await bff.callSpotApi(webhookEndpoints.rotateWebhookSecret, call)).body;
    expect(new Date(rotated.previous_secret_ends_at).getTime()).toBe(bff.clock.now().getTime() + 3_600_000);
    await deliveredOrder();
    await bff.advance(3_600_000);
    await deliveredOrder();
    const signed = receiver.received.map(({ headers, raw }) => ({
      spec: headers["x-service-signature"],
      standard: String(headers["webhook-signature"]).split(" "),
      of: (one: string) => ({
        spec: `sha256=${createHmac("sha256", one).update(raw).digest("hex")}`,
        standard: new Webhook(one).sign(
          String(headers["webhook-id"]),
          new Date(Number(headers["webhook-timestamp"]) * 1_000),
          raw.toString(),
        ),
      }),
    }));
    expect(signed[0]?.standard).toEqual([signed[0]?.of(secret).standard, signed[0]?.of(rotated.secret).standard]);
    expect(signed[0]?.spec).toBe(signed[0]?.of(secret).spec);
    expect(signed[1]?.standard).toEqual([signed[1]?.of(rotated.secret).standard]);
    expect(signed[1]?.spec).toBe(signed[1]?.of(rotated.secret).spec);
  }

  it("does not change other endpoints' secrets when its own is rotated", async () => {
    const other = await startReceiver(bff.clock);
    const { id } = (await create()).body;
    const { secret } = (await create({ url: other.url })).body;
    const call = { as: clinic, params: { id }, body: { overlap_hours: 0 } };
    await bff.callSpotApi(webhookEndpoints.rotateWebhookSecret, call);
    bff.clock.advance(1_000);
    await deliveredOrder();
    const signatures = other.received.map(({ headers }) => headers["x-service-signature"]);
    expect(signatures).toEqual(
      other.received.map(({ raw }) => `sha256=${createHmac("sha256", secret).update(raw).digest("hex")}`),
    );
    expect(signatures).toHaveLength(1);
    await other.close();
  });

  describe("an endpoint whose every attempt fails", () => {
    const FIVE_DAYS_MS = 5 * 24 * 60 * 60_000;
    const mailbox = "ops@clinic.example.com";

    async function failing() {
      const { id } = (await create({ notify_email: mailbox })).body;
      receiver.behave((response) => response.writeHead(500).end());
      await deliveredOrder();
      const params = { id };
      return {
        since: async () =>
          (await bff.callSpotApi(webhookEndpoints.readWebhookEndpoint, { as: clinic, params })).body.failing_since,
        pause: async (paused: boolean) =>
          (await bff.callSpotApi(webhookEndpoints.changeWebhookEndpoint, { as: clinic, params, body: { paused } }))
            .body,
        remove: () => bff.callSpotApi(webhookEndpoints.deleteWebhookEndpoint, { as: clinic, params }),
      };
    }

    async function mails(): Promise<string[]> {
      const sent = bff.database.db.selectFrom("sandbox_notices").select("to_address");
      const rows = await sent.where("provider_id", "=", clinic.provider.id).execute();
      return rows.map(({ to_address }) => to_address);
    }

    /** The notifications about the clinic's endpoints that are still to be sent. */
    async function waiting(): Promise<unknown[]> {
      const timers = bff.database.db.selectFrom("timers").select("key").where("provider_id", "=", clinic.provider.id);
      return timers.where("kind", "=", failingKind).where("done_at", "is", null).execute();
    }

    it("is marked after five days, and its contact notified; an accepted attempt unmarks it", async () => {
      const endpoint = await failing();
      const firstFailure = bff.clock.now();
      await bff.advance(FIVE_DAYS_MS - 1_000);
      expect(await endpoint.since()).toBeNull();
      await bff.advance(1_000);
      expect(new Date(await endpoint.since()).getTime()).toBeGreaterThanOrEqual(firstFailure.getTime());
      expect(await mails()).toEqual([mailbox]);
      receiver.behave(accept);
      await deliveredOrder();
      expect(await endpoint.since()).toBeNull();
    });

    it("notifies its contact even if another endpoint has failed since the same moment", async () => {
      const another = "another@clinic.example.com";
      await create({ url: `${receiver.url}/other`, notify_email: another });
      await failing();
      await bff.advance(FIVE_DAYS_MS);
      const { rows } =
        await sql`select distinct first_failed_at from webhook_endpoints where provider_id = ${clinic.provider.id}`.execute(
          bff.database.db,
        );
      expect([rows.length, (await mails()).toSorted()]).toEqual([1, [another, mailbox]]);
    });

    it("causes no mail while paused; after it resumes and fails again, five days must pass", async () => {
      const endpoint = await failing();
      await endpoint.pause(true);
      await bff.advance(FIVE_DAYS_MS);
      expect([await mails(), await endpoint.since(), await waiting()]).toEqual([[], null, []]);
      await endpoint.pause(false);
      await deliveredOrder();
      await bff.advance(FIVE_DAYS_MS - 1_000);
      expect(await mails()).toEqual([]);
      await bff.advance(1_000);
      expect([await mails(), await endpoint.since()]).toEqual([[mailbox], expect.any(String)]);
    });

    it("is marked once its mail was sent: an unanswered mail is sent again a minute later", async () => {
      const endpoint = await failing();
      const faults = [{ party: "messenger", method: "sendEmail", kind: "fail_before", calls: 1 }];
      await bff.callOrderApi(sandboxEndpoints.setSandboxFaults, { as: clinic, body: { faults } });
      await bff.advance(FIVE_DAYS_MS + 59_999);
      expect([await mails(), await endpoint.since()]).toEqual([[], null]);
      await bff.advance(1);
      expect([await mails(), await endpoint.since()]).toEqual([[mailbox], expect.any(String)]);
    });

    it("causes no mail once it was deleted", async () => {
      const endpoint = await failing();
      await endpoint.remove();
      await bff.advance(FIVE_DAYS_MS);
      expect([await mails(), await waiting()]).toEqual([[], []]);
    });

    it("restarts the five days even if it resumes before they are over", async () => {
      const endpoint = await failing();
      await endpoint.pause(true);
      await bff.advance(FIVE_DAYS_MS / 2);
      await endpoint.pause(false);
      await deliveredOrder();
      await bff.advance(FIVE_DAYS_MS - 1_000);
      expect(await mails()).toEqual([]);
      await bff.advance(1_000);
      expect(await mails()).toEqual([mailbox]);
    });

    it("stays marked through a pause once reported, and is reported again only after a success", async () => {
      const endpoint = await failing();
      await bff.advance(FIVE_DAYS_MS);
      await endpoint.pause(true);
      expect(await endpoint.pause(false)).toMatchObject({ paused: false, failing_since: expect.any(String) });
      await deliveredOrder();
      await bff.advance(2 * FIVE_DAYS_MS);
      expect([await mails(), await endpoint.since()]).toEqual([[mailbox], expect.any(String)]);
    });

    it("is reported in time if it is resumed without having been paused", async () => {
      const endpoint = await failing();
      await bff.advance(FIVE_DAYS_MS - 1_000);
      await endpoint.pause(false);
      await bff.advance(1_000);
      expect(await mails()).toEqual([mailbox]);
    });
  });

  it("receives a test event, whatever kinds it subscribes to", async () => {
    const { id } = (await create({ kinds: ["order.paid"] })).body;
    const test = await bff.callSpotApi(webhookEndpoints.testWebhookEndpoint, { as: clinic, params: { id }, body: {} });
    expect(test.body).toMatchObject({ event: "endpoint.test", status: "pending", attempts: [] });
    await bff.runDue();
    expect(receiver.received[0]?.body).toEqual({
      event_id: test.body.event_id,
      event: "endpoint.test",
      created_at: test.body.created_at,
      data: {},
    });
  });

  it("receives a failed test event again, as often as any other", async () => {
    receiver.behave((response) => response.writeHead(500).end());
    const { id } = (await create()).body;
    await bff.callSpotApi(webhookEndpoints.testWebhookEndpoint, { as: clinic, params: { id }, body: {} });
    await bff.runDue();
    for (const [place, seconds] of WEBHOOK_DELAYS_SECONDS.entries()) {
      await bff.advance(seconds * 1_000);
      expect(receiver.received).toHaveLength(place + 2);
    }
    const attempts = [1, 2, 3, 4, 5, 6].map((number) => ({ number, status: 500 }));
    expect(await deliveries(id)).toMatchObject({
      deliveries: [{ event: "endpoint.test", status: "failed", attempts }],
    });
  });

  it.each([
    ["no URL", { url: undefined }, 422, "validation_error"],
    ["an unknown kind", { kinds: ["order.lost"] }, 422, "validation_error"],
    ["no kinds", { kinds: [] }, 422, "validation_error"],
    ["an address in our network", { url: "https://10.0.0.1/" }, 400, "endpoint_url_not_allowed"],
    ["no HTTPS", { url: "http://93.184.216.34/" }, 400, "endpoint_url_not_allowed"],
  ])("is refused with %s", async (_what, wrong, status, code) => {
    const answer = await create(wrong);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
    const { id } = (await create()).body;
    if (status === 400) {
      const call = { as: clinic, params: { id }, body: wrong };
      expect((await bff.callSpotApi(webhookEndpoints.changeWebhookEndpoint, call)).body.code).toBe(code);
    }
  });

  it("is refused beyond twenty per clinic, also for concurrent requests", async () => {
    const made = await Promise.all(
      Array.from({ length: 24 }, (_, index) => create({ url: `${receiver.url}/${index}` })),
    );
    expect(made.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
      ...Array(20).fill(201),
      ...Array(4).fill(422),
    ]);
    const [{ id }] = made.flatMap(({ status, body }) => (status === 201 ? [body] : []));
    await bff.callSpotApi(webhookEndpoints.deleteWebhookEndpoint, { as: clinic, params: { id } });
    expect((await listed()).map((one) => one.id)).not.toContain(id);
    expect([(await create()).status, (await createOther()).status]).toEqual([201, 422]);
  });

  it("is tested at most thirty times a minute, without affecting the tests of others", async () => {
    const [one, other] = [(await create()).body.id as string, (await createOther()).body.id as string];
    const test = (id: string) =>
      bff.callSpotApi(webhookEndpoints.testWebhookEndpoint, { as: clinic, params: { id }, body: {} });
    for (let tests = 0; tests < 30; tests += 1) expect((await test(one)).status).toBe(202);
    const { status, body, headers } = await test(one.toUpperCase());
    expect([status, body.code, headers.get("ratelimit-policy")]).toEqual([429, "rate_limited", "30;w=60"]);
    expect((await test(other)).status).toBe(202);
  });
});

describe("a URL that is already registered", () => {
  const change = (id: string, body: object) =>
    bff.callSpotApi(webhookEndpoints.changeWebhookEndpoint, { as: clinic, params: { id }, body });

  it.each([
    ["the same text", (url: string) => url],
    ["another spelling of its host", (url: string) => url.replace("http://127.0.0.1", "HTTP://127.0.0.001")],
    ["a fragment, which is never sent", (url: string) => `${url}#again`],
  ])("is 409 with the id of its endpoint, and nothing is created: %s", async (_what, respelt) => {
    const { id } = (await create()).body;
    const answer = await create({ url: respelt(receiver.url), kinds: ["order.paid"] });
    expect([answer.status, answer.body.code, answer.body.webhook_endpoint_id]).toEqual([
      409,
      "webhook_endpoint_exists",
      id,
    ]);
    await deliveredOrder();
    expect(receiver.received).toHaveLength(1);
    expect((await listed()).map((one) => one.id)).toEqual([id]);
  });

  it("is created once by concurrent requests", async () => {
    const made = await Promise.all(Array.from({ length: 8 }, () => create()));
    expect(made.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
      201,
      ...Array(7).fill(409),
    ]);
  });

  it("is 409 when another endpoint is changed to it, but not when its own is", async () => {
    const { id } = (await create()).body;
    const { id: other } = (await createOther()).body;
    const refused = await change(other, { url: receiver.url });
    expect([refused.status, refused.body.webhook_endpoint_id]).toEqual([409, id]);
    expect((await change(id, { url: receiver.url })).status).toBe(200);
  });

  it("is refused to the operator's command too", async () => {
    await create();
    await expect(setWebhookOf(receiver.url)).rejects.toMatchObject({ code: "webhook_endpoint_exists" });
  });

  it("is free for another clinic, and once its endpoint is deleted or has moved", async () => {
    const { id } = (await create()).body;
    const foreign = await bff.createProvider();
    const call = { as: foreign, body: { url: receiver.url } };
    expect((await bff.callSpotApi(webhookEndpoints.createWebhookEndpoint, call)).status).toBe(201);
    await change(id, { url: `${receiver.url}/moved` });
    const { id: second } = (await create()).body;
    await bff.callSpotApi(webhookEndpoints.deleteWebhookEndpoint, { as: clinic, params: { id: second } });
    expect((await create()).status).toBe(201);
  });

  it("cannot be stored twice, whatever a process fails to check", async () => {
    const { id } = (await create()).body;
    const again = sql`
      insert into webhook_endpoints
      select (jsonb_populate_record(e, jsonb_build_object('id', ${bff.context.ids.uuid()}::text))).*
      from webhook_endpoints e where id = ${id}`;
    await expect(again.execute(bff.database.db)).rejects.toMatchObject({ code: "23505" });
  });
});

describe("a repeat with the same Idempotency-Key", () => {
  const headers = { "idempotency-key": "5a4f-register" };

  it("returns the registered endpoint with its secret, and creates none", async () => {
    const call = { as: clinic, body: { url: receiver.url }, headers };
    const first = await bff.callSpotApi(webhookEndpoints.createWebhookEndpoint, call);
    const again = await bff.callSpotApi(webhookEndpoints.createWebhookEndpoint, call);
    expect([again.status, again.body]).toEqual([201, first.body]);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    const { rows } = await sql<{ body_sealed: string }>`
      select body_sealed from idempotency_keys where provider_id = ${clinic.provider.id}`.execute(bff.database.db);
    expect(rows).toHaveLength(1);
    expect(rows[0]?.body_sealed).not.toContain(first.body.secret);
  });

  it("retries a refused registration once the first endpoint is deleted", async () => {
    const { id } = (await create()).body;
    const call = { as: clinic, body: { url: receiver.url }, headers };
    expect((await bff.callSpotApi(webhookEndpoints.createWebhookEndpoint, call)).status).toBe(409);
    await bff.callSpotApi(webhookEndpoints.deleteWebhookEndpoint, { as: clinic, params: { id } });
    expect((await bff.callSpotApi(webhookEndpoints.createWebhookEndpoint, call)).status).toBe(201);
  });

  it("returns the same rotated secret, which signs the next delivery", async () => {
    const { id } = (await create()).body;
    const call = { as: clinic, params: { id }, body: { overlap_hours: 0 }, headers };
    const first = (await bff.callSpotApi(webhookEndpoints.rotateWebhookSecret, call)).body;
    expect((await bff.callSpotApi(webhookEndpoints.rotateWebhookSecret, call)).body).toEqual(first);
    bff.clock.advance(1_000);
    await deliveredOrder();
    const hex = createHmac("sha256", first.secret).update(receiver.received[0]?.raw ?? "");
    expect(receiver.received[0]?.headers["x-service-signature"]).toBe(`sha256=${hex.digest("hex")}`);
  });

  it("sends nothing again for a test or a replay", async () => {
    const { id } = (await create()).body;
    const call = { as: clinic, params: { id }, headers };
    for (let times = 0; times < 2; times += 1)
      await bff.callSpotApi(webhookEndpoints.testWebhookEndpoint, { ...call, body: {} });
    await bff.runDue();
    expect(receiver.received).toHaveLength(1);
    const [{ id: delivery_id }] = (await deliveries(id)).deliveries;
    for (let times = 0; times < 2; times += 1) {
      await bff.callSpotApi(webhookEndpoints.replayWebhooks, { ...call, body: { delivery_id } });
      await bff.runDue();
    }
    expect(receiver.received).toHaveLength(2);
  });
});

describe("deliveries", () => {
  it("are listed newest first with every attempt and when the next one is due", async () => {
    const { id } = (await create()).body;
    receiver.behave((response) => response.writeHead(503).end("busy"));
    const hash = await deliveredOrder();
    const [delivery] = (await deliveries(id)).deliveries;
    expect(delivery).toMatchObject({ event: "order.cancelled", order_hash: hash, sequence: 1, status: "pending" });
    expect(delivery.attempts).toMatchObject([
      { number: 1, duration_ms: 0, outcome: "failed", failure: "status", status: 503, answer: "busy" },
    ]);
    expect(new Date(delivery.next_attempt_at).getTime()).toBe(bff.clock.now().getTime() + 60_000);
    receiver.behave(accept);
    await bff.advance(60_000);
    const [now] = (await deliveries(id, { status: "delivered" })).deliveries;
    expect(now).toMatchObject({ id: delivery.id, status: "delivered", next_attempt_at: null });
    expect(now.attempts).toHaveLength(2);
  });

  it("are read in pages without repeats or gaps, newest first, and the last page says so", async () => {
    const { id } = (await create()).body;
    // One page ends between two deliveries with the same timestamp.
    for (let moments = 0; moments < 3; moments += 1) {
      bff.clock.advance(1_000);
      for (const _order of [1, 2]) await deliveredOrder();
    }
    const pages: { id: string; created_at: string }[][] = [];
    let after: string | null = null;
    do {
      const page = await deliveries(id, { limit: "3", ...(after === null ? {} : { after }) });
      pages.push(page.deliveries);
      after = page.next;
    } while (after !== null && pages.length < 3);
    expect(pages.map(({ length }) => length)).toEqual([3, 3]);
    const seen = pages.flat();
    expect(new Set(seen.map((delivery) => delivery.id)).size).toBe(6);
    const moments = seen.map(({ created_at }) => created_at);
    expect(moments).toEqual(moments.toSorted().toReversed());
    expect(new Set(moments).size).toBe(3);
  });

  it("are listed with their own attempts", async () => {
    const { id } = (await create()).body;
    receiver.behave((response) => response.writeHead(503).end("first"));
    const first = await deliveredOrder();
    receiver.behave((response) => response.writeHead(503).end("second"));
    const second = await deliveredOrder();
    const delivered = (await deliveries(id)).deliveries.map(
      ({ order_hash, attempts }: { order_hash: string; attempts: { answer: string }[] }) => [
        order_hash,
        attempts.map(({ answer }) => answer),
      ],
    );
    expect(Object.fromEntries(delivered)).toEqual({ [first]: ["first"], [second]: ["second"] });
    // One more delivery than the page is read, to know whether there is another page; each has one attempt.
    const { counted, rowsReturned } = countingRows(bff.database.db);
    const endpoint = (await listEndpoints(bff.database.db, clinic.provider.id)).find((each) => each.id === id);
    await readDeliveries(counted, present(endpoint), { limit: "1", status: "pending" });
    expect(rowsReturned()).toBe(4);
  });

  it("are filtered by their outcome", async () => {
    const { id } = (await create()).body;
    const listedAs = async (status: string) =>
      (await deliveries(id, { status })).deliveries.map(({ order_hash }: { order_hash: string }) => order_hash);
    const listed = async () => [await listedAs("pending"), await listedAs("delivered"), await listedAs("failed")];
    const accepted = await deliveredOrder();
    receiver.behave((response) => response.writeHead(503).end());
    const refused = await deliveredOrder();
    expect(await listed()).toEqual([[refused], [accepted], []]);
    await bff.advance(6 * 60 * 60_000);
    expect(await listed()).toEqual([[], [accepted], [refused]]);
  });

  it("answer 422 after another endpoint's delivery", async () => {
    const [{ id }, { id: other }] = [(await create()).body, (await createOther()).body];
    await deliveredOrder();
    const [{ id: after }] = (await deliveries(other)).deliveries;
    const call = { as: clinic, params: { id }, query: { after } };
    const { status, body } = await bff.callSpotApi(webhookEndpoints.listWebhookDeliveries, call);
    expect([status, body.code]).toEqual([422, "validation_error"]);
  });

  it.each<Record<string, string>>([
    { limit: "0" },
    { limit: "101" },
    { after: "x" },
    { after: unknownId },
    { status: "lost" },
  ])("answer 422 with %j", async (query) => {
    const { id } = (await create()).body;
    const answer = await bff.callSpotApi(webhookEndpoints.listWebhookDeliveries, {
      as: clinic,
      params: { id },
      query,
    });
    expect([answer.status, answer.body.code]).toEqual([422, "validation_error"]);
  });
});

describe("replay", () => {
  const replay = (id: string, body: object) =>
    bff.callSpotApi(webhookEndpoints.replayWebhooks, { as: clinic, params: { id }, body });

  it("sends one delivery alone again under the same id, with the whole schedule", async () => {
    const { id } = (await create()).body;
    await deliveredOrder();
    bff.clock.advance(1_000);
    await deliveredOrder();
    const [delivery] = (await deliveries(id)).deliveries;
    receiver.behave((response) => response.writeHead(500).end());
    expect((await replay(id, { delivery_id: delivery.id })).body).toEqual({ replayed: 1 });
    await bff.runDue();
    await bff.advance(6 * 60 * 60_000);
    const [otherEventId, ...ofOne] = receiver.received.map(({ body }) => body.event_id);
    expect(ofOne).toHaveLength(7);
    expect(new Set(ofOne).size).toBe(1);
    expect(ofOne).not.toContain(otherEventId);
    const [after] = (await deliveries(id)).deliveries;
    expect(after.status).toBe("failed");
    expect(after.attempts.map(({ number }: { number: number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  it("keeps the accepted attempt unchanged, next to the new one", async () => {
    const { id } = (await create()).body;
    receiver.behave((response) => response.writeHead(500).end("not now"));
    await deliveredOrder();
    receiver.behave((response) => response.writeHead(202).end("thanks"));
    await bff.advance(60_000);
    const [accepted] = (await deliveries(id)).deliveries;
    expect(accepted.attempts.map(({ outcome }: { outcome: string }) => outcome)).toEqual(["failed", "succeeded"]);
    receiver.behave((response) => response.writeHead(204).end());
    await bff.advance(60_000);
    expect((await replay(id, { delivery_id: accepted.id })).body).toEqual({ replayed: 1 });
    expect((await deliveries(id)).deliveries[0].attempts).toEqual(accepted.attempts);
    await bff.runDue();
    const [again] = (await deliveries(id)).deliveries;
    expect(again.status).toBe("delivered");
    expect(again.attempts.slice(0, 2)).toEqual(accepted.attempts);
    expect(again.attempts[2]).toMatchObject({ number: 3, outcome: "succeeded", status: 204 });
  });

  it("sends everything since a moment, except earlier deliveries and those in progress", async () => {
    const { id } = (await create()).body;
    await deliveredOrder();
    await bff.advance(60_000);
    const since = bff.clock.now().toISOString();
    await deliveredOrder();
    receiver.behave((response) => response.writeHead(500).end());
    await deliveredOrder();
    receiver.behave(accept);
    const before = receiver.received.length;
    expect((await replay(id, { since })).body).toEqual({ replayed: 1 });
    await bff.runDue();
    expect(receiver.received).toHaveLength(before + 1);
    expect((await replay(id, { since, only_failed: true })).body).toEqual({ replayed: 0 });
  });

  it("sends failed ones again, but neither accepted ones nor another endpoint's", async () => {
    const other = await startReceiver(bff.clock);
    const { id } = (await create()).body;
    await create({ url: other.url });
    const since = bff.clock.now().toISOString();
    await deliveredOrder();
    bff.clock.advance(1_000);
    for (const one of [receiver, other]) one.behave((response) => response.writeHead(500).end());
    await deliveredOrder();
    await bff.advance(6 * 60 * 60_000);
    for (const one of [receiver, other]) one.behave(accept);
    const [before, beforeOfOther] = [receiver.received.length, other.received.length];
    expect((await replay(id, { since, only_failed: true })).body).toEqual({ replayed: 1 });
    await bff.runDue();
    expect([receiver.received.length, other.received.length]).toEqual([before + 1, beforeOfOther]);
    const [again] = (await deliveries(id)).deliveries;
    expect(again).toMatchObject({
      status: "delivered",
      attempts: [...Array(6).fill({ outcome: "failed" }), { number: 7, outcome: "succeeded" }],
    });
    await other.close();
  });

  it("answers 404 for another endpoint's delivery, and 422 without one or with a time of the year 0", async () => {
    const [{ id }, { id: other }] = [(await create()).body, (await createOther()).body];
    await deliveredOrder();
    const [{ id: ofOther }] = (await deliveries(other)).deliveries;
    for (const delivery_id of [unknownId, ofOther]) {
      const missing = await replay(id, { delivery_id });
      expect([missing.status, missing.body.code]).toEqual([404, "delivery_not_found"]);
    }
    expect((await replay(id, {})).status).toBe(422);
    const yearZero = await replay(id, { since: "0000-01-01T00:00:00Z" });
    expect([yearZero.status, yearZero.body]).toMatchObject([422, { errors: [{ path: "since" }] }]);
  });
});

describe("the log of events", () => {
  const log = async (query: Record<string, string> = {}) =>
    (await bff.callSpotApi(webhookEndpoints.listEvents, { as: clinic, query })).body;

  it("is complete, oldest first, identical to the webhooks, and needs no endpoint", async () => {
    const hashes: string[] = [];
    for (let orders = 0; orders < 3; orders += 1) {
      hashes.push(await deliveredOrder());
      bff.clock.advance(1_000);
    }
    const first = await log({ limit: "2" });
    expect(first).toMatchObject({ has_more: true });
    const second = await log({ limit: "2", after: first.next });
    expect(second).toMatchObject({ has_more: false });
    const events = [...first.events, ...second.events];
    expect(events.map(({ order_hash }: { order_hash: string }) => order_hash)).toEqual(hashes);
    expect(await log({ after: second.next })).toEqual({ events: [], next: second.next, has_more: false });
    const more = await deliveredOrder();
    expect((await log({ after: second.next })).events).toMatchObject([{ order_hash: more }]);
  });

  it("contains the same data as the webhook", async () => {
    await create();
    await deliveredOrder();
    expect((await log()).events).toEqual([receiver.received[0]?.body]);
  });

  it("answers 422 after an unknown event, or another clinic's", async () => {
    await deliveredOrder();
    const [{ event_id: foreign }] = (await log()).events;
    clinic = await bff.createProvider();
    for (const after of [unknownId, foreign]) {
      const answer = await bff.callSpotApi(webhookEndpoints.listEvents, { as: clinic, query: { after } });
      expect([answer.status, answer.body.code]).toEqual([422, "validation_error"]);
    }
  });

  it("continues past hundreds of events that partners do not get", async () => {
    const [before, providerId] = [await deliveredOrder(), clinic.provider.id];
    await sql`
      insert into events (id, provider_id, kind, payload, created_at)
      select gen_random_uuid(), ${providerId}::uuid, 'expense.received', '{}', ${bff.clock.now()}::timestamptz + interval '1 millisecond'
      from generate_series(1, 499) as n`.execute(bff.database.db);
    bff.clock.advance(1_000);
    const after = await deliveredOrder();
    const { events, has_more } = await log();
    expect([events.map(({ order_hash }: { order_hash: string }) => order_hash), has_more]).toEqual([
      [before, after],
      false,
    ]);
  });
});

it("every change is in the audit trail, with the credential that made it", async () => {
  const { id } = (await create()).body;
  const call = { as: clinic, params: { id } };
  await bff.callSpotApi(webhookEndpoints.changeWebhookEndpoint, { ...call, body: { paused: true } });
  await bff.callSpotApi(webhookEndpoints.rotateWebhookSecret, { ...call, body: { overlap_hours: 1 } });
  await bff.callSpotApi(webhookEndpoints.replayWebhooks, { ...call, body: { since: bff.clock.now().toISOString() } });
  await bff.callSpotApi(webhookEndpoints.deleteWebhookEndpoint, call);
  const { db } = bff.database;
  const by = {
    actor: "credential:secret_key",
    credential_id: await credentialId(db, clinic.provider, "secret_key"),
    provider_id: clinic.provider.id,
  };
  const of = { subject_kind: "webhook_endpoint", subject_id: id, details: {} };
  expect(await auditOf(db, id)).toEqual([
    { act: "webhook_endpoint.changed", ...by, ...of },
    { act: "webhook_endpoint.created", ...by, ...of },
    { act: "webhook_endpoint.deleted", ...by, ...of },
    { act: "webhook_endpoint.replayed", ...by, ...of },
  ]);
  const ofClinic = await auditOf(db, clinic.provider.id);
  expect(ofClinic.filter(({ act }) => act === "credential.rotated")).toEqual([
    {
      act: "credential.rotated",
      ...by,
      subject_kind: "provider",
      subject_id: clinic.provider.id,
      details: { kind: "webhook_secret", credential_id: expect.any(String), endpoint_id: id },
    },
  ]);
});
