import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import { clp } from "../../../src/contract/vocabulary/clp.ts";
import { DAY_MS } from "../../../src/contract/vocabulary/durations.ts";
import type { SealingKey } from "../../../src/contract/widget-tokens.ts";
import { type Connector, createConnector } from "../../../src/gateways/connector.ts";
import { GatewayUnavailable } from "../../../src/gateways/gateway-call.ts";
import { createHttpCardProcessor, createHttpIdentityRegistry } from "../../../src/gateways/http-gateways.ts";
import type { CardEntry } from "../../../src/gateways/protocols/card-processor.ts";
import { type FetchedKey, type KeptSealingKey, keptSealingKey } from "../../../src/gateways/sealing-key-store.ts";
import { asBackground } from "../../../src/platform/callers.ts";
import { type MovableClock, movableClock } from "../../../src/platform/clock.ts";
import { createLogger } from "../../../src/platform/logger.ts";
import { createMetrics } from "../../../src/platform/metrics.ts";
import { openTestDatabase } from "../../database.ts";
import { callOf, newOrderId, rut } from "./start-gateways.ts";

const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

interface Received {
  readonly url: string | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** Longer than any test. */
const LONG_MS = 3_600_000;

/** A gateway's server that answers as the test requests. */
async function startGateway(answer: (response: ServerResponse, received: Received) => void, deadlineMs = LONG_MS) {
  const received: Received[] = [];
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const one = { url: request.url, headers: request.headers, body: Buffer.concat(chunks).toString() };
      received.push(one);
      answer(response, one);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The test server has no port.");
  const clock = movableClock(new Date("2026-11-21T15:00:00Z"));
  const lines: string[] = [];
  const connector = createConnector({
    metrics: createMetrics(),
    party: "card-processor",
    config: {
      name: "this",
      baseUrl: `http://127.0.0.1:${address.port}/base/`,
      token: "secret-token",
      deadlineMs,
      answerBytesMax: 10_000,
      hasCircuit: true,
    },
    clock,
    logger: createLogger({ level: "debug", destination: { write: (line) => lines.push(line) } }),
  });
  stops.push(
    () => connector.close(),
    () => new Promise((resolve) => server.close(resolve)),
    async () => server.closeAllConnections(),
  );
  stops.reverse();
  return { received, connector, clock, log: () => lines.join("") };
}

/** The state that all processes of a test share. */
function keptTogether(): KeptSealingKey<CardEntry> {
  let last: FetchedKey<CardEntry> | null = null;
  return {
    read: async () => last,
    async keep(heard) {
      last = heard;
    },
  };
}

function processorOver(connector: Connector, clock: MovableClock, kept = keptTogether()) {
  return createHttpCardProcessor({ connector, clock, kept, challengeOrigin: "https://bank.example.com" });
}

const charge = () =>
  ({
    cardId: "card",
    amount: clp(1_000),
    orderHash: newOrderId(),
    initiator: "patient",
    authenticationId: null,
    initialChargeId: null,
  }) as const;

const json = (response: ServerResponse, status: number, body: unknown) =>
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));

const captured = { outcome: "captured", chargeId: "ch_1", amount: 1_000 };

describe("the request to the gateway", () => {
  it("carries the token, the idempotency key, the provider and the time", async () => {
    const { connector, clock, received } = await startGateway((response) => json(response, 200, captured));
    const call = callOf();
    const input = charge();
    expect(await processorOver(connector, clock).charge(call, input)).toEqual(captured);
    expect(received[0]).toMatchObject({
      url: "/base/card-processor/charge",
      headers: { authorization: "Bearer secret-token", "idempotency-key": call.idempotencyKey },
    });
    expect(JSON.parse(received[0]?.body ?? "")).toEqual({
      provider_id: call.providerId,
      at: "2026-11-21T15:00:00.000Z",
      input,
    });
  });
});

