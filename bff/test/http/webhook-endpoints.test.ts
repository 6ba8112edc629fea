import { createHmac } from "node:crypto";
import { sql } from "kysely";
import { Webhook } from "standardwebhooks";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { WEBHOOK_DELAYS_SECONDS } from "../../src/contract/terms.ts";
import { webhookEndpoints } from "../../src/contract/webhook-endpoints.ts";
import { createGuardedFetch } from "../../src/platform/http/guarded-fetch.ts";
import { failingKind } from "../../src/webhooks/attempt-recorder.ts";
import { setWebhook } from "../../src/webhooks/set-webhook.ts";
import { cancelledOrder } from "../cancelled-order.ts";
import { startBff, type TestBff, type TestProvider } from "../start-bff.ts";
import { accept, startReceiver, type WebhookReceiver } from "../webhook-receiver.ts";
import { auditOf, credentialId } from "./audit-of.ts";

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

const nobody = "5a4f0c1e-0000-4000-8000-000000000001";

async function create(body: object = {}) {
  const call = { as: clinic, body: { url: receiver.url, ...body } };
  return bff.callSpotApi(webhookEndpoints.createWebhookEndpoint, call);
}

/** The hash of an order whose only event has been delivered. */
async function toldOrder(): Promise<string> {
  const { hash } = await cancelledOrder(bff, clinic);
  await bff.runDue();
  return hash;
}

async function deliveries(id: string, query: Record<string, string> = {}) {
  const answer = await bff.callSpotApi(webhookEndpoints.listWebhookDeliveries, { as: clinic, params: { id }, query });
  return answer.body;
}

describe("without the right credential or the right endpoint", () => {
  it.each(Object.entries(webhookEndpoints))("%s is 401 for no secret_key", async (_name, endpoint) => {
    const answer = await bff.callSpotApi(endpoint, { params: { id: nobody } });
    expect([answer.status, answer.body.code]).toEqual([401, "invalid_credential"]);
    const authorization = `Bearer ${clinic.credentials.client_secret}`;
    expect((await bff.callSpotApi(endpoint, { params: { id: nobody }, headers: { authorization } })).status).toBe(401);
  });

  it.each(Object.entries(webhookEndpoints).filter(([, { path }]) => path.includes("{id}")))(
    "%s is 404 for an endpoint that is not there, is another's, or is deleted",
    async (_name, endpoint) => {
      const foreign = await bff.createProvider();
      const made = { as: foreign, body: { url: receiver.url } };
      const theirs = (await bff.callSpotApi(webhookEndpoints.createWebhookEndpoint, made)).body.id;
      const gone = (await create()).body.id;
      await bff.callSpotApi(webhookEndpoints.deleteWebhookEndpoint, { as: clinic, params: { id: gone } });
      for (const id of [nobody, "x", theirs, gone]) {
        const body = endpoint.method === "GET" || endpoint.method === "DELETE" ? {} : { body: {} };
        const answer = await bff.callSpotApi(endpoint, { as: clinic, params: { id }, ...body });
        expect([answer.status, answer.body.code]).toEqual([404, "webhook_endpoint_not_found"]);
      }
    },
  );
});

