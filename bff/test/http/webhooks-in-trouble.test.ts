import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { orderEndpoints } from "../../src/contract/order-endpoints.ts";
import { DatabaseUnavailable } from "../../src/platform/database/errors.ts";
import { createGuardedFetch } from "../../src/platform/http/guarded-fetch.ts";
import { KeyringFileInvalid } from "../../src/platform/keyring-file.ts";
import { silentLogger } from "../../src/platform/logger.ts";
import { requireWebhookKeys, webhookSecretsBeside } from "../../src/tenants/credentials.ts";
import { createAttemptRecorder } from "../../src/webhooks/attempt-recorder.ts";
import { replayWebhooks, sendTest } from "../../src/webhooks/deliveries.ts";
import { retryKind } from "../../src/webhooks/delivery-schedule.ts";
import { createDeliveryWorker, type DeliveryWorkerOptions } from "../../src/webhooks/delivery-worker.ts";
import { actingAs, changeEndpoint, listEndpoints, setWebhook } from "../../src/webhooks/endpoints.ts";
import { webhookTimerHandlers } from "../../src/webhooks/work.ts";
import { startBff, type TestBff, type TestProvider } from "../start-bff.ts";
import { troubledDatabase } from "../troubled-database.ts";
import { startReceiver, type WebhookReceiver } from "../webhook-receiver.ts";
import { credentialId } from "./audit-of.ts";
import { openGate } from "./orders/hanging-call.ts";

let bff: TestBff;
const guardedFetch = createGuardedFetch({ allowLoopback: true });
beforeAll(async () => {
  bff = await startBff();
});
afterAll(async () => {
  await guardedFetch.close();
  await bff.close();
});

interface Partner extends TestProvider {
  readonly receiver: WebhookReceiver;
}

const opened: WebhookReceiver[] = [];
afterAll(() => Promise.all(opened.map((receiver) => receiver.close())));

/** A provider whose receiver accepts everything. */
async function createPartner(): Promise<Partner> {
  const created = await bff.createProvider();
  const receiver = await startReceiver(bff.clock);
  opened.push(receiver);
  const operations = { ...bff.context, db: bff.database.db, guardedFetch, actor: "operator:test" };
  await setWebhook(operations, { providerId: created.provider.id, url: receiver.url });
  return { ...created, receiver };
}

/** One event of a partner: an order that was created and cancelled. */
async function cancelOrder(partner: Partner): Promise<void> {
  const body = {
    reference: randomUUID(),
    total_amount: 45_952,
    customer: {
      rut: "40.100.000-3",
      first_name: "Ñusta",
      last_name: "Quispe Mamani",
      email: "nusta@example.com",
      phone_number: "+56 9 1234 5678",
    },
  };
  const created = await bff.callOrderApi(orderEndpoints.createOrder, { as: partner, body });
  await bff.callOrderApi(orderEndpoints.cancelOrder, { as: partner, params: { hash: created.body.hash }, body: {} });
}

/** A delivery that is due and not claimed yet. */
async function queueFor({ provider }: Partner): Promise<void> {
  const { db } = bff.database;
  const { ids, clock } = bff.context;
  const { id: endpointId } = await db
    .selectFrom("webhook_endpoints")
    .select("id")
    .where("provider_id", "=", provider.id)
    .executeTakeFirstOrThrow();
  const at = clock.now();
  // The endpoint that queues a test also wakes the worker, which would claim it.
  await sql`
    insert into webhook_deliveries (id, provider_id, endpoint_id, webhook_id, kind, status, queued_at, attempts,
      failures, round, attempted, created_at)
    values (${ids.uuid()}, ${provider.id}, ${endpointId}, ${ids.uuid()}, 'endpoint.test', 'queued', ${at}, 0, 0, 1,
      false, ${at})`.execute(db);
}

/** The final state of a partner's deliveries, with every attempt. */
function attemptsOf(partner: Partner) {
  return bff.database.db
    .selectFrom("webhook_deliveries as d")
    .leftJoin("all_webhook_attempts as a", "a.delivery_id", "d.id")
    .select(["d.status as delivery", "a.outcome", "a.failure"])
    .where("d.provider_id", "=", partner.provider.id)
    .orderBy("a.number")
    .execute();
}

