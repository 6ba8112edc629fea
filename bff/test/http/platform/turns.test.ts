import { once } from "node:events";
import type { Socket } from "node:net";
import express from "express";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { orderEndpoints } from "../../../src/contract/order-endpoints.ts";
import { systemClock } from "../../../src/platform/clock.ts";
import { createKnownCallers } from "../../../src/platform/http/admit-request.ts";
import { ApiError } from "../../../src/platform/http/api-error.ts";
import { type MountDependencies, mountRoutes } from "../../../src/platform/http/mount-routes.ts";
import { createRateLimiter } from "../../../src/platform/http/rate-limit.ts";
import type { CallerLookup } from "../../../src/platform/http/receive-request.ts";
import { requestContext } from "../../../src/platform/http/request-context.ts";
import { defineRoute } from "../../../src/platform/http/route.ts";
import { type RunningServer, startServer } from "../../../src/platform/http/server.ts";
import { createTurns, leaveTurn } from "../../../src/platform/http/turns.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { createKeyring } from "../../../src/platform/keyring.ts";
import { silentLogger } from "../../../src/platform/logger.ts";
import { createMetrics } from "../../../src/platform/metrics.ts";
import type { Principal } from "../../../src/platform/provider.ts";
import { createTracer } from "../../../src/platform/tracing/tracing.ts";
import { openTestDatabase, type TestDatabase } from "../../database.ts";
import { present } from "../orders/orders-world.ts";

/*
 * Two requests without a secret run at a time, and three from one address may wait. The test decides when handlers end.
 */

const SECRET = "a clinic's secret";
let database: TestDatabase;
let server: RunningServer;
/** The names of the requests whose handlers have started, and how to end each. */
let started: string[];
let ends: Map<string, () => void>;
/** The paths of the requests that have requested a turn, and their connections. */
let arrived: string[];
let sockets: Socket[];

beforeAll(async () => {
  database = await openTestDatabase();
  const app = express();
  app.set("trust proxy", 1);
  app.use(requestContext({ metrics: createMetrics(), tracer: createTracer(), ids: systemIds, logger: silentLogger }));
  const keyring = createKeyring({ keys: [{ id: "test", secret: Buffer.alloc(32, 1) }], environment: "staging" });
  const work = { db: database.db, clock: systemClock, ids: systemIds, keyring };
  const turns = createTurns({ atOnceMax: 2, waitingMax: 3 });
  const dependencies: MountDependencies = {
    ...work,
    identify: (_endpoint, { headers: { authorization } }) =>
      authorization === undefined ? null : callerOf(authorization),
    rateLimiter: createRateLimiter(work),
    addressLimits: {
      countGuess: async () => null,
      countPublicCall: async () => undefined,
      patientLookups: () => [],
    },
    knownCallers: createKnownCallers(),
    turns: {
      take(request, work) {
        const turn = turns.take(request, work);
        arrived.push(request.path);
        sockets.push(request.socket);
        return turn;
      },
    },
    idempotency: work,
    checkAnswers: false,
    refusesMisspelledFields: false,
    metrics: createMetrics(),
    allowsOrigin: null,
  };
  const route = defineRoute(orderEndpoints.getOrder, {
    handle: async ({ params: { hash = "" } }) => {
      started.push(hash);
      if (hash.startsWith("gateway")) leaveTurn();
      await new Promise<void>((resolve) => ends.set(hash, resolve));
      return { status: 200, body: {} };
    },
  });
  mountRoutes(app, dependencies, [route]);
  server = await startServer({ listener: app, port: 0, address: "127.0.0.1", portVariable: "PORT" });
});
afterAll(async () => {
  await server.close({ deadlineMs: 0 });
  await database.close();
});
beforeEach(() => {
  started = [];
  ends = new Map();
  arrived = [];
  sockets = [];
});

function callerOf(authorization: string): CallerLookup {
  return {
    isSecret: true,
    key: authorization,
    statement: sql`select gen_random_uuid() as provider_id, gen_random_uuid() as credential_id, '{}'::text[] as scopes,
      '{}'::json as provider, true as is_complete where ${authorization} = ${SECRET}::text`,
    read: () => ({ provider: { id: "prov_1", scopes: [], clockOffsetMs: 0 } }) as unknown as Principal,
    refusal: () => new ApiError("invalid_credential"),
  };
}

