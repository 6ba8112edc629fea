import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as z from "zod/mini";
import { replaceFaults } from "../../../sandbox/calls/gateway-call-store.ts";
import { orderEndpoints } from "../../../src/contract/order-endpoints.ts";
import { createConnector } from "../../../src/gateways/connector.ts";
import { systemClock } from "../../../src/platform/clock.ts";
import { inTransaction } from "../../../src/platform/database/transaction.ts";
import { createGuardedFetch } from "../../../src/platform/http/guarded-fetch.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { createLogger, silentLogger } from "../../../src/platform/logger.ts";
import { createMetrics } from "../../../src/platform/metrics.ts";
import { scheduleTimer } from "../../../src/platform/timers/timer-store.ts";
import { createTimerWorker } from "../../../src/platform/timers/timer-worker.ts";
import { createSpanSender, type SpanSender } from "../../../src/platform/tracing/send-spans.ts";
import { parseTraceparent } from "../../../src/platform/tracing/traceparent.ts";
import { createTracer, inSpan } from "../../../src/platform/tracing/tracing.ts";
import { setWebhook } from "../../../src/webhooks/endpoints.ts";
import { type OtlpReceiver, startOtlpReceiver } from "../../otlp-receiver.ts";
import { startBff, type TestBff } from "../../start-bff.ts";
import { accept, startReceiver, type WebhookReceiver } from "../../webhook-receiver.ts";
import { type Checkout, checkoutOf } from "../orders/checkout.ts";
import { orderBody, PATIENTS } from "../orders/orders-world.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const CALLER = "00f067aa0ba902b7";
const PROGRAM = { version: "1.2.3", commit: "3f5ee944" };

/** Two processes of one service: the first is called, the second does the work. */
let collector: OtlpReceiver;
let called: TestBff;
let working: TestBff;
let webhooks: WebhookReceiver;
let checkout: Checkout;
const lines: string[] = [];
const senders: SpanSender[] = [];

function traced(serviceName: string) {
  const sender = createSpanSender({
    url: `${collector.endpoint}/v1/traces`,
    serviceName,
    program: PROGRAM,
    logger: silentLogger,
  });
  senders.push(sender);
  const destination = { write: (line: string) => lines.push(line) };
  const logger = createLogger({ level: "debug", program: PROGRAM, destination });
  return { tracer: createTracer({ spanEnded: sender.spanEnded }), logger, callsOverNetwork: true };
}

beforeAll(async () => {
  collector = await startOtlpReceiver();
  called = await startBff(traced("called"));
  working = await startBff({ ...traced("working"), database: called.database });
  webhooks = await startReceiver(called.clock);
  checkout = checkoutOf(called);
  const guardedFetch = createGuardedFetch({ allowLoopback: true });
  const operations = { ...called.context, db: called.database.db, guardedFetch, actor: "operator:test" };
  await setWebhook(operations, { providerId: called.clinic.provider.id, url: webhooks.url });
  await guardedFetch.close();
});
afterAll(async () => {
  await working.close();
  await called.close();
  await webhooks.close();
  await collector.close();
});

/** A request ends for its server shortly after its answer has arrived. */
const until = async (isSo: () => boolean) => {
  while (!isSo()) await turn();
};
const requestsIn = (written: readonly string[]) => written.filter((line) => line.includes('"event":"http.request"'));

const everySpan = async () => {
  for (const sender of senders) await sender.close();
  return collector.spans;
};

async function createOrder(headers: Readonly<Record<string, string>>, customer = {}): Promise<string> {
  const body = orderBody({ total: 40_000, rut: PATIENTS.good, reference: crypto.randomUUID(), customer });
  const created = await called.callOrderApi(orderEndpoints.createOrder, { as: called.clinic, body, headers });
  return created.body.hash;
}

