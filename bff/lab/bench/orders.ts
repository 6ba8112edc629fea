import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "kysely";
import { openTestDatabase, type TestDatabase } from "../../test/database.ts";
import { PATIENT, payOneOrder } from "./checkout-calls.ts";
import { countingRuts } from "./counting-ruts.ts";
import {
  type LoadConnection,
  type LoadResult,
  median,
  openConnection,
  percentile,
  requestText,
  runLoad,
} from "./load.ts";
import { benchOptions } from "./options.ts";
import { buy, postOrder, sendBuyersCall } from "./order-calls.ts";
import { orderStatement, readCaller } from "./orders-statement.ts";
import { pgbench } from "./pgbench.ts";
import { printRow } from "./print-row.ts";
import { copyDatabase, dropDatabase, type SentTransaction } from "./replay.ts";
import type { RecordedCall } from "./replay-service.ts";
import { endChildren, folder, removeFolder, type Server, type Service, startServer } from "./servers.ts";

/*
 * The cost of POST /orders with every feature enabled (credential, idempotency, validation, limits, log), on PostgreSQL
 * (TEST_DATABASE=postgres, TEST_DATABASE_URL):
 *
 *     pnpm bench orders [--json] [--quick] [--only <part>]
 *
 * Parts: bare, growth, checkout, pglite. The service, the bare Express and the clients are separate processes. Compared
 * variants take turns; each ratio is the median over all pairs.
 */

const { isQuick, only } = benchOptions(import.meta.filename, ["bare", "growth", "checkout", "pglite"]);
const PAIRS = isQuick ? 3 : 9;
const RUN_MS = isQuick ? 1_500 : 4_000;
const WARM_UP_MS = isQuick ? 2_000 : 5_000;
const CHECKOUT_WARM_UP_MS = isQuick ? 5_000 : 20_000;
const CLIENTS = 16;
const PGLITE_CLIENTS = 32;
const MANY_ORDERS = isQuick ? 100_000 : 1_000_000;

function orders(
  { port, clientSecret }: { port: number; clientSecret?: string },
  milliseconds = RUN_MS,
  clients = CLIENTS,
): Promise<LoadResult> {
  return runLoad([port], { clients, milliseconds }, async ([connection]) => {
    await postOrder(connection, clientSecret);
  });
}

/**
 * Measures two variants alternately, so that other load on the machine affects both. Returns the ratio of each pair.
 */
async function inTurns(
  first: () => Promise<number>,
  second: () => Promise<number>,
): Promise<{ ratios: number[]; firsts: number[]; seconds: number[] }> {
  const [ratios, firsts, seconds]: [number[], number[], number[]] = [[], [], []];
  for (let pair = 0; pair < PAIRS; pair += 1) {
    // Alternates which of the two runs first.
    const isFirst = pair % 2 === 0;
    const before = await (isFirst ? first() : second());
    const after = await (isFirst ? second() : first());
    const [one, other] = isFirst ? [before, after] : [after, before];
    firsts.push(one);
    seconds.push(other);
    ratios.push(one / other);
  }
  return { ratios, firsts, seconds };
}

/** Orders per second by pgbench, a C program that only sends statements. */
async function pgbenchOrders(database: TestDatabase, providerId: string): Promise<number> {
  const { text, values, at } = orderStatement(database.db, await readCaller(database.db, providerId));
  const unique: Record<number, string> = {};
  for (const place of at.id) unique[place] = "md5(:n || 'i' || :client_id)::uuid";
  for (const place of [...at.reference, ...at.keyHash]) unique[place] = "md5(:n || 'r' || :client_id)";
  const given = values.map((value) => (value instanceof Date ? value.toISOString() : value));
  const script = text.replace(/\$(\d+)/g, (_whole, number: string) => {
    const place = Number(number) - 1;
    const value = given[place];
    return unique[place] ?? (value === null || value === undefined ? "null" : `:v${place}`);
  });
  const variables = given.flatMap((value, place) =>
    value === null || value === undefined ? [] : ["-D", `v${place}=${String(value)}`],
  );
  return pgbench(database, script, { milliseconds: RUN_MS, variables });
}