async function call(name: string, from: string, headers: Record<string, string> = {}): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${server.port}/orders/${name}`, {
    headers: { "x-forwarded-for": from, ...headers },
  });
  await response.arrayBuffer();
  return response.status;
}

/** Ends a request as soon as its handler has started. */
async function end(name: string): Promise<void> {
  await expect.poll(() => ends.has(name)).toBe(true);
  ends.get(name)?.();
}

/** Sends requests one after the other, each once the one before has its turn or waits for it. */
async function sendInOrder(names: readonly string[], from: string): Promise<Promise<number>[]> {
  const answers: Promise<number>[] = [];
  for (const name of names) {
    answers.push(call(name, from));
    await expect.poll(() => arrived).toContain(`/orders/${name}`);
  }
  return answers;
}

const FLOOD = "203.0.113.1";
const PATIENT = "203.0.113.2";
const asClinic = { authorization: SECRET };

it("requests of a flooding address wait for each other, while other addresses get their turns", async () => {
  const flood = await sendInOrder(["a", "b", "c", "d"], FLOOD);
  const patient = await sendInOrder(["patient"], PATIENT);
  expect(started).toEqual(["a", "b"]);
  await end("a");
  await end("b");
  await expect.poll(() => started).toEqual(["a", "b", "c", "patient"]);
  for (const name of ["c", "patient", "d"]) await end(name);
  expect(await Promise.all([...flood, ...patient])).toEqual([200, 200, 200, 200, 200]);
});

it("the fourth waiting request of an address is answered 429, while other addresses still wait", async () => {
  const flood = await sendInOrder(["a", "b", "c", "d", "e"], FLOOD);
  expect(await call("f", FLOOD)).toBe(429);
  const patient = await sendInOrder(["patient"], PATIENT);
  for (const name of ["a", "b", "c", "patient", "d", "e"]) await end(name);
  expect(await Promise.all([...flood, ...patient])).toEqual([200, 200, 200, 200, 200, 200]);
});

it("a request that waits for an outside party gives up its turn", async () => {
  const answers = await sendInOrder(["gateway-1", "gateway-2", "a", "b"], FLOOD);
  await expect.poll(() => started).toEqual(["gateway-1", "gateway-2", "a", "b"]);
  for (const name of started) await end(name);
  expect(await Promise.all(answers)).toEqual([200, 200, 200, 200]);
});

it("a request with a known secret skips the queue, and one with an invented secret does not", async () => {
  const first = call("first", FLOOD, asClinic);
  await end("first");
  expect(await first).toBe(200);
  const flood = await sendInOrder(["a", "b"], FLOOD);
  const guess = call("guess", FLOOD, { authorization: "made up" });
  await expect.poll(() => arrived).toContain("/orders/guess");
  const clinic = call("clinic", FLOOD, asClinic);
  await end("clinic");
  expect(await clinic).toBe(200);
  expect(arrived).not.toContain("/orders/clinic");
  for (const name of ["a", "b"]) await end(name);
  expect(await Promise.all(flood)).toEqual([200, 200]);
  expect(await guess).toBe(401);
});

it("a request whose caller hangs up while it waits is not processed", async () => {
  const flood = await sendInOrder(["a", "b"], FLOOD);
  const hangUp = new AbortController();
  const gone = fetch(`http://127.0.0.1:${server.port}/orders/gone`, { signal: hangUp.signal }).catch(() => "gone");
  await expect.poll(() => arrived).toContain("/orders/gone");
  const closed = once(present(sockets.at(-1)), "close");
  hangUp.abort();
  expect(await gone).toBe("gone");
  await closed;
  for (const name of ["a", "b"]) await end(name);
  await Promise.all(flood);
  const last = await sendInOrder(["last"], FLOOD);
  await end("last");
  await Promise.all(last);
  expect(started).toEqual(["a", "b", "last"]);
});
