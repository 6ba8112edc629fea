import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import { Agent, request } from "undici";
import { SANDBOX_COMMISSION_TAX } from "../../sandbox/commission-tax.ts";
import { systemClock } from "../../src/platform/clock.ts";
import type { Database } from "../../src/platform/database/transaction.ts";
import { publishEvent } from "../../src/platform/event-store.ts";
import { createGuardedFetch } from "../../src/platform/http/guarded-fetch.ts";
import { systemIds } from "../../src/platform/ids.ts";
import { createProvider } from "../../src/tenants/manage-provider.ts";
import { createEndpoint } from "../../src/webhooks/endpoints.ts";
import { openTestDatabase } from "../../test/database.ts";
import { orderEventPayload } from "../../test/order-event-payload.ts";
import { median, percentile } from "./load.ts";
import { benchOptions } from "./options.ts";
import { printRow } from "./print-row.ts";
import {
  copyDatabase,
  dropDatabase,
  openReplayPool,
  recordStatements,
  replay,
  type SentTransaction,
} from "./replay.ts";
import { keyring, openWebhookWork } from "./webhook-work.ts";

/*
 * The speed of webhook delivery, on PostgreSQL (TEST_DATABASE=postgres, TEST_DATABASE_URL):
 *
 *     pnpm bench webhooks [--json] [--quick] [--only <part>]
 *
 * Parts: cost, hanging, workers. The receivers run in a separate process. Costs include everything from the event in
 * the log to the recorded attempt.
 */

const { isQuick, only } = benchOptions(import.meta.filename, ["cost", "hanging", "workers"]);
const ENDPOINTS = 10;
const EVENTS = isQuick ? 30 : 500;
const PAIRS = isQuick ? 2 : 10;
const PACED_EVENTS = isQuick ? 20 : 100;
const PACE_MS = 20;
/** The worker's maximum of concurrent attempts at ten endpoints that answer at once. */
const BARE_CONCURRENCY = 200;

async function start(program: string, ...args: string[]): Promise<{ child: ChildProcess; output: string }> {
  const options = ["--conditions=source", new URL(program, import.meta.url).pathname, ...args];
  const child = spawn(process.execPath, options, { stdio: ["pipe", "pipe", "inherit"] });
  const [chunk] = await once(child.stdout ?? child, "data");
  return { child, output: String(chunk).trim() };
}

const receivers = await start("./webhook-receiver.ts");
const base = `http://127.0.0.1:${receivers.output}`;
const database = await openTestDatabase();
const { db } = database;
const guardedFetch = createGuardedFetch({ allowLoopback: true });
const parts = { db, clock: systemClock, ids: systemIds, keyring, environment: "staging" as const };

/** A provider with separate endpoints at these receivers. */
async function newPartner(receiverNames: readonly string[]): Promise<string> {
  const { provider } = await createProvider(parts, {
    name: "Clínica Los Aromos del Sur SpA",
    rut: "76.900.001-1",
    commissionPercentage: 7,
    commissionTax: SANDBOX_COMMISSION_TAX,
    supportEmail: "a@example.com",
  });
  const principal = { provider, credential: "secret_key" as const, credentialId: randomUUID() };
  for (const name of receiverNames) {
    await createEndpoint({ ...parts, guardedFetch, wake: () => undefined }, principal, { url: `${base}/hook/${name}` });
  }
  return provider.id;
}

function append(target: Database, providerId: string): Promise<void> {
  const id = randomUUID();
  const payload = orderEventPayload(id);
  const event = { id: randomUUID(), kind: "order.paid", sequence: 1, payload, createdAt: new Date() } as const;
  return publishEvent(target, { providerId, orderId: id, ...event });
}

async function takeTimes(): Promise<Record<string, number[]>> {
  const { body } = await request(`${base}/take`);
  return (await body.json()) as Record<string, number[]>;
}

const names = Array.from({ length: ENDPOINTS }, (_unused, index) => String(index));

/** Milliseconds for one POST of a webhook's body by bare undici. */
async function barePost(): Promise<number> {
  const agent = new Agent({ connections: BARE_CONCURRENCY });
  const body = JSON.stringify({ created_at: new Date().toISOString(), data: orderEventPayload(randomUUID()) });
  const count = EVENTS * ENDPOINTS;
  let left = count;
  const postAll = async () => {
    while (left > 0) {
      left -= 1;
      const headers = { "content-type": "application/json" };
      const answer = await request(`${base}/hook/bare`, { dispatcher: agent, method: "POST", headers, body });
      await answer.body.dump();
    }
  };
  const begun = performance.now();
  await Promise.all(Array.from({ length: BARE_CONCURRENCY }, postAll));
  const each = (performance.now() - begun) / count;
  await agent.close();
  return each;
}

/** Milliseconds for one delivery, from the event in the log to the recorded attempt. */
async function delivery(): Promise<number> {
  return deliver(await appended());
}

/** A partner with events in the log that have not been dispatched. */
async function appended(): Promise<string> {
  const providerId = await newPartner(names);
  for (let events = 0; events < EVENTS; events += 1) await append(db, providerId);
  return providerId;
}