async function comparedWithBare(): Promise<void> {
  const database = await openTestDatabase();
  const service = (await startServer<Service>("orders-service", database.url)).ready;
  const bare = (await startServer<{ port: number; clientSecret: string }>("orders-bare", database.url)).ready;
  await orders(service, WARM_UP_MS);
  await orders(bare, WARM_UP_MS);
  const ours = async () => (await orders(service)).perSecond;
  const toBare = await inTurns(ours, async () => (await orders(bare)).perSecond);
  const toAnonymous = await inTurns(ours, async () => (await orders({ port: bare.port })).perSecond);
  const toPgbench = await inTurns(ours, () => pgbenchOrders(database, service.providerId));
  printRow({ name: "orders_per_second", value: median(toBare.firsts), unit: "orders/s" });
  printRow({ name: "orders_bare_express_per_second", value: median(toBare.seconds), unit: "orders/s" });
  printRow({ name: "orders_pgbench_per_second", value: median(toPgbench.seconds), unit: "orders/s" });
  printRow({
    name: "orders_ratio_to_bare_express",
    value: median(toBare.ratios),
    unit: "ratio",
    limit: { atLeast: 0.65 },
  });
  printRow({
    name: "orders_ratio_to_bare_express_without_caller",
    value: median(toAnonymous.ratios),
    unit: "ratio",
  });
  printRow({ name: "orders_ratio_to_pgbench", value: median(toPgbench.ratios), unit: "ratio" });
  endChildren();
  await database.close();
}

/** Inserts orders with all their rows, and a day of stored answers for them. */
async function fill(database: TestDatabase, providerId: string): Promise<void> {
  await sql`
    insert into orders (provider_id, id, environment, reference, state, total, first_part, deferred_part,
      commission_basis_points, customer_rut, customer_first_name, customer_last_name, customer_email, customer_phone,
      created_by, created_at, updated_at)
    select ${providerId}::uuid, md5('order' || n)::uuid, 'production', md5('reference' || n), 'awaiting_payment', 45952, 13786,
      32166, 700, '40100000-3', 'Camila', 'Rojas Fuentes', 'camila@example.com', '+56912345678', ${providerId}::uuid,
      timestamptz '2026-01-01' + n * interval '1 second', timestamptz '2026-01-01' + n * interval '1 second'
    from generate_series(1, ${MANY_ORDERS}::int) as n`.execute(database.db);
  await sql`
    insert into idempotency_keys (provider_id, method, path, key, body_hash, status, body_sealed, expires_at, created_at)
    select ${providerId}::uuid, 'POST', '/orders', 'bench.' || md5('key' || n), 'bench.' || md5('body' || n), 201,
      repeat(md5('sealed' || n), 50), timestamptz '2100-01-01', timestamptz '2026-01-01'
    from generate_series(1, ${Math.round(MANY_ORDERS / 10)}::int) as n`.execute(database.db);
  await sql`vacuum analyze`.execute(database.db);
  await sql`checkpoint`.execute(database.db);
}

async function growth(): Promise<void> {
  const [empty, full] = [await openTestDatabase(), await openTestDatabase()];
  const few = (await startServer<Service>("orders-service", empty.url)).ready;
  const many = (await startServer<Service>("orders-service", full.url)).ready;
  await fill(full, many.providerId);
  await orders(few, WARM_UP_MS);
  await orders(many, WARM_UP_MS);
  const { ratios } = await inTurns(
    async () => (await orders(many)).perSecond,
    async () => (await orders(few)).perSecond,
  );
  const name = isQuick ? "orders_growth_100k" : "orders_growth_1m";
  printRow({ name, value: median(ratios), unit: "ratio", limit: { atLeast: 0.9 } });
  endChildren();
  await empty.close();
  await full.close();
}

