import { randomUUID } from "node:crypto";
import { cpus, totalmem } from "node:os";
import { sql } from "kysely";
import { request } from "undici";
import { SANDBOX_COMMISSION_TAX } from "../../sandbox/commission-tax.ts";
import { openOutcomesStatement, totalsStatement } from "../../src/back-office/exception-store.ts";
import { ROOM_EXCEPTIONS } from "../../src/back-office/exceptions/room-exceptions.ts";
import { COMPARED_DAYS } from "../../src/back-office/moving-money.ts";
import { movedByDayStatement } from "../../src/orders/ledger/moved-money-store.ts";
import { systemClock } from "../../src/platform/clock.ts";
import type { Database } from "../../src/platform/database/transaction.ts";
import { publishEvent } from "../../src/platform/event-store.ts";
import { createGuardedFetch } from "../../src/platform/http/guarded-fetch.ts";
import { systemIds } from "../../src/platform/ids.ts";
import { silentLogger } from "../../src/platform/logger.ts";
import { createMetrics } from "../../src/platform/metrics.ts";
import { createTimerWorker } from "../../src/platform/timers/timer-worker.ts";
import { createTracer } from "../../src/platform/tracing/tracing.ts";
import { createProvider } from "../../src/tenants/manage-provider.ts";
import { providerClocks } from "../../src/tenants/providers.ts";
import { createEndpoint } from "../../src/webhooks/endpoints.ts";
import { openTestDatabase, type TestDatabase } from "../../test/database.ts";
import { writeManyOrders } from "../../test/many-orders.ts";
import { orderEventPayload } from "../../test/order-event-payload.ts";
import { median, runLoad } from "./load.ts";
import { benchOptions } from "./options.ts";
import { buy, postOrder } from "./order-calls.ts";
import { pgbench } from "./pgbench.ts";
import { printRow } from "./print-row.ts";
import { endChildren, removeFolder, type Service, startServer } from "./servers.ts";
import { keyring, openWebhookWork } from "./webhook-work.ts";

/*
 * What one process and one PostgreSQL carry with a million orders, 100,000 due timers and 1,000 endpoints:
 *
 *     pnpm --silent bench scale --json > bff/lab/bench/measured/scale.jsonl
 *     pnpm --filter bff exec vitest run lab/bench/scale-document.test.ts -u
 *
 * The second command writes docs/reference/scale.md. Parts (--only): orders, timers, endpoints, console, locks. It
 * needs a quiet machine, the built page (pnpm build) and 10 GB of disk. --quick uses a fiftieth of everything.
 */

const { isQuick, only } = benchOptions(import.meta.filename, ["orders", "timers", "endpoints", "console", "locks"]);
const ORDERS = isQuick ? 20_000 : 1_000_000;
const TIMERS = isQuick ? 2_000 : 100_000;
const ENDPOINTS = isQuick ? 20 : 1_000;
const EVENTS_PER_ENDPOINT = 5;
const RUN_MS = isQuick ? 2_000 : 20_000;
const WARM_UP_MS = isQuick ? 2_000 : 20_000;
const CLIENTS = 16;
const READS = 5;

const parts = {
  clock: systemClock,
  ids: systemIds,
  keyring,
  environment: "production" as const,
};

function newProvider(db: Database, name: string) {
  return createProvider(
    { ...parts, db },
    {
      name,
      rut: "76.900.001-1",
      commissionPercentage: 7,
      commissionTax: SANDBOX_COMMISSION_TAX,
      supportEmail: "a@example.com",
    },
  );
}

async function machine({ db }: TestDatabase): Promise<void> {
  const { rows } = await sql<{ version: string }>`select current_setting('server_version') as version`.execute(db);
  const facts = {
    name: "scale_machine",
    cores: cpus().length,
    processor: cpus()[0]?.model.trim() ?? "unknown",
    memory_gb: Math.round(totalmem() / 1024 ** 3),
    node: process.versions.node,
    postgresql: rows[0]?.version.split(" ")[0] ?? "unknown",
    orders: ORDERS,
    timers: TIMERS,
    endpoints: ENDPOINTS,
  };
  console.log(process.argv.includes("--json") ? JSON.stringify(facts) : facts);
}

/** A database with many orders of five clinics. */
async function openFull(): Promise<TestDatabase> {
  const database = await openTestDatabase();
  const providerIds: string[] = [];
  for (let number = 1; number <= 5; number += 1)
    providerIds.push((await newProvider(database.db, `Clínica ${number}`)).provider.id);
  await writeManyOrders(database.db, { providerIds, count: ORDERS, now: systemClock.now() });
  return database;
}

/** New orders and whole checkouts a second by one process, and by two. */
async function orders(database: TestDatabase): Promise<void> {
  const services: Service[] = [];
  for (const processes of [1, 2]) {
    services.push((await startServer<Service>("orders-service", database.url, "requests", "page")).ready);
    const buying = (milliseconds: number) => runOn(services, milliseconds, (service, own) => buy(service, own));
    const creating = (milliseconds: number) =>
      runOn(services, milliseconds, (service, [connection]) => postOrder(connection, service.clientSecret));
    for (const [what, run] of [
      ["checkouts", buying],
      ["orders", creating],
    ] as const) {
      await run(WARM_UP_MS);
      printRow({ name: `scale_${what}_of_${processes}`, value: await run(RUN_MS), unit: "a second" });
    }
  }
  endChildren();
}

/** The rate of all services together, each with its own clients. */
async function runOn(
  services: readonly Service[],
  milliseconds: number,
  work: (service: Service, own: Parameters<typeof buy>[1]) => Promise<void>,
): Promise<number> {
  const rates = await Promise.all(
    services.map((service) =>
      runLoad([service.port, service.spotPort, service.widgetPort], { clients: CLIENTS, milliseconds }, (own) =>
        work(service, own),
      ),
    ),
  );
  return rates.reduce((sum, { perSecond }) => sum + perSecond, 0);
}