describe("an endpoint", () => {
  it("is made with a secret of its own, which is shown once and signs", async () => {
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
    await toldOrder();
    const [webhook] = receiver.received;
    const hex = createHmac("sha256", body.secret)
      .update(webhook?.raw ?? "")
      .digest("hex");
    expect(webhook?.headers["x-service-signature"]).toBe(`sha256=${hex}`);
  });

  it("is one of several, each with its own secret and kinds, and none waits for another", async () => {
    const other = await startReceiver(bff.clock);
    const first = (await create()).body;
    bff.clock.advance(1_000);
    const second = (await create({ url: other.url, kinds: ["order.paid", "order.changed"] })).body;
    expect(second.secret).not.toBe(first.secret);
    receiver.behave((response) => response.writeHead(500).end());
    await toldOrder();
    expect(receiver.received.map(({ body }) => body.event)).toEqual(["order.cancelled"]);
    expect(other.received.map(({ body }) => body.event)).toEqual(["order.changed"]);
    const listed = await bff.callSpotApi(webhookEndpoints.listWebhookEndpoints, { as: clinic });
    expect(listed.body.webhook_endpoints.map(({ id }: { id: string }) => id)).toEqual([first.id, second.id]);
    await other.close();
  });

  it("says in words why an attempt failed, with what the endpoint answered", async () => {
    const { id } = (await create()).body;
    receiver.behave((response) => response.writeHead(401).end("who are you?"));
    await toldOrder();
    await receiver.close();
    await bff.advance(60_000);
    const [delivery] = (await deliveries(id)).deliveries;
    expect(delivery.attempts).toMatchObject([
      { failure: "status", status: 401, answer: "who are you?", explanation: expect.stringContaining("answered 401") },
      { failure: "refused", status: null, answer: null, explanation: expect.stringContaining("Nobody listens") },
    ]);
  });

  it("keeps what comes while it is paused, and gets it when it goes on", async () => {
    const { id } = (await create()).body;
    const change = (body: object) =>
      bff.callSpotApi(webhookEndpoints.changeWebhookEndpoint, { as: clinic, params: { id }, body });
    expect((await change({ paused: true })).body.paused).toBe(true);
    await toldOrder();
    expect(receiver.received).toHaveLength(0);
    expect((await deliveries(id, { status: "pending" })).deliveries).toHaveLength(1);
    expect((await change({ paused: false, kinds: ["order.paid"] })).body).toMatchObject({
      paused: false,
      kinds: ["order.paid"],
    });
    await bff.runDue();
    expect(receiver.received).toHaveLength(1);
  });

  it("is sent elsewhere, and another is told that it fails, once that is changed", async () => {
    const { id } = (await create({ notify_email: "ops@clinic.example.com" })).body;
    const other = await startReceiver(bff.clock);
    const changed = { url: other.url, notify_email: null };
    const call = { as: clinic, params: { id } };
    expect(
      (await bff.callSpotApi(webhookEndpoints.changeWebhookEndpoint, { ...call, body: changed })).body,
    ).toMatchObject(changed);
    expect((await bff.callSpotApi(webhookEndpoints.readWebhookEndpoint, call)).body).toMatchObject(changed);
    await toldOrder();
    expect([receiver.received.length, other.received.length]).toEqual([0, 1]);
    await other.close();
  });

  it("gets nothing any more once it is deleted, and what waited for it is dropped", async () => {
    const { id } = (await create()).body;
    receiver.behave((response) => response.writeHead(500).end());
    await toldOrder();
    const deleted = await bff.callSpotApi(webhookEndpoints.deleteWebhookEndpoint, { as: clinic, params: { id } });
    expect(deleted.body).toEqual({ id, deleted: true });
    await bff.advance(6 * 60 * 60_000);
    await toldOrder();
    expect(receiver.received).toHaveLength(1);
  });

  /** An endpoint that is registered by a command has no secret of its own. */
  async function signingAsTheClinic() {
    const guardedFetch = createGuardedFetch({ allowLoopback: true });
    const operations = { ...bff.context, db: bff.database.db, guardedFetch, actor: "operator:test" };
    await setWebhook(operations, { providerId: clinic.provider.id, url: receiver.url });
    await guardedFetch.close();
    const { webhook_endpoints: endpoints } = (
      await bff.callSpotApi(webhookEndpoints.listWebhookEndpoints, { as: clinic })
    ).body;
    return { id: endpoints[0].id, secret: clinic.credentials.webhook_secret };
  }

  it("rotates its secret with an overlap, in which both verify", async () => {
    await bothVerifyFor((await create()).body);
  });

  it("rotates the clinic's secret, with which it signs if it has none of its own, in the same way", async () => {
    await bothVerifyFor(await signingAsTheClinic());
  });

  /** Rotates an endpoint's secret, and looks at what is signed in the overlap and after it. */
  async function bothVerifyFor({ id, secret }: { readonly id: string; readonly secret: string }): Promise<void> {
    const call = { as: clinic, params: { id }, body: { overlap_hours: 1 } };
    const rotated = (await bff.callSpotApi(webhookEndpoints.rotateWebhookSecret, call)).body;
    expect(new Date(rotated.previous_secret_ends_at).getTime()).toBe(bff.clock.now().getTime() + 3_600_000);
    await toldOrder();
    await bff.advance(3_600_000);
    await toldOrder();
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

  it("whose secret is rotated leaves the other endpoints theirs", async () => {
    const other = await startReceiver(bff.clock);
    const { id } = (await create()).body;
    const { secret } = (await create({ url: other.url })).body;
    const call = { as: clinic, params: { id }, body: { overlap_hours: 0 } };
    await bff.callSpotApi(webhookEndpoints.rotateWebhookSecret, call);
    bff.clock.advance(1_000);
    await toldOrder();
    const signatures = other.received.map(({ headers }) => headers["x-service-signature"]);
    expect(signatures).toEqual(
      other.received.map(({ raw }) => `sha256=${createHmac("sha256", secret).update(raw).digest("hex")}`),
    );
    expect(signatures).toHaveLength(1);
    await other.close();
  });

  describe("whose every attempt fails", () => {
    const FIVE_DAYS_MS = 5 * 24 * 60 * 60_000;
    const mailbox = "ops@clinic.example.com";

    async function failing() {
      const { id } = (await create({ notify_email: mailbox })).body;
      receiver.behave((response) => response.writeHead(500).end());
      await toldOrder();
      const params = { id };
      return {
        since: async () =>
          (await bff.callSpotApi(webhookEndpoints.readWebhookEndpoint, { as: clinic, params })).body.failing_since,
        pause: async (paused: boolean) =>
          (await bff.callSpotApi(webhookEndpoints.changeWebhookEndpoint, { as: clinic, params, body: { paused } }))
            .body,
      };
    }

    async function mails(): Promise<string[]> {
      const sent = bff.database.db.selectFrom("sandbox_notices").select("to_address");
      const rows = await sent.where("provider_id", "=", clinic.provider.id).execute();
      return rows.map(({ to_address }) => to_address);
    }

    /** What is still to be told of the clinic's endpoints. */
    async function waiting(): Promise<unknown[]> {
      const timers = bff.database.db.selectFrom("timers").select("key").where("provider_id", "=", clinic.provider.id);
      return timers.where("kind", "=", failingKind).where("done_at", "is", null).execute();
    }

    it("is marked after five days, and whom it names is told; one that is accepted unmarks it", async () => {
      const endpoint = await failing();
      const firstFailure = bff.clock.now();
      await bff.advance(FIVE_DAYS_MS - 1_000);
      expect(await endpoint.since()).toBeNull();
      await bff.advance(1_000);
      expect(new Date(await endpoint.since()).getTime()).toBeGreaterThanOrEqual(firstFailure.getTime());
      expect(await mails()).toEqual([mailbox]);
      receiver.behave(accept);
      await toldOrder();
      expect(await endpoint.since()).toBeNull();
    });

    it("is told to whom it names, also beside another one that fails since the same moment", async () => {
      const another = "another@clinic.example.com";
      await create({ notify_email: another });
      await failing();
      await bff.advance(FIVE_DAYS_MS);
      const { rows } =
        await sql`select distinct first_failed_at from webhook_endpoints where provider_id = ${clinic.provider.id}`.execute(
          bff.database.db,
        );
      expect([rows.length, (await mails()).toSorted()]).toEqual([1, [another, mailbox]]);
    });

    it("is not told of while it is paused; when it goes on and fails again, after five days more", async () => {
      const endpoint = await failing();
      await endpoint.pause(true);
      await bff.advance(FIVE_DAYS_MS);
      expect([await mails(), await endpoint.since(), await waiting()]).toEqual([[], null, []]);
      await endpoint.pause(false);
      await toldOrder();
      await bff.advance(FIVE_DAYS_MS - 1_000);
      expect(await mails()).toEqual([]);
      await bff.advance(1_000);
      expect([await mails(), await endpoint.since()]).toEqual([[mailbox], expect.any(String)]);
    });

    it("begins the five days anew also where it goes on before they are over", async () => {
      const endpoint = await failing();
      await endpoint.pause(true);
      await bff.advance(FIVE_DAYS_MS / 2);
      await endpoint.pause(false);
      await toldOrder();
      await bff.advance(FIVE_DAYS_MS - 1_000);
      expect(await mails()).toEqual([]);
      await bff.advance(1_000);
      expect(await mails()).toEqual([mailbox]);
    });

    it("stays marked through a pause once it was told of, and is told of again only after one that is accepted", async () => {
      const endpoint = await failing();
      await bff.advance(FIVE_DAYS_MS);
      await endpoint.pause(true);
      expect(await endpoint.pause(false)).toMatchObject({ paused: false, failing_since: expect.any(String) });
      await toldOrder();
      await bff.advance(2 * FIVE_DAYS_MS);
      expect([await mails(), await endpoint.since()]).toEqual([[mailbox], expect.any(String)]);
    });

    it("is told of in time where it is said to go on and was never paused", async () => {
      const endpoint = await failing();
      await bff.advance(FIVE_DAYS_MS - 1_000);
      await endpoint.pause(false);
      await bff.advance(1_000);
      expect(await mails()).toEqual([mailbox]);
    });
  });

  it("gets a test event, whatever kinds it asks for", async () => {
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

  it("gets a test event again that it did not take, as often as any other", async () => {
    receiver.behave((response) => response.writeHead(500).end());
    const { id } = (await create()).body;
    await bff.callSpotApi(webhookEndpoints.testWebhookEndpoint, { as: clinic, params: { id }, body: {} });
    await bff.runDue();
    for (const [place, seconds] of WEBHOOK_DELAYS_SECONDS.entries()) {
      await bff.advance(seconds * 1_000);
      expect(receiver.received).toHaveLength(place + 2);
    }
    expect(await deliveries(id)).toMatchObject({ deliveries: [{ event: "endpoint.test", status: "failed" }] });
  });

  it.each([
    ["no URL", { url: undefined }, 422, "validation_error"],
    ["an unknown kind", { kinds: ["order.lost"] }, 422, "validation_error"],
    ["no kinds", { kinds: [] }, 422, "validation_error"],
    ["an address in our network", { url: "https://10.0.0.1/" }, 400, "endpoint_url_not_allowed"],
    ["no HTTPS", { url: "http://93.184.216.34/" }, 400, "endpoint_url_not_allowed"],
  ])("with %s is refused", async (_what, wrong, status, code) => {
    const answer = await create(wrong);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
    const { id } = (await create()).body;
    if (status === 400) {
      const call = { as: clinic, params: { id }, body: wrong };
      expect((await bff.callSpotApi(webhookEndpoints.changeWebhookEndpoint, call)).body.code).toBe(code);
    }
  });

  it("is at most one of twenty, however many are made at once", async () => {
    const made = await Promise.all(Array.from({ length: 24 }, () => create()));
    expect(made.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
      ...Array(20).fill(201),
      ...Array(4).fill(422),
    ]);
  });
});

describe("deliveries", () => {
  it("are listed newest first with every attempt and when the next one is due", async () => {
    const { id } = (await create()).body;
    receiver.behave((response) => response.writeHead(503).end("busy"));
    const hash = await toldOrder();
    const [delivery] = (await deliveries(id)).deliveries;
    expect(delivery).toMatchObject({ event: "order.cancelled", order_hash: hash, sequence: 1, status: "pending" });
    expect(delivery.attempts).toMatchObject([
      { number: 1, outcome: "failed", failure: "status", status: 503, answer: "busy" },
    ]);
    expect(new Date(delivery.next_attempt_at).getTime()).toBe(bff.clock.now().getTime() + 60_000);
    receiver.behave(accept);
    await bff.advance(60_000);
    const [now] = (await deliveries(id, { status: "delivered" })).deliveries;
    expect(now).toMatchObject({ id: delivery.id, status: "delivered", next_attempt_at: null });
    expect(now.attempts).toHaveLength(2);
  });

  it("are read in pages that neither repeat nor skip", async () => {
    const { id } = (await create()).body;
    for (let orders = 0; orders < 5; orders += 1) await toldOrder();
    const seen: string[] = [];
    let after: string | null = null;
    do {
      const page = await deliveries(id, { limit: "2", ...(after === null ? {} : { after }) });
      seen.push(...page.deliveries.map((delivery: { id: string }) => delivery.id));
      after = page.next;
    } while (after !== null);
    expect(seen).toHaveLength(5);
    expect(new Set(seen).size).toBe(5);
  });

  it.each<Record<string, string>>([
    { limit: "0" },
    { limit: "101" },
    { after: "x" },
    { after: nobody },
    { status: "lost" },
  ])("with %j are 422", async (query) => {
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

  it("of one sends it again under the same id, with the whole schedule", async () => {
    const { id } = (await create()).body;
    await toldOrder();
    const [delivery] = (await deliveries(id)).deliveries;
    receiver.behave((response) => response.writeHead(500).end());
    expect((await replay(id, { delivery_id: delivery.id })).body).toEqual({ replayed: 1 });
    await bff.runDue();
    await bff.advance(6 * 60 * 60_000);
    expect(receiver.received).toHaveLength(7);
    expect(new Set(receiver.received.map(({ body }) => body.event_id)).size).toBe(1);
    const [after] = (await deliveries(id)).deliveries;
    expect(after.status).toBe("failed");
    expect(after.attempts.map(({ number }: { number: number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  it("of what was accepted keeps the attempt that was, as it was, beside the new one", async () => {
    const { id } = (await create()).body;
    receiver.behave((response) => response.writeHead(500).end("not now"));
    await toldOrder();
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

  it("of all since a moment leaves out what came before, and what is on its way", async () => {
    const { id } = (await create()).body;
    await toldOrder();
    await bff.advance(60_000);
    const since = bff.clock.now().toISOString();
    await toldOrder();
    receiver.behave((response) => response.writeHead(500).end());
    await toldOrder();
    receiver.behave(accept);
    const before = receiver.received.length;
    expect((await replay(id, { since })).body).toEqual({ replayed: 1 });
    await bff.runDue();
    expect(receiver.received).toHaveLength(before + 1);
    expect((await replay(id, { since, only_failed: true })).body).toEqual({ replayed: 0 });
  });

  it("of what failed sends that again, and neither what was accepted nor another endpoint's", async () => {
    const other = await startReceiver(bff.clock);
    const { id } = (await create()).body;
    await create({ url: other.url });
    const since = bff.clock.now().toISOString();
    await toldOrder();
    bff.clock.advance(1_000);
    for (const one of [receiver, other]) one.behave((response) => response.writeHead(500).end());
    await toldOrder();
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

  it("of a delivery that is not there is 404, and of nothing named 422", async () => {
    const { id } = (await create()).body;
    const missing = await replay(id, { delivery_id: nobody });
    expect([missing.status, missing.body.code]).toEqual([404, "delivery_not_found"]);
    expect((await replay(id, {})).status).toBe(422);
  });
});

describe("the log of events", () => {
  const log = async (query: Record<string, string> = {}) =>
    (await bff.callSpotApi(webhookEndpoints.listEvents, { as: clinic, query })).body;

  it("is complete, oldest first, as the webhooks said it, and needs no endpoint", async () => {
    const hashes: string[] = [];
    for (let orders = 0; orders < 3; orders += 1) {
      hashes.push(await toldOrder());
      bff.clock.advance(1_000);
    }
    const first = await log({ limit: "2" });
    expect(first).toMatchObject({ has_more: true });
    const second = await log({ limit: "2", after: first.next });
    expect(second).toMatchObject({ has_more: false });
    const events = [...first.events, ...second.events];
    expect(events.map(({ order_hash }: { order_hash: string }) => order_hash)).toEqual(hashes);
    expect(await log({ after: second.next })).toEqual({ events: [], next: second.next, has_more: false });
    const more = await toldOrder();
    expect((await log({ after: second.next })).events).toMatchObject([{ order_hash: more }]);
  });

  it("says the same as the webhook did", async () => {
    await create();
    await toldOrder();
    expect((await log()).events).toEqual([receiver.received[0]?.body]);
  });

  it("after what is not in it is 422", async () => {
    const answer = await bff.callSpotApi(webhookEndpoints.listEvents, { as: clinic, query: { after: nobody } });
    expect([answer.status, answer.body.code]).toEqual([422, "validation_error"]);
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