/** The secret, sealed by a key that is no longer in the keyring. */
async function loseKeyOf(partner: Partner): Promise<void> {
  await bff.database.db
    .updateTable("credentials")
    .set({ sealed: `lost.${Buffer.alloc(64, 7).toString("base64url")}` })
    .where("provider_id", "=", partner.provider.id)
    .where("kind", "=", "webhook_secret")
    .execute();
}

async function endSecretsOf(partner: Partner): Promise<void> {
  await bff.database.db
    .updateTable("credentials")
    .set({ ends_at: bff.clock.now() })
    .where("provider_id", "=", partner.provider.id)
    .where("kind", "=", "webhook_secret")
    .execute();
}

/** A separate worker with some parts replaced by the test. */
function workerWith(parts: Partial<DeliveryWorkerOptions>) {
  const base = { ...bff.context, db: bff.database.db };
  return createDeliveryWorker({
    environment: "staging",
    ...base,
    guardedFetch,
    signatureWord: "Service",
    pollMs: 3_600_000,
    secretsBeside: webhookSecretsBeside(base),
    ...parts,
  });
}

/** A logger, and the errors that it received. */
function errorLog() {
  const logged: unknown[] = [];
  const error = (event: string, fields?: object) => void logged.push({ event, ...fields });
  return { logger: { ...silentLogger, error }, logged };
}

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

let partner: Partner;
beforeEach(async () => {
  partner = await createPartner();
});

describe("a secret that cannot be opened", () => {
  it("stops no other partner's events: they arrive at the first poll", async () => {
    const unlucky = await createPartner();
    await loseKeyOf(unlucky);
    await cancelOrder(unlucky);
    await cancelOrder(partner);
    await bff.runDue();
    expect(partner.receiver.received).toHaveLength(1);
    expect(unlucky.receiver.received).toHaveLength(0);
    await endSecretsOf(unlucky);
  });

  it("prevents a process from starting if its key was removed from the keyring", async () => {
    const { keyring, clock } = bff.context;
    await requireWebhookKeys({ db: bff.database.db, clock, keyring });
    const unlucky = await createPartner();
    await loseKeyOf(unlucky);
    const started = requireWebhookKeys({ db: bff.database.db, clock, keyring });
    await expect(started).rejects.toThrow(KeyringFileInvalid);
    await expect(started).rejects.toThrow('lacks "lost"');
    await endSecretsOf(unlucky);
    await requireWebhookKeys({ db: bff.database.db, clock, keyring });
  });
});