/** The minimum number of statements and answers of a checkout. */
const CHECKOUT_STATEMENTS = 12;
const CHECKOUT_ANSWERS = 8;

/**
 * A typical statement of a checkout: it finds a row by its key, updates it and inserts another. It serves as the unit,
 * so never change it.
 */
const USUAL_STATEMENT = `
  with found as (select id, body from bench_rows where id = :n::bigint % 10000),
  changed as (update bench_rows set changes = changes + 1 from found where bench_rows.id = found.id returning bench_rows.id)
  insert into bench_events (id, of, body) select md5(:n || 'e' || :client_id)::uuid, changed.id, '{"kind": "changed"}' from changed
  on conflict do nothing`;

async function fillUsual({ db }: TestDatabase): Promise<void> {
  await sql`create table bench_rows (id bigint primary key, changes integer not null, body jsonb not null)`.execute(db);
  await sql`create table bench_events (id uuid primary key, of bigint not null, body jsonb not null)`.execute(db);
  await sql`insert into bench_rows select n, 0, jsonb_build_object('text', repeat('x', 500)) from generate_series(0, 9999) as n`.execute(
    db,
  );
  await sql`vacuum analyze bench_rows`.execute(db);
}

/** The checkouts that are recorded, and how many of them are replayed before the clock starts. */
const RECORDED = isQuick ? 120 : 600;
const REPLAYED_TO_WARM_UP = isQuick ? 40 : 100;

/** Pays orders one after another and returns the calls of each, with the statements that the service sent for them. */
async function recordCheckouts({ ready: service, request }: Server<Service>): Promise<RecordedCall[][]> {
  const ports = [service.port, service.spotPort, service.widgetPort];
  const connections = await Promise.all(ports.map(openConnection));
  const nextRut = countingRuts(30_000_000);
  const checkouts: RecordedCall[][] = [];
  await request<SentTransaction[]>({});
  while (checkouts.length < RECORDED) {
    const calls: RecordedCall[] = [];
    await payOneOrder(service, nextRut(), async (call) => {
      const answer = await sendBuyersCall(connections, call);
      calls.push({ transactions: await request({}), request: call.body ?? {}, answer });
      return answer;
    });
    checkouts.push(calls);
  }
  for (const connection of connections) connection.close();
  return checkouts;
}

/** A bare Express that answers these checkouts, each time on a fresh copy of the database. Checkouts per second. */
async function startReplay(checkouts: readonly RecordedCall[][], template: string): Promise<() => Promise<number>> {
  const file = join(folder, "checkouts.json");
  await writeFile(file, JSON.stringify(checkouts));
  const server = await startServer<{ port: number }>("replay-service", file);
  const pay = async (first: number, end: number): Promise<number> => {
    let next = first;
    const begun = performance.now();
    const client = async () => {
      const connection = await openConnection(server.ready.port);
      for (let place = next++; place < end; place = next++)
        for (const [call, { request: body }] of (checkouts[place] ?? []).entries()) {
          const answer = await connection.send(requestText("POST", `/${place}/${call}`, { body }));
          if (answer.status !== 200) throw new Error(`A replay answered ${answer.status}: ${answer.body.toString()}`);
        }
      connection.close();
    };
    await Promise.all(Array.from({ length: CLIENTS }, client));
    return (end - first) / ((performance.now() - begun) / 1_000);
  };
  return async () => {
    const url = await copyDatabase(template, `aapd_replay_${randomUUID().replaceAll("-", "")}`);
    await server.request({ url });
    await pay(0, REPLAYED_TO_WARM_UP);
    const rate = await pay(REPLAYED_TO_WARM_UP, RECORDED);
    await server.request({ url: null });
    await dropDatabase(url);
    return rate;
  };
}