describe("a response outside the protocol is unknown", () => {
  it.each<[string, (response: ServerResponse) => unknown]>([
    ["no JSON", (response) => response.end("<html>oops</html>")],
    ["half of an answer", (response) => response.end('{"outcome":"capt')],
    ["bytes that are no text", (response) => response.end(Buffer.from([0xff, 0xfe, 0x00]))],
    ["another outcome", (response) => json(response, 200, { outcome: "maybe" })],
    ["an outcome without its parts", (response) => json(response, 200, { outcome: "captured" })],
    ["an amount that is not an integer", (response) => json(response, 200, { ...captured, amount: 10.5 })],
    ["not found, where a call was made", (response) => json(response, 200, { outcome: "not_found" })],
    ["status 500", (response) => json(response, 500, captured)],
    ["status 201", (response) => json(response, 201, captured)],
    ["a redirect", (response) => response.writeHead(302, { location: "http://127.0.0.1:1/" }).end()],
    ["status 404", (response) => json(response, 404, {})],
    ["a closed connection", (response) => response.destroy()],
    [
      "an answer that is cut",
      (response) => response.writeHead(200, { "content-length": 500 }).write("{}", () => response.destroy()),
    ],
    ["an answer without end", (response) => response.end(JSON.stringify({ ...captured, more: "x".repeat(20_000) }))],
  ])("%s", async (_name, answer) => {
    const { connector, clock, log } = await startGateway(answer);
    const call = callOf();
    expect(await processorOver(connector, clock).charge(call, charge())).toEqual({ outcome: "unknown" });
    expect(log()).toContain("outside.call_failed");
    expect(log()).toContain(`"call":"${call.idempotencyKey}","provider_id":"${call.providerId}"`);
    expect(log()).not.toContain("secret-token");
  });

  it("an answer that does not arrive before the deadline", async () => {
    const { connector, clock } = await startGateway(() => undefined, 50);
    expect(await processorOver(connector, clock).charge(callOf(), charge())).toEqual({ outcome: "unknown" });
  });

  it("an answer that begins, but does not end before the deadline", async () => {
    const { connector, clock } = await startGateway((response) => response.writeHead(200).write('{"outcome":'), 100);
    expect(await processorOver(connector, clock).inquireCharge(callOf())).toEqual({ outcome: "unknown" });
  });

  it("an unavailable list is reported as unavailable", async () => {
    const { connector, clock } = await startGateway((response) => json(response, 500, {}));
    const processor = processorOver(connector, clock);
    await expect(processor.listMovements("provider", new Date(0), new Date(1))).rejects.toThrow(GatewayUnavailable);
    await expect(processor.sealingKey()).rejects.toThrow(GatewayUnavailable);
  });

  it("a registry that cannot be reached is unavailable", async () => {
    const { connector } = await startGateway((response) => response.destroy());
    const input = { providerId: "provider", rut: rut("11.111.111-1"), serial: "123456789", documentType: "CEDULA" };
    expect(await createHttpIdentityRegistry({ connector }).check(input as never)).toEqual({ outcome: "unavailable" });
  });
});

it("background calls that hang leave places for a request's call", async () => {
  const hanging: ServerResponse[] = [];
  let isHanging = true;
  const { connector, clock } = await startGateway((response) => {
    if (isHanging) hanging.push(response);
    else json(response, 200, captured);
  });
  const processor = processorOver(connector, clock);
  const works = Array.from({ length: 100 }, () => asBackground(() => processor.charge(callOf(), charge())));
  await expect.poll(() => hanging.length).toBe(48);
  isHanging = false;
  expect(await processor.charge(callOf(), charge())).toEqual(captured);
  for (const response of hanging) json(response, 200, captured);
  expect(await Promise.all(works)).toEqual(works.map(() => captured));
});

describe("the circuit of a party", () => {
  it("opened by background work does not stop a request's call", async () => {
    let isDown = true;
    const { connector, clock } = await startGateway((response) =>
      isDown ? json(response, 500, {}) : json(response, 200, captured),
    );
    const processor = processorOver(connector, clock);
    for (let time = 0; time < 6; time += 1) await asBackground(() => processor.charge(callOf(), charge()));
    isDown = false;
    expect(await asBackground(() => processor.charge(callOf(), charge()))).toEqual({ outcome: "unknown" });
    expect(await processor.charge(callOf(), charge())).toEqual(captured);
  });

  it("opens after five failures in a row, makes no call while it is open, and tries again after 30 seconds", async () => {
    let isDown = true;
    const { connector, clock, received } = await startGateway((response) =>
      isDown ? response.destroy() : json(response, 200, captured),
    );
    const processor = processorOver(connector, clock);
    for (let time = 0; time < 5; time += 1) await processor.charge(callOf(), charge());
    const sent = received.length;
    isDown = false;
    expect(await processor.charge(callOf(), charge())).toEqual({ outcome: "unknown" });
    expect(await processor.inquireCharge(callOf())).toEqual({ outcome: "unknown" });
    expect(received).toHaveLength(sent);
    clock.advance(30_000);
    expect(await processor.charge(callOf(), charge())).toEqual(captured);
    expect(await processor.charge(callOf(), charge())).toEqual(captured);
  });
});