describe("an attempt that cannot be made", () => {
  it("counts as an attempt, so that six give up the delivery, but not as a failure of the receiver", async () => {
    await endSecretsOf(partner);
    await cancelOrder(partner);
    await bff.runDue();
    await bff.advance(2 * 60 * 60_000);
    const failed = { delivery: "exhausted", outcome: "failed", failure: "internal" };
    expect(await attemptsOf(partner)).toEqual(Array(6).fill(failed));
    const endpoint = await bff.database.db
      .selectFrom("webhook_endpoints")
      .select("first_failed_at")
      .where("provider_id", "=", partner.provider.id)
      .executeTakeFirstOrThrow();
    expect(endpoint.first_failed_at).toBeNull();
  });

  it("is logged with its cause", async () => {
    await endSecretsOf(partner);
    await queueFor(partner);
    const { logger, logged } = errorLog();
    expect(await workerWith({ logger }).runQueued()).toBe(1);
    const error = expect.objectContaining({ message: "An endpoint has no secret to sign with." });
    expect(logged).toEqual([{ event: "webhooks.attempt_failed", delivery_id: expect.any(String), error }]);
  });

  it("is not sent as a test event under the order event's id if that is missing from the log", async () => {
    await queueFor(partner);
    await bff.database.db
      .updateTable("webhook_deliveries")
      .set({
        kind: "order.paid",
        event_id: bff.context.ids.uuid(),
        id: sql`webhook_delivery_id(endpoint_id, webhook_id)`,
      })
      .where("provider_id", "=", partner.provider.id)
      .execute();
    const { logger, logged } = errorLog();
    await workerWith({ logger }).runQueued();
    expect(partner.receiver.received).toEqual([]);
    expect(logged).toMatchObject([{ error: { message: "A delivery names an event that is not in the log." } }]);
    expect(await attemptsOf(partner)).toEqual([{ delivery: "scheduled", outcome: "failed", failure: "internal" }]);
  });

  /** A worker that seems to die at the end of each attempt, until the test repairs it. */
  function dyingWorker() {
    let isWell = false;
    const worker = workerWith({
      db: troubledDatabase(bff.database.db, (query) => {
        if (!isWell && query.includes("with ended as")) throw new Error("Nothing can be recorded.");
      }),
    });
    return {
      async lookEvery(milliseconds: number, times: number) {
        for (let look = 0; look < times; look += 1) {
          await worker.runQueued();
          bff.clock.advance(milliseconds);
        }
      },
      getWell: () => {
        isWell = true;
      },
    };
  }

  it("is repeated however often the service dies within an hour, and arrives in the end", async () => {
    await queueFor(partner);
    const worker = dyingWorker();
    await worker.lookEvery(30_000, 120);
    worker.getWell();
    await worker.lookEvery(3_700_000, 1);
    await worker.lookEvery(0, 1);
    const attempts = await attemptsOf(partner);
    expect(attempts.at(-1)).toEqual({ delivery: "delivered", outcome: "succeeded", failure: null });
    // Each time it backs off twice as long.
    expect(attempts.length).toBeLessThan(10);
  });

  it("is given up if it never ends, after days of interruptions", async () => {
    await queueFor(partner);
    await dyingWorker().lookEvery(3_630_001, 110);
    const attempts = await attemptsOf(partner);
    expect(attempts).toEqual(Array(100).fill({ delivery: "exhausted", outcome: "interrupted", failure: null }));
  });
});