test("one trace covers an order from the partner's request over steps, gateways, events and timers to the webhook", async () => {
  lines.length = 0;
  const hash = await createOrder({ traceparent: `00-${TRACE}-${CALLER}-01` });
  await checkout.identify(hash);
  await checkout.addCard(hash);
  await checkout.pay(hash);
  await working.runDue();
  await until(() => requestsIn(lines).length === 4);

  const [webhook] = webhooks.received;
  expect(webhook?.body.event).toBe("order.paid");
  expect(parseTraceparent(webhook?.headers.traceparent)?.traceId).toBe(TRACE);

  const spans = (await everySpan()).filter(({ traceId }) => traceId === TRACE);
  const named = (name: string) => spans.find((span) => span.name === name);
  const created = named("POST /orders");
  expect(created).toMatchObject({ parentSpanId: CALLER, kind: 2, service: "called" });
  expect(named("POST /orders/:hash/payment")?.parentSpanId).toBe(created?.spanId);
  expect(named("card-processor charge")?.parentSpanId).toBe(named("POST /orders/:hash/payment")?.spanId);
  expect(named("timer outbox.dispatch")).toMatchObject({ service: "working", kind: 5 });
  expect(named("webhook order.paid")).toMatchObject({ service: "working", kind: 3, status: { code: 0 } });
  expect(named("statement")).toBeDefined();
  // The receiver gets the id of the attempt that calls it.
  expect(parseTraceparent(webhook?.headers.traceparent)?.spanId).toBe(named("webhook order.paid")?.spanId);
  // Each span's parent is in the trace, so that the trace is one tree.
  const ids = new Set([CALLER, ...spans.map(({ spanId }) => spanId)]);
  expect(spans.filter(({ parentSpanId = "" }) => !ids.has(parentSpanId)).map(({ name }) => name)).toEqual([]);
});

test("a trace or span id that holds a card number is not adopted from the caller", async () => {
  lines.length = 0;
  const card = "4051885600446623";
  const carried = [`00-${card.padStart(32, "a")}-${CALLER}-01`, `00-${TRACE}-${card}-01`];
  for (const traceparent of carried) await createOrder({ traceparent });
  await until(() => requestsIn(lines).length === carried.length);
  expect(lines.filter((line) => line.includes(card))).toEqual([]);
  expect(JSON.stringify(await everySpan())).not.toContain(card);
});

test("each log line of an order names trace, order, provider, timer or call, process, version and commit", async () => {
  lines.length = 0;
  webhooks.behave((response) => response.destroy());
  const { id: providerId } = called.clinic.provider;
  const hash = await createOrder({ traceparent: `00-${TRACE}-${CALLER}-01` });
  await checkout.identify(hash);
  await checkout.addCard(hash);
  const faults = [{ party: "card-processor", method: "charge", kind: "fail_before", calls: 1 }] as const;
  await inTransaction(called.database.db, (tx) => replaceFaults(tx, providerId, faults));
  await checkout.pay(hash);
  called.clock.advance(60_000);
  await working.runDue();
  await until(() => requestsIn(lines).length === 4);
  const written = lines.map((line) => JSON.parse(line));
  const always = { trace_id: TRACE, process_id: process.pid, ...PROGRAM, order_id: hash, provider_id: providerId };
  const requests = written.filter(({ event }) => event === "http.request");
  expect(requests).toHaveLength(4);
  for (const line of requests) expect(line).toMatchObject(always);
  const [call] = written.filter(({ event }) => event === "outside.call_failed");
  expect(call).toMatchObject({ ...always, party: "card-processor", call: expect.stringMatching(/:charge$/) });
  webhooks.behave(accept);
});

test("every log line written by a failing timer names it", async () => {
  const written: Record<string, unknown>[] = [];
  const destination = { write: (line: string) => void written.push(JSON.parse(line)) };
  const logger = createLogger({ level: "info", program: PROGRAM, destination });
  const { db } = called.database;
  const { id: providerId } = called.clinic.provider;
  const orderId = systemIds.uuid();
  const timers = createTimerWorker({
    ...called.context,
    db,
    logger,
    handlers: {
      async "test.fails"() {
        logger.warn("test.meanwhile");
        throw new Error("It fails.");
      },
    },
    switchOf: {},
    environment: called.context.config.environment,
    concurrency: 1,
    leaseMs: 20_000,
    pollMs: 500,
  });
  const dueAt = called.clock.now();
  await scheduleTimer(db, {
    kind: "test.fails",
    key: `${orderId}:1`,
    providerId,
    dueAt,
    payload: { order_id: orderId },
  });
  await timers.runDue();
  const named = { timer: `${orderId}:1`, order_id: orderId, provider_id: providerId };
  const traced = {
    trace_id: expect.stringMatching(/^[0-9a-f]{32}$/),
    span_id: expect.stringMatching(/^[0-9a-f]{16}$/),
  };
  expect(written).toMatchObject([
    { event: "test.meanwhile", ...named, ...traced },
    { event: "timer.failed", kind: "test.fails", ...named, ...traced, process_id: process.pid, ...PROGRAM },
  ]);
});

