import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { openTestDatabase } from "../../test/database.ts";
import { type Attack, type AttackResult, FROM } from "./hostile-attacker.ts";
import { type LoadConnection, median, openConnection, percentile, requestText } from "./load.ts";
import { benchOptions } from "./options.ts";
import { printRow } from "./print-row.ts";
import { endChildren, removeFolder, type Server, type Service, startServer } from "./servers.ts";
import { type Known, type WorstRequest, worstRequests } from "./worst-requests.ts";

/*
 * How much calls without a secret cost a clinic, on PostgreSQL (TEST_DATABASE=postgres, TEST_DATABASE_URL):
 *
 *     pnpm bench hostile [--json] [--quick] [--only cost|attack]
 *
 * `cost`: the processor time for the content of each of the worst requests: its own time less the time of the same call
 * with almost no content.
 *
 * `attack`: how long a clinic's orders take while fifty addresses each send ten of the worst requests a second. This is
 * compared with no attack, and with the same number of calls with almost no content. The three take turns; each ratio
 * is the median over all rounds.
 */

const { isQuick, only } = benchOptions(import.meta.filename, ["cost", "attack"]);
const ROUNDS = isQuick ? 4 : 10;
const REQUESTS_OF_ROUND = isQuick ? 50 : 100;
const PAIRS = isQuick ? 2 : 5;
const WINDOW_MS = isQuick ? 5_000 : 10_000;
const ADDRESSES = 50;
const REQUESTS_PER_SECOND = 10;
/** The load of a clinic with many counters. */
const ORDERS_PER_SECOND = 20;
/** How much slower a clinic's orders may become. */
const P95_RATIO_MAX = 2;
/** Milliseconds of processor time that the content of a request may cost. */
const CONTENT_MS_MAX = 1;

const PATIENT = {
  rut: "40.100.000-3",
  first_name: "Camila",
  last_name: "Rojas Fuentes",
  email: "camila@example.com",
  phone_number: "+56 9 1234 5678",
};

function orderText({ clientSecret }: Service): string {
  const body = { reference: randomUUID(), total_amount: 45_952, customer: PATIENT };
  return requestText("POST", "/orders", { headers: { authorization: `Bearer ${clientSecret}` }, body });
}

async function call<Answer>(port: number, request: string): Promise<Answer> {
  const connection = await openConnection(port);
  const { body } = await connection.send(request);
  connection.close();
  return JSON.parse(body.toString());
}

async function attackerKnowledge(service: Service): Promise<Known> {
  const { hash } = await call<{ hash: string }>(service.port, orderText(service));
  const mint = requestText("POST", `/api/spot/widget?public_key=${service.publicKey}`, { body: { order_token: hash } });
  const { widget_token: token } = await call<{ widget_token: string }>(service.spotPort, mint);
  return { ...service, order: hash, token };
}

/**
 * Processor time of a request in milliseconds. Each request comes from another address, so that no limit refuses it.
 */
async function busyMs(
  { request: ask }: Server<Service>,
  { port, text }: Pick<WorstRequest, "port" | "text">,
): Promise<number> {
  const connection = await openConnection(port);
  const before = await ask<number>("busy");
  for (let count = 0; count < REQUESTS_OF_ROUND; count += 1) {
    addresses += 1;
    await connection.send(text.replace(FROM, `198.18.${(addresses >> 8) % 256}.${addresses % 256}`));
  }
  const after = await ask<number>("busy");
  connection.close();
  return (after - before) / REQUESTS_OF_ROUND;
}
let addresses = 0;