describe("recording accepted deliveries of many receivers", () => {
  const RECEIVERS = 3;
  const EACH = 10;

  /** Many deliveries are accepted at the same moment, so that they are written together, with database faults. */
  async function deliverTogether(trouble: (query: string) => void, { receivers = RECEIVERS, each = EACH } = {}) {
    const db = troubledDatabase(bff.database.db, trouble);
    const { logger, logged } = errorLog();
    const partners = [partner];
    while (partners.length < receivers) partners.push(await createPartner());
    for (const one of partners) for (let count = 0; count < each; count += 1) await queueFor(one);
    const sent: string[] = [];
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const worker = workerWith({
      db,
      logger,
      guardedFetch: {
        async fetch({ headers }) {
          sent.push(headers?.["webhook-id"] ?? "");
          if (sent.length >= receivers * each) release();
          await released;
          return { status: 204, headers: {}, body: new Uint8Array() };
        },
      },
    });
    await worker.runQueued();
    bff.clock.advance(30_000);
    await worker.runQueued();
    return { sent, partners, logged };
  }

  it("records the successes of many endpoints", async () => {
    let deadlocks = 1;
    const { sent } = await deliverTogether((query) => {
      if (!query.includes("with ended as") || deadlocks === 0) return;
      deadlocks -= 1;
      throw Object.assign(new Error("deadlock detected"), { code: "40P01" });
    });
    expect(deadlocks).toBe(0);
    expect(sent).toHaveLength(RECEIVERS * EACH);
    expect(new Set(sent).size).toBe(RECEIVERS * EACH);
  });

  it("survives a deadlock, also when one is written alone", async () => {
    let deadlocks = 1;
    const db = troubledDatabase(bff.database.db, (query) => {
      if (!query.includes("with ended as") || deadlocks === 0) return;
      deadlocks -= 1;
      throw Object.assign(new Error("deadlock detected"), { code: "40P01" });
    });
    await queueFor(partner);
    await workerWith({ db }).runQueued();
    expect([deadlocks, await attemptsOf(partner)]).toEqual([
      0,
      [{ delivery: "delivered", outcome: "succeeded", failure: null }],
    ]);
  });

  it("is not retried one by one during an outage of the database, and is logged once", async () => {
    let isAway = true;
    const { sent, logged } = await deliverTogether((query) => {
      if (!query.includes("with ended as") || !isAway) return;
      isAway = false;
      throw new DatabaseUnavailable("The connection broke.");
    });
    const error = expect.any(DatabaseUnavailable);
    expect(logged).toEqual([{ event: "webhooks.attempts_not_recorded", count: RECEIVERS * EACH, error }]);
    expect(sent).toHaveLength(2 * RECEIVERS * EACH);
    expect(new Set(sent).size).toBe(RECEIVERS * EACH);
  });

  it("takes one statement for all deliveries that end while the previous statement runs", async () => {
    const written = openGate();
    let statements = 0;
    const db = bff.database.db.withPlugin({
      transformQuery({ node }) {
        statements += 1;
        return node;
      },
      async transformResult({ result }) {
        await written.opened;
        return result;
      },
    });
    const metrics = { webhookAttempted: () => undefined };
    const recorder = createAttemptRecorder({ ...bff.context, db, metrics, isBusy: () => false });
    const at = bff.clock.now();
    const how = { startedAt: at, endedAt: at, outcome: "succeeded", failure: null, status: 204, answer: "" } as const;
    const stored: Promise<void>[] = [];
    for (const _turn of [1, 2, 3]) {
      const record = { ...how, deliveryId: randomUUID(), leaseId: randomUUID(), next: "delivered" } as const;
      stored.push(recorder.record({ record, endedAt: at, failures: 1 }));
      await nextTurn();
      await nextTurn();
    }
    written.open();
    await Promise.all(stored);
    expect(statements).toBe(2);
  });

  it.each([
    { receivers: RECEIVERS, each: EACH },
    { receivers: 1, each: 2 },
  ])("loses only the one that cannot be written: $each of each of $receivers", async (many) => {
    let unwritable: string | undefined;
    const { sent, logged } = await deliverTogether((query) => {
      if (!query.includes("with ended as")) return;
      unwritable ??= /[0-9a-f-]{36}/.exec(query)?.[0] ?? "none";
      if (query.includes(unwritable)) throw Object.assign(new Error("no"), { code: "22P05" });
    }, many);
    expect(unwritable).toHaveLength(36);
    expect(logged).toMatchObject(Array(2).fill({ event: "webhooks.attempts_not_recorded", count: 1 }));
    expect(sent).toHaveLength(many.receivers * many.each + 1);
    expect(new Set(sent).size).toBe(many.receivers * many.each);
    // Leaves nothing for the workers of other tests: its lease has expired by now.
    await bff.advance(3_600_000);
    expect(await workerWith({}).runQueued()).toBe(0);
  });
});