/**
 * Divides the time of a whole checkout by the time of its statements with as many answers of a bare Express. A second
 * figure divides it by the time of the fewest statements and answers that a checkout needs.
 */
async function checkout(): Promise<void> {
  const database = await openTestDatabase();
  await fillUsual(database);
  const service = (await startServer<Service>("orders-service", database.url, "requests", "page")).ready;
  const answers = (await startServer<{ port: number }>("bare-answers")).ready;
  const buying = async (milliseconds: number) => {
    const work = (own: readonly LoadConnection[]) => buy(service, own);
    return (
      await runLoad([service.port, service.spotPort, service.widgetPort], { clients: CLIENTS, milliseconds }, work)
    ).perSecond;
  };
  const answering = async () =>
    (
      await runLoad([answers.port], { clients: CLIENTS, milliseconds: RUN_MS }, async ([connection]) => {
        await connection?.send(requestText("POST", "/", { body: { reference: randomUUID(), customer: PATIENT } }));
      })
    ).perSecond;
  const limit = async () =>
    1 /
    (CHECKOUT_STATEMENTS / (await pgbench(database, USUAL_STATEMENT, { milliseconds: RUN_MS })) +
      CHECKOUT_ANSWERS / (await answering()));
  // A checkout runs much code, so compilation takes a while.
  await buying(CHECKOUT_WARM_UP_MS);
  await answering();
  const recording = await startServer<Service>("orders-service", database.url, "requests", "page", "record");
  const template = await copyDatabase(database.url, `aapd_replay_${randomUUID().replaceAll("-", "")}`);
  const replaying = await startReplay(await recordCheckouts(recording), template);
  await replaying();
  const toLimit = await inTurns(limit, () => buying(RUN_MS));
  const toReplay = await inTurns(replaying, () => buying(RUN_MS));
  const ofReplay = median(toLimit.firsts) / median(toReplay.firsts);
  printRow({ name: "checkouts_per_second", value: median(toLimit.seconds), unit: "checkouts/s" });
  printRow({
    name: "checkout_limit_per_second",
    value: median(toLimit.firsts),
    unit: "checkouts/s of the fewest statements and answers",
  });
  printRow({ name: "checkout_cost_in_limit", value: median(toLimit.ratios), unit: "x that" });
  printRow({
    name: "checkout_statements_in_limit",
    value: ofReplay,
    unit: "x that, for its own statements and answers by bare pg and Express",
  });
  printRow({
    name: "checkout_cost_in_its_statements",
    value: median(toReplay.ratios),
    unit: "x its own statements and answers",
    limit: { atMost: 2.5 },
  });
  endChildren();
  await dropDatabase(template);
  await database.close();
}

async function onPglite(): Promise<void> {
  const service = (await startServer<Service>("orders-service", "memory://")).ready;
  const { port } = (await startServer<{ port: number }>("orders-bare", "memory://")).ready;
  const p99 = async (server: Parameters<typeof orders>[0]) =>
    percentile((await orders(server, RUN_MS, PGLITE_CLIENTS)).times, 0.99);
  await orders(service, WARM_UP_MS, PGLITE_CLIENTS);
  await orders({ port }, WARM_UP_MS, PGLITE_CLIENTS);
  const { ratios, firsts } = await inTurns(
    () => p99(service),
    () => p99({ port }),
  );
  printRow({ name: "orders_pglite_p99", value: median(firsts), unit: `ms at ${PGLITE_CLIENTS} clients` });
  printRow({ name: "orders_pglite_p99_ratio", value: median(ratios), unit: "ratio", limit: { atMost: 1.2 } });
  endChildren();
}

try {
  const parts = { bare: comparedWithBare, growth, checkout, pglite: onPglite };
  for (const [name, run] of Object.entries(parts)) if (only === null || only === name) await run();
} finally {
  endChildren();
  await removeFolder();
}