async function deliver(providerId: string, areEventsFirst = false): Promise<number> {
  const { timers, deliveries } = openWebhookWork(db, 1_000);
  const begun = performance.now();
  // As in the service: deliveries run while the next events are dispatched.
  if (!areEventsFirst) deliveries.start();
  await timers.runDue({ providerId });
  await deliveries.runQueued({ providerId });
  const each = (performance.now() - begun) / (EVENTS * ENDPOINTS);
  await deliveries.stop();
  if ((await delivered(providerId)) !== EVENTS * ENDPOINTS) throw new Error("Not everything was delivered.");
  return each;
}

async function delivered(providerId: string): Promise<number> {
  const { count } = await db
    .selectFrom("webhook_deliveries")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .where("provider_id", "=", providerId)
    .where("status", "=", "delivered")
    .executeTakeFirstOrThrow();
  return count;
}

/** The 99th percentile, in milliseconds, of nine endpoints while a tenth either works or hangs. */
async function otherNine(tenth: string): Promise<number> {
  await takeTimes();
  const nine = names.slice(0, ENDPOINTS - 1);
  const providerId = await newPartner([...nine, tenth]);
  const { timers, deliveries } = openWebhookWork(db, 20);
  timers.start();
  deliveries.start();
  for (let events = 0; events < PACED_EVENTS; events += 1) {
    await append(db, providerId);
    timers.wake();
    await wait(PACE_MS);
  }
  await wait(1_000);
  const taken = await takeTimes();
  const stopped = Promise.all([timers.stop(), deliveries.stop()]);
  await takeTimes();
  await db
    .updateTable("webhook_endpoints")
    .set({ paused_at: new Date() })
    .where("provider_id", "=", providerId)
    .execute();
  await stopped;
  return percentile(
    nine.flatMap((name) => taken[name] ?? []),
    0.99,
  );
}

/** Deliveries per second by this many worker processes, which start with all deliveries due. */
async function byWorkers(count: number): Promise<number> {
  const workers = await Promise.all(Array.from({ length: count }, () => start("./webhook-worker.ts", database.url)));
  const providerId = await newPartner(names);
  await takeTimes();
  for (let events = 0; events < EVENTS; events += 1) await append(db, providerId);
  const begun = performance.now();
  for (const { child } of workers) child.stdin?.write("go\n");
  while ((await delivered(providerId)) < EVENTS * ENDPOINTS) await wait(20);
  const seconds = (performance.now() - begun) / 1_000;
  for (const { child } of workers) child.kill("SIGKILL");
  return (EVENTS * ENDPOINTS) / seconds;
}

/** Records the statements of deliveries whose events were all dispatched before, so that claims find the same rows. */
async function recordDeliveries(): Promise<{ template: string; transactions: readonly SentTransaction[] }> {
  const providerId = await appended();
  const template = await copyDatabase(database.url, `aapd_replay_${randomUUID().replaceAll("-", "")}`);
  const recorded = recordStatements();
  await deliver(providerId, true);
  return { template, transactions: recorded(true) };
}

/** Milliseconds for one delivery's statements by bare `pg`, with as many bare POSTs at the same time. */
async function replayed(template: string, transactions: readonly SentTransaction[]): Promise<number> {
  const url = await copyDatabase(template, `aapd_replay_${randomUUID().replaceAll("-", "")}`);
  const pool = openReplayPool(url);
  const begun = performance.now();
  await Promise.all([replay(pool, transactions), barePost()]);
  const each = (performance.now() - begun) / (EVENTS * ENDPOINTS);
  await pool.end();
  await dropDatabase(url);
  return each;
}

async function cost(): Promise<void> {
  const { template, transactions } = await recordDeliveries();
  const [costs, bounds, toBounds]: [number[], number[], number[]] = [[], [], []];
  for (let pair = 0; pair < PAIRS; pair += 1) {
    const bare = await barePost();
    const bound = await replayed(template, transactions);
    const own = await delivery();
    costs.push(own / bare);
    bounds.push(bound / bare);
    toBounds.push(own / bound);
  }
  const rate = 1_000 / (await delivery());
  printRow({ name: "webhooks_per_second", value: rate, unit: "deliveries/s" });
  printRow({ name: "webhooks_cost_in_bare_posts", value: median(costs), unit: "bare POSTs" });
  printRow({ name: "webhooks_statements_and_posts_in_bare_posts", value: median(bounds), unit: "bare POSTs" });
  printRow({
    name: "webhooks_cost_in_its_statements",
    value: median(toBounds),
    unit: "x its own statements and POSTs",
    limit: { atMost: 1.5 },
  });
  await dropDatabase(template);
}

async function hanging(): Promise<void> {
  const ratios: number[] = [];
  for (let pair = 0; pair < PAIRS; pair += 1) {
    const without = await otherNine("9");
    ratios.push((await otherNine("hang")) / without);
  }
  const name = "webhooks_p99_ratio_with_hanging_endpoint";
  printRow({ name, value: median(ratios), unit: "ratio", limit: { atMost: 1.25 } });
}

async function workers(): Promise<void> {
  const one = await byWorkers(1);
  printRow({ name: "webhooks_two_workers_to_one", value: (await byWorkers(2)) / one, unit: "ratio" });
}

try {
  const parts = { cost, hanging, workers };
  for (const [name, run] of Object.entries(parts)) if (only === null || only === name) await run();
} finally {
  receivers.child.kill();
  await guardedFetch.close();
  await database.close();
}