describe("concurrent attempts at one endpoint", () => {
  const QUEUED = 40;

  async function queueMany(): Promise<number> {
    for (let count = 0; count < QUEUED; count += 1) await queueFor(partner);
    return QUEUED;
  }

  interface Receiving {
    readonly answersAfterMs?: number;
    readonly status?: number;
    readonly queue?: () => Promise<number>;
  }

  /** The receiver answers the first request at once, and the others once its places are full. Returns the maximum. */
  async function mostUnderWay(receiving: Receiving): Promise<number> {
    const { answersAfterMs = 0, status = 204, queue = queueMany } = receiving;
    const queued = await queue();
    const counted = { begun: 0, underWay: 0, most: 0 };
    const released = openGate();
    const worker = workerWith({
      guardedFetch: {
        async fetch() {
          const isFirst = counted.begun === 0;
          counted.begun += 1;
          counted.underWay += 1;
          counted.most = Math.max(counted.most, counted.underWay);
          // Waits for the next turn, so that everything claimed by one poll is counted.
          if (counted.begun > counted.underWay) setImmediate(released.open);
          await (isFirst ? nextTurn() : released.opened);
          bff.clock.advance(answersAfterMs);
          counted.underWay -= 1;
          return { status, headers: {}, body: new Uint8Array() };
        },
      },
    });
    expect(await worker.runQueued()).toBe(queued);
    return counted.most;
  }

  it("are limited to twenty if the previous answer came within a quarter of a second", async () => {
    expect(await mostUnderWay({ answersAfterMs: 250 })).toBe(20);
  });

  it("are limited to ten if it took longer, so that a sequential receiver answers all in time", async () => {
    expect(await mostUnderWay({ answersAfterMs: 251 })).toBe(10);
  });

  it("are limited to two if the previous one failed", async () => {
    await queueFor(partner);
    partner.receiver.behave((response) => response.writeHead(500).end());
    await bff.runDue();
    expect(await mostUnderWay({ status: 500 })).toBe(2);
  });

  it("free their places when they are answered, however long recording takes", async () => {
    const AT_ONCE = 10;
    for (let count = 0; count <= AT_ONCE; count += 1) await queueFor(partner);
    let begun = 0;
    let goOn: () => void = () => undefined;
    const next = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const asked = new WeakMap<object, string>();
    let isWritten = false;
    let wasWritten = true;
    const db = bff.database.db.withPlugin({
      transformQuery({ node, queryId }) {
        asked.set(queryId, JSON.stringify(node));
        return node;
      },
      async transformResult({ result, queryId }) {
        const query = asked.get(queryId) ?? "";
        // Nothing is recorded yet, so a query would never find a free place.
        if (query.includes("with recursive waiting") && result.rows.length === 0) goOn();
        if (!query.includes("with ended as")) return result;
        await next;
        isWritten = true;
        return result;
      },
    });
    const fetch = async () => {
      begun += 1;
      if (begun > AT_ONCE) {
        wasWritten = isWritten;
        goOn();
      }
      // Too slow to get more places.
      bff.clock.advance(251);
      return { status: 204, headers: {}, body: new Uint8Array() };
    };
    expect(await workerWith({ db, guardedFetch: { fetch } }).runQueued()).toBe(AT_ONCE + 1);
    expect([isWritten, wasWritten]).toEqual([true, false]);
  });

  it("are limited to ten again if one was answered quickly and a later one slowly", async () => {
    let [begun, takesMs] = [0, 0];
    let isHeld = false;
    let most = 0;
    const fetch = async () => {
      begun += 1;
      if (isHeld) await nextTurn();
      most = Math.max(most, begun);
      bff.clock.advance(takesMs);
      begun -= 1;
      return { status: 204, headers: {}, body: new Uint8Array() };
    };
    const worker = workerWith({ guardedFetch: { fetch } });
    for (const milliseconds of [0, 251]) {
      takesMs = milliseconds;
      await queueFor(partner);
      expect(await worker.runQueued()).toBe(1);
    }
    isHeld = true;
    expect(await worker.runQueued()).toBe(0);
    expect(await queueMany()).toBe(await worker.runQueued());
    expect(most).toBe(10);
  });

  it("are awaited only by a caller for the same clinic", async () => {
    const other = await createPartner();
    await queueFor(partner);
    let answer: () => void = () => undefined;
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    let begin: () => void = () => undefined;
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const fetch = async () => {
      begin();
      await answered;
      return { status: 204, headers: {}, body: new Uint8Array() };
    };
    const worker = workerWith({ guardedFetch: { fetch } });
    let isOver = false;
    const own = worker.runQueued({ providerId: partner.provider.id });
    await begun;
    const again = worker.runQueued({ providerId: partner.provider.id }).then(() => {
      isOver = true;
    });
    for (let looks = 0; looks < 3; looks += 1) await workerWith({}).runQueued();
    expect(isOver).toBe(false);
    expect(await worker.runQueued({ providerId: other.provider.id })).toBe(0);
    answer();
    await Promise.all([own, again]);
  });

  it("are limited to five hundred across all endpoints", async () => {
    // Twice as many as there are places, so that every place is used twice.
    const queue = async () => {
      const { rows } = await sql`
        with endpoint as (
          insert into webhook_endpoints (id, provider_id, url, kinds, created_at, updated_at)
          select gen_random_uuid(), ${partner.provider.id}, ${partner.receiver.url}, array['order.paid'], ${bff.clock.now()}, ${bff.clock.now()}
          from generate_series(1, 101) returning id, provider_id, created_at
        )
        insert into webhook_deliveries (id, provider_id, endpoint_id, webhook_id, kind, status, queued_at, attempts, failures, round,
          attempted, created_at)
        select gen_random_uuid(), provider_id, id, gen_random_uuid(), 'endpoint.test', 'queued', created_at, 0, 0, 1, false, created_at
        from endpoint, generate_series(1, 10) returning id`.execute(bff.database.db);
      return rows.length;
    };
    expect(await mostUnderWay({ queue })).toBe(500);
  });
});