it("a gateway that answers 429 with Retry-After is not called before that time", async () => {
  let isBusy = true;
  const { connector, clock, received } = await startGateway((response) => {
    if (!isBusy) return json(response, 200, captured);
    response.setHeader("retry-after", "12");
    json(response, 429, {});
  });
  const processor = processorOver(connector, clock);
  expect(await processor.charge(callOf(), charge())).toEqual({ outcome: "unknown" });
  isBusy = false;
  clock.advance(11_999);
  expect(await processor.charge(callOf(), charge())).toEqual({ outcome: "unknown" });
  expect(received).toHaveLength(1);
  clock.advance(1);
  expect(await processor.charge(callOf(), charge())).toEqual(captured);
});

describe("a list", () => {
  it("is read page by page to its end", async () => {
    const line = (id: number) => ({
      id: `m_${id}`,
      kind: "charge",
      chargeId: `m_${id}`,
      idempotencyKey: `key_${id}`,
      orderHash: newOrderId(),
      amount: id,
      at: "2026-11-21T15:00:00.000Z",
    });
    const { connector, clock } = await startGateway((response, { body }) => {
      const { after } = JSON.parse(body);
      if (after === null) json(response, 200, { items: [line(1), line(2)], next: "m_2" });
      else json(response, 200, { items: [line(3)], next: null });
    });
    const list = await processorOver(connector, clock).listMovements("provider", new Date(0), new Date(1));
    expect(list.map(({ id }) => id)).toEqual(["m_1", "m_2", "m_3"]);
  });
});

describe("the sealing key", () => {
  it("is fetched at most once a minute", async () => {
    const key = { kty: "RSA", kid: "k1", alg: "RSA-OAEP-256", use: "enc", n: "AQAB", e: "AQAB" };
    const { connector, clock, received } = await startGateway((response) => json(response, 200, key));
    const processor = processorOver(connector, clock);
    expect(await processor.sealingKey()).toEqual(key);
    clock.advance(59_999);
    await processor.sealingKey();
    expect(received).toHaveLength(1);
    clock.advance(1);
    await processor.sealingKey();
    expect(received).toHaveLength(2);
  });

  it("is the last known one for up to seven days if its owner is unavailable, even in a new process", async () => {
    const key = { kty: "RSA", kid: "k1", alg: "RSA-OAEP-256", use: "enc", n: "AQAB", e: "AQAB" };
    let isAway = false;
    const { connector, clock } = await startGateway((response) => {
      if (isAway) response.destroy();
      else json(response, 200, key);
    });
    const kept = keptTogether();
    const processor = processorOver(connector, clock, kept);
    await processor.sealingKey();
    isAway = true;
    clock.advance(7 * DAY_MS - 1);
    expect(await processor.sealingKey()).toEqual(key);
    expect(await processorOver(connector, clock, kept).sealingKey()).toEqual(key);
    clock.advance(1);
    await expect(processor.sealingKey()).rejects.toThrow(GatewayUnavailable);
  });

  it("delays no patient while its owner does not respond and the last one is known", async () => {
    const key = { kty: "RSA", kid: "k1", alg: "RSA-OAEP-256", use: "enc", n: "AQAB", e: "AQAB" };
    let isHanging = false;
    const { connector, clock } = await startGateway((response) => {
      if (!isHanging) json(response, 200, key);
    });
    const processor = processorOver(connector, clock);
    await processor.sealingKey();
    isHanging = true;
    clock.advance(60_000);
    // Timers in one process run in order of their due times, however long the process was blocked.
    const late = new Promise((resolve) => setTimeout(resolve, 3_000, "late").unref());
    expect(await Promise.race([processor.sealingKey(), late])).toEqual(key);
  });
});

it("a sealing key is kept in the database, and an older one does not replace a newer", async () => {
  const database = await openTestDatabase();
  const kept = keptSealingKey<SealingKey>(database.db, "insurer");
  const heard = (kid: string, at: string): FetchedKey<SealingKey> => ({
    key: { kty: "RSA", kid, alg: "RSA-OAEP-256", use: "enc", n: "AQAB", e: "AQAB" },
    fetchedAt: new Date(at),
  });
  expect(await kept.read()).toBeNull();
  const newer = heard("k2", "2026-11-22T12:00:00Z");
  await kept.keep(newer);
  await kept.keep(heard("k1", "2026-11-21T12:00:00Z"));
  expect([await kept.read(), await keptSealingKey(database.db, "card-processor").read()]).toEqual([newer, null]);
  await database.close();
});