test("each day's work of a provider begins a new trace, apart from the order that first scheduled it", async () => {
  const rows = await called.database.db.selectFrom("timers").select(["kind", "key", "traceparent"]).execute();
  const ofProviders = rows.filter(({ key }) => key === called.clinic.provider.id);
  expect(ofProviders.length).toBeGreaterThan(0);
  expect(ofProviders.filter(({ traceparent }) => traceparent !== null)).toEqual([]);
  expect(rows.filter(({ traceparent }) => traceparent?.includes(TRACE)).length).toBeGreaterThan(0);
});

test("spans contain no personal data and no typed value", async () => {
  const planted = {
    first_name: "Plantada",
    last_name: "Quilapán",
    email: "plantada@correo.example",
    phone_number: "+56987654321",
  };
  const hash = await createOrder({ "user-agent": "planted-agent" }, planted);
  await checkout.identify(hash, "987.654.321");
  await checkout.addCard(hash);
  await checkout.pay(hash);
  lines.length = 0;
  await fetch(`${called.orderApi}/orders/planted-path?planted=query`);
  await working.runDue();
  await until(() => requestsIn(lines).length === 1);
  await everySpan();
  const sent = collector.bodies.join("\n");
  expect(sent).toContain("POST /orders/:hash/payment");
  for (const word of [
    "lantad",
    "Quilap",
    "87654321",
    "987.654",
    "planted",
    "4051885",
    PATIENTS.good.slice(0, 8),
    hash,
    "select ",
    "Bearer",
  ])
    expect(sent).not.toContain(word);
});

test("a gateway receives the trace of its call", async () => {
  const asked: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    asked.push(request.headers.traceparent as string | undefined);
    request.resume().on("end", () => response.end("{}"));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const connector = createConnector({
    party: "bank",
    config: {
      name: "bank",
      baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      token: "t",
      deadlineMs: 60_000,
      answerBytesMax: 1_000,
      hasCircuit: false,
    },
    clock: systemClock,
    logger: silentLogger,
    metrics: createMetrics(),
  });
  const reading = { path: "/bank/read", input: z.object({}), answer: z.object({}) };
  const span = createTracer().start({
    name: "test",
    kind: "internal",
    parent: { traceId: TRACE, spanId: CALLER },
  });
  await inSpan(span, () => connector.read(reading, {}));
  await connector.read(reading, {});
  expect(asked).toEqual([expect.stringMatching(`^00-${TRACE}-(?!${span.spanId})[0-9a-f]{16}-01$`), undefined]);
  await connector.close();
  server.close();
});

test("spans that the collector refuses are dropped and logged, and the next are sent", async () => {
  const own = await startOtlpReceiver();
  const warned: unknown[] = [];
  const logger = { ...silentLogger, warn: (event: string, fields?: object) => void warned.push([event, fields]) };
  const sender = createSpanSender({ url: `${own.endpoint}/v1/traces`, serviceName: "own", program: PROGRAM, logger });
  const tracer = createTracer({ spanEnded: sender.spanEnded });
  const work = (name: string) => tracer.start({ name, kind: "internal", parent: null }).end();
  own.answer(503);
  for (let count = 0; count < 513; count += 1) work("lost");
  await sender.close();
  own.answer(200);
  work("kept");
  await sender.close();
  expect(warned).toEqual([
    ["traces.not_sent", { count: 512, error: expect.objectContaining({ code: "status_503" }) }],
    ["traces.not_sent", { count: 1, error: expect.objectContaining({ code: "status_503" }) }],
  ]);
  expect(own.spans.at(-1)?.name).toBe("kept");
  await own.close();
});

test("a request without a valid trace gets a new one", async () => {
  for (const traceparent of ["12.345.678-5", `00-${"0".repeat(32)}-${CALLER}-01`, `00-${TRACE}-${CALLER}-01x`, ""]) {
    lines.length = 0;
    const answer = await fetch(`${called.orderApi}/nothing`, { headers: { traceparent } });
    expect(answer.status).toBe(404);
    await until(() => requestsIn(lines).length === 1);
    const [line] = lines.map((each) => JSON.parse(each));
    expect(line.trace_id).toMatch(/^[0-9a-f]{32}$/);
    expect([TRACE, "0".repeat(32)]).not.toContain(line.trace_id);
  }
});