it("a delivery has ten seconds, follows no redirect, and reads no more of the answer than is stored", async () => {
  await queueFor(partner);
  const asked: unknown[] = [];
  const fetch: DeliveryWorkerOptions["guardedFetch"]["fetch"] = async ({
    headers: _signed,
    body: _body,
    ...request
  }) => {
    asked.push(request);
    return { status: 204, headers: {}, body: new Uint8Array() };
  };
  await workerWith({ guardedFetch: { fetch } }).runQueued();
  const limits = { timeoutMs: 10_000, redirectsMax: 0, answerBytesMax: 4_096, longerAnswer: "cut" };
  expect(asked).toEqual([{ url: partner.receiver.url, method: "POST", ...limits }]);
});

it("queueing a delivery wakes the worker, so that it is sent before the next poll", async () => {
  let woken = 0;
  const wake = () => {
    woken += 1;
  };
  const { db } = bff.database;
  const operations = { ...bff.context, db, guardedFetch, wake };
  const [endpoint] = await listEndpoints(db, partner.provider.id);
  if (endpoint === undefined) throw new Error("The partner has an endpoint.");
  const secretKey = await credentialId(db, partner.provider, "secret_key");
  const principal = { provider: partner.provider, credential: "secret_key", credentialId: secretKey } as const;
  const { id } = await sendTest(operations, endpoint, bff.clock.now());
  expect(woken).toBe(1);
  await bff.runDue();
  expect(await replayWebhooks(operations, actingAs(principal), endpoint, { delivery_id: id })).toBe(1);
  expect(woken).toBe(2);
  await changeEndpoint(operations, principal, endpoint, { paused: false });
  expect(woken).toBe(3);
  const retry = webhookTimerHandlers({ ...operations, messenger: { sendEmail: () => Promise.reject() } })[retryKind];
  const of = { kind: retryKind, key: `${id}:1`, providerId: partner.provider.id, payload: { delivery_id: id } };
  const timer = { ...of, dueAt: bff.clock.now(), attempts: 1, traceparent: null, leaseId: randomUUID() };
  await retry?.(timer, { finish: () => Promise.resolve(), signal: new AbortController().signal });
  expect(woken).toBe(4);
  // Leaves nothing for the workers of other tests.
  await bff.runDue();
});

it("a stopping worker finishes its running attempts, and starts none", async () => {
  await queueFor(partner);
  const [begun, answered] = [openGate(), openGate()];
  const fetch = async () => {
    begun.open();
    await answered.opened;
    return { status: 204, headers: {}, body: new Uint8Array() };
  };
  const worker = workerWith({ guardedFetch: { fetch } });
  worker.start();
  await begun.opened;
  let isStopped = false;
  const stopped = worker.stop().then(() => {
    isStopped = true;
  });
  await queueFor(partner);
  worker.wake();
  await attemptsOf(partner);
  expect(isStopped).toBe(false);
  answered.open();
  await stopped;
  expect((await attemptsOf(partner)).map(({ delivery }) => delivery).toSorted()).toEqual(["delivered", "queued"]);
  expect(await worker.runQueued({ providerId: partner.provider.id })).toBe(1);
});