/** Due timers that do nothing, run by one process: the cost of claiming and completing them. */
async function timers({ db }: TestDatabase): Promise<void> {
  const { provider } = await newProvider(db, "Clínica de los plazos");
  await sql`insert into timers (kind, key, provider_id, due_at, payload)
    select 'scale.nothing', md5('timer ' || n), ${provider.id}::uuid, timestamptz '2026-01-01', '{}'
    from generate_series(1, ${TIMERS}::int) as n`.execute(db);
  await sql`analyze timers`.execute(db);
  const worker = createTimerWorker({
    ...{ db, clock: systemClock, ids: systemIds, logger: silentLogger, environment: "production" },
    ...{ metrics: createMetrics(), tracer: createTracer(), switchOf: {} },
    handlers: { "scale.nothing": async () => "done" },
    concurrency: 20,
    leaseMs: 60_000,
    pollMs: 1_000,
  });
  const begun = performance.now();
  const ran = await worker.runDue({ providerId: provider.id });
  if (ran < TIMERS) throw new Error("Not every timer ran.");
  printRow({ name: "scale_timers", value: (TIMERS * 1_000) / (performance.now() - begun), unit: "a second" });
}

/** Deliveries to many endpoints of one clinic each, by one process. */
async function endpoints({ db }: TestDatabase): Promise<void> {
  const receiver = await startServer<{ port: number }>("bare-answers");
  const guardedFetch = createGuardedFetch({ allowLoopback: true });
  const url = `http://127.0.0.1:${receiver.ready.port}/hook`;
  await (await request(url, { method: "POST" })).body.dump();
  for (let number = 0; number < ENDPOINTS; number += 1) {
    const { provider } = await newProvider(db, `Clínica con webhook ${number}`);
    const principal = { provider, credential: "secret_key" as const, credentialId: randomUUID() };
    await createEndpoint({ ...parts, db, guardedFetch, wake: () => undefined }, principal, { url });
    for (let event = 0; event < EVENTS_PER_ENDPOINT; event += 1) await append(db, provider.id);
  }
  const work = openWebhookWork(db, 1_000);
  const begun = performance.now();
  work.deliveries.start();
  await work.timers.runDue();
  await work.deliveries.runQueued();
  const milliseconds = performance.now() - begun;
  await work.deliveries.stop();
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from webhook_deliveries
    where status = 'delivered' and provider_id in (select id from providers where name like 'Clínica con webhook %')`.execute(
    db,
  );
  if (rows[0]?.count !== ENDPOINTS * EVENTS_PER_ENDPOINT) throw new Error("Not everything was delivered.");
  printRow({ name: "scale_deliveries", value: (rows[0].count * 1_000) / milliseconds, unit: "a second" });
  endChildren();
}

function append(db: Database, providerId: string): Promise<void> {
  const id = randomUUID();
  const event = { kind: "order.paid", sequence: 1, payload: orderEventPayload(id), createdAt: new Date() } as const;
  return publishEvent(db, { providerId, orderId: id, id: randomUUID(), ...event });
}

/** The statements that every process sends each minute, or an operator's page. */
async function consoleReads({ db }: TestDatabase): Promise<void> {
  const clocks = providerClocks("production", systemClock.now());
  const queries = ROOM_EXCEPTIONS.flatMap((part) => part.queries("production", clocks));
  for (const [what, statement] of [
    ["exceptions", totalsStatement({ queries, clocks }, null)],
    ["open_outcomes", openOutcomesStatement({ queries, clocks })],
    ["money", movedByDayStatement(clocks, COMPARED_DAYS)],
  ] as const) {
    const times: number[] = [];
    for (let read = 0; read < READS; read += 1) {
      const begun = performance.now();
      await statement.execute(db);
      times.push(performance.now() - begun);
    }
    printRow({ name: `scale_console_${what}`, value: median(times), unit: "ms" });
  }
}

/** Advisory locks of a transaction, against locks of a row that exists for it. */
async function locks(database: TestDatabase): Promise<void> {
  const { db } = database;
  await sql`create table bench_locks (id int primary key, at timestamptz not null)`.execute(db);
  await sql`insert into bench_locks select n, timestamptz '2026-01-01' from generate_series(0, 99) as n`.execute(db);
  const rate = (lock: string) => pgbench(database, `begin; ${lock}; commit`, { milliseconds: RUN_MS });
  const [ofClinic, ofAll] = ["(:n::bigint % 100)::int", "0"];
  for (const [name, key] of [
    ["of_100", ofClinic],
    ["of_one", ofAll],
  ] as const) {
    const advisory = await rate(`select pg_advisory_xact_lock(1, ${key})`);
    const row = await rate(`select from bench_locks where id = ${key} for no key update`);
    printRow({ name: `scale_locks_advisory_${name}`, value: advisory, unit: "a second" });
    printRow({ name: `scale_locks_row_${name}`, value: row, unit: "a second" });
  }
  const advisory = await rate(`select pg_advisory_xact_lock_shared(1, ${ofAll})`);
  const row = await rate(`select from bench_locks where id = ${ofAll} for key share`);
  printRow({ name: "scale_locks_advisory_shared", value: advisory, unit: "a second" });
  printRow({ name: "scale_locks_row_shared", value: row, unit: "a second" });
}

const database = only === "locks" ? await openTestDatabase() : await openFull();
try {
  await machine(database);
  const all = { orders, timers, endpoints, console: consoleReads, locks };
  for (const [name, run] of Object.entries(all)) if (only === null || only === name) await run(database);
} finally {
  endChildren();
  await database.close();
  await removeFolder();
}