/** The cost of each request compared with the same call with almost no content, measured alternately. */
async function costs(service: Server<Service>, known: Known): Promise<void> {
  const found = worstRequests(known).map((request) => ({
    request,
    pairs: [] as { worst: number; ordinary: number }[],
  }));
  for (let round = 0; round <= ROUNDS; round += 1)
    for (const { request, pairs } of found) {
      const ordinary = await busyMs(service, { port: request.port, text: request.ordinary });
      const worst = await busyMs(service, request);
      // The first round includes just-in-time compilation, so it does not count.
      if (round > 0) pairs.push({ worst, ordinary });
    }
  for (const { request, pairs } of found)
    printRow({
      name: `hostile_${request.caller}_${request.name}`,
      value: median(pairs.map(({ worst, ordinary }) => worst - ordinary)),
      unit: `ms for its content, ${median(pairs.map(({ ordinary }) => ordinary)).toFixed(2)} ms without`,
      limit: { atMost: CONTENT_MS_MAX },
    });
}

/** Milliseconds of each of the clinic's orders, from its scheduled time. */
async function orders(service: Service, milliseconds: number): Promise<number[]> {
  const idle: LoadConnection[] = [];
  const everyMs = 1_000 / ORDERS_PER_SECOND;
  const begun = performance.now();
  const send = async (due: number) => {
    const connection = idle.pop() ?? (await openConnection(service.port));
    const { status } = await connection.send(orderText(service));
    idle.push(connection);
    // A refused order was not created.
    return status === 201 ? performance.now() - due : Number.POSITIVE_INFINITY;
  };
  const answers: Promise<number>[] = [];
  for (let turn = 0; turn * everyMs < milliseconds; turn += 1) {
    const due = begun + turn * everyMs;
    await wait(Math.max(0, due - performance.now()));
    answers.push(send(due));
  }
  const times = await Promise.all(answers);
  for (const connection of idle) connection.close();
  return times;
}

/** The p95 of the clinic's orders in milliseconds while the attacker sends these requests. */
async function p95During(service: Service, attacker: Server<string>, requests: Attack["requests"]): Promise<number> {
  const attack: Attack = { requests, addresses: ADDRESSES, perSecond: REQUESTS_PER_SECOND, milliseconds: WINDOW_MS };
  const result = attacker.request<AttackResult>(attack);
  const attacked = percentile(await orders(service, WINDOW_MS), 0.95);
  const { sent, left, statuses } = await result;
  console.error(`p95 ${attacked.toFixed(1)} ms, ${sent} sent, ${left} left`, statuses);
  return attacked;
}

async function attacks(service: Service, known: Known): Promise<void> {
  const attacker = await startServer<string>("hostile-attacker");
  await orders(service, WINDOW_MS);
  for (const caller of ["claimed_secret", "public"] as const) {
    const worst = worstRequests(known).filter((request) => request.caller === caller);
    const ordinary = worst.map(({ port, ordinary: text }) => ({ port, text }));
    const rounds: { readonly worst: number; readonly content: number }[] = [];
    for (let round = 0; round < PAIRS; round += 1) {
      const quiet = percentile(await orders(service, WINDOW_MS), 0.95);
      const ordinaryMs = await p95During(service, attacker, ordinary);
      const worstMs = await p95During(service, attacker, worst);
      rounds.push({ worst: worstMs / quiet, content: worstMs / ordinaryMs });
    }
    const print = (name: string, unit: string, ratios: number[], limit?: { atMost: number }) =>
      printRow({
        name: `hostile_p95_ratio_${caller}${name}`,
        value: median(ratios),
        unit: `${unit} (${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)} in ${PAIRS} rounds)`,
        limit,
      });
    const limit = { atMost: P95_RATIO_MAX };
    // Public calls come from patients, and as many ordinary ones slow a clinic's orders too.
    const worstLimit = caller === "public" ? undefined : limit;
    print(
      "",
      "of the p95 without attack",
      rounds.map((round) => round.worst),
      worstLimit,
    );
    print(
      "_content",
      "of the p95 under as many ordinary calls",
      rounds.map((round) => round.content),
      limit,
    );
  }
}

const database = await openTestDatabase();
try {
  const service = await startServer<Service>("orders-service", database.url, "requests", "limits");
  const known = await attackerKnowledge(service.ready);
  if (only !== "attack") await costs(service, known);
  if (only !== "cost") await attacks(service.ready, known);
} finally {
  endChildren();
  await database.close();
  await removeFolder();
}
