import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createClockMover, durationMs } from "../../../sandbox/clock-mover.ts";
import { CLOCK_ANSWER_WITHIN_SECONDS, sandboxEndpoints } from "../../../src/contract/sandbox-endpoints.ts";
import { DEFAULT_LEASE_MS } from "../../../src/platform/http/idempotency.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { silentLogger } from "../../../src/platform/logger.ts";
import { createMetrics } from "../../../src/platform/metrics.ts";
import { providerNow } from "../../../src/platform/provider.ts";
import { scheduleTimer } from "../../../src/platform/timers/timer-store.ts";
import { createTimerWorker, type TimerHandler } from "../../../src/platform/timers/timer-worker.ts";
import { createTracer } from "../../../src/platform/tracing/tracing.ts";
import { findProvider } from "../../../src/tenants/providers.ts";
import { startBff, type TestBff } from "../../start-bff.ts";

const { readSandboxClock, moveSandboxClock } = sandboxEndpoints;
let bff: TestBff;
beforeAll(async () => {
  bff = await startBff();
});
afterAll(() => bff.close());

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** A clock mover over a worker with one kind of timer, controlled by the test. It stops on a signal at the latest. */
function moverOf(handler: TimerHandler, answerAt?: Promise<void>) {
  const { db } = bff.database;
  const worker = createTimerWorker({
    metrics: createMetrics(),
    tracer: createTracer(),
    environment: "staging",
    switchOf: {},
    db,
    clock: bff.clock,
    ids: systemIds,
    logger: silentLogger,
    handlers: { "test.tick": handler },
    concurrency: 5,
    leaseMs: 60_000,
    pollMs: 1_000,
  });
  return createClockMover({
    db,
    clock: bff.clock,
    logger: silentLogger,
    runDue: (scope) => worker.runDue(scope),
    ...(answerAt === undefined ? {} : { wait: () => answerAt }),
  });
}

/** A promise that the test resolves. */
function signal() {
  let give = (): void => undefined;
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { given, give };
}

async function schedule(providerId: string, afterMs: number): Promise<void> {
  await scheduleTimer(bff.database.db, {
    kind: "test.tick",
    key: systemIds.uuid(),
    providerId,
    dueAt: new Date(bff.clock.now().getTime() + afterMs),
    payload: {},
  });
}

/** Moves a provider's clock with a mover that ends after its first day. */
async function stopOneDayInto(providerId: string, milliseconds: number) {
  const mover = moverOf(async () => {
    void mover.stop();
    return "done";
  });
  await schedule(providerId, DAY);
  expect(await mover.advance(providerId, milliseconds)).toEqual({ remainingMs: milliseconds - DAY });
  await mover.stop();
  return mover;
}

async function nowOf(providerId: string): Promise<Date> {
  const provider = await findProvider(bff.database.db, providerId);
  if (provider === null) throw new Error("There is no such provider.");
  return providerNow(provider, bff.clock.now());
}

it("PUT /sandbox/clock is answered while its request holds the Idempotency-Key, so a repeat does not move it again", () => {
  expect(CLOCK_ANSWER_WITHIN_SECONDS * 1_000).toBeLessThanOrEqual(DEFAULT_LEASE_MS - 5_000);
});

describe("PUT /sandbox/clock", () => {
  it("200: only this tenant's time is moved", async () => {
    const [mine, other] = [await bff.createProvider(), await bff.createProvider()];
    const { status, body } = await bff.callOrderApi(moveSandboxClock, { as: mine, body: { advance: "1d12h" } });
    expect(status).toBe(200);
    const real = bff.clock.now();
    expect(body).toEqual({
      now: new Date(real.getTime() + 36 * HOUR).toISOString(),
      real_now: real.toISOString(),
      ahead_seconds: 129_600,
      remaining_seconds: 0,
    });
    expect((await bff.callOrderApi(readSandboxClock, { as: mine })).body).toEqual(body);
    expect((await bff.callOrderApi(readSandboxClock, { as: other })).body.ahead_seconds).toBe(0);
  });

  it("200: once for one Idempotency-Key", async () => {
    const mine = await bff.createProvider();
    const options = { as: mine, body: { advance: "1d" }, headers: { "idempotency-key": "one-day" } };
    await bff.callOrderApi(moveSandboxClock, options);
    await bff.callOrderApi(moveSandboxClock, options);
    expect((await bff.callOrderApi(readSandboxClock, { as: mine })).body.ahead_seconds).toBe(86_400);
  });

  it("202: a long move is answered with the remaining time, and continues by itself", async () => {
    const hasty = await startBff({ clockAnswerWithinMs: 20 });
    const { db } = hasty.database;
    const { id } = hasty.clinic.provider;
    // Due at once, and of a kind that this process leaves to others, so the clock must not pass it.
    const dueAt = hasty.clock.now();
    await scheduleTimer(db, { kind: "test.tick", key: "tick", providerId: id, dueAt, payload: {} });
    const { status, body } = await hasty.callOrderApi(moveSandboxClock, { as: hasty.clinic, body: { advance: "1d" } });
    expect([status, body.remaining_seconds]).toEqual([202, 86_400]);
    await db.deleteFrom("timers").where("provider_id", "=", id).where("key", "=", "tick").execute();
    const moved = { ahead_seconds: 86_400, remaining_seconds: 0 };
    await expect
      .poll(async () => (await hasty.callOrderApi(readSandboxClock, { as: hasty.clinic })).body)
      .toMatchObject(moved);
    await hasty.close();
  });

  it("401: without a client_secret", async () => {
    expect((await bff.callOrderApi(moveSandboxClock, { body: { advance: "1d" } })).status).toBe(401);
    expect((await bff.callOrderApi(readSandboxClock)).status).toBe(401);
  });

  it.each(["", "45", "-1d", "1.5d", "401d", "1y", 45, null])("422: %j", async (advance) => {
    const answer = await bff.callOrderApi(moveSandboxClock, { as: bff.clinic, body: { advance } });
    expect(answer).toMatchObject({ status: 422, body: { code: "validation_error" } });
    expect((await bff.callOrderApi(readSandboxClock, { as: bff.clinic })).body.ahead_seconds).toBe(0);
  });
});

describe("a moved clock", () => {
  it("stops at each due moment, in the tenant's time, and runs everything due there", async () => {
    const { provider } = await bff.createProvider();
    const start = await nowOf(provider.id);
    const seen: number[] = [];
    const mover = moverOf(async (timer) => {
      seen.push(((await nowOf(timer.providerId)).getTime() - start.getTime()) / HOUR);
      if (seen.length === 1) await schedule(provider.id, 5 * HOUR);
      return "done";
    });
    await schedule(provider.id, 10 * HOUR);
    await schedule(provider.id, 2 * HOUR);
    await schedule(provider.id, 3 * DAY);
    expect(await mover.advance(provider.id, 2 * DAY)).toEqual({ remainingMs: 0 });
    expect(seen).toEqual([2, 7, 10]);
    expect((await nowOf(provider.id)).getTime() - start.getTime()).toBe(2 * DAY);
    await mover.advance(provider.id, DAY);
    expect(seen).toEqual([2, 7, 10, 72]);
  });

  it("does not shorten other tenants' waits", async () => {
    const [mine, other] = [await bff.createProvider(), await bff.createProvider()];
    const seen: string[] = [];
    const mover = moverOf(async ({ providerId }) => {
      seen.push(providerId);
      return "done";
    });
    await schedule(mine.provider.id, HOUR);
    await schedule(other.provider.id, HOUR);
    await mover.advance(mine.provider.id, DAY);
    expect(seen).toEqual([mine.provider.id]);
  });

  it("moves by the sum of two concurrent moves", async () => {
    const { provider } = await bff.createProvider();
    const mover = moverOf(async () => "done");
    await schedule(provider.id, HOUR);
    await Promise.all([mover.advance(provider.id, DAY), mover.advance(provider.id, 2 * DAY)]);
    expect((await findProvider(bff.database.db, provider.id))?.clockOffsetMs).toBe(3 * DAY);
  });

  it("answers before a long move is done, continues by itself, and reports the rest", async () => {
    const { provider } = await bff.createProvider();
    const [begun, finished] = [signal(), signal()];
    const mover = moverOf(async () => {
      begun.give();
      await finished.given;
      return "done";
    }, begun.given);
    await schedule(provider.id, DAY);
    expect(await mover.advance(provider.id, 3 * DAY)).toEqual({ remainingMs: 2 * DAY });
    expect(await mover.remaining(provider.id)).toBe(2 * DAY);
    finished.give();
    await expect.poll(() => mover.remaining(provider.id)).toBe(0);
    expect((await findProvider(bff.database.db, provider.id))?.clockOffsetMs).toBe(3 * DAY);
  });

  it("completes an interrupted move at the next one", async () => {
    const { provider } = await bff.createProvider();
    await stopOneDayInto(provider.id, 3 * DAY);
    expect(await moverOf(async () => "done").advance(provider.id, HOUR)).toEqual({ remainingMs: 0 });
    expect((await findProvider(bff.database.db, provider.id))?.clockOffsetMs).toBe(3 * DAY + HOUR);
  });
});

it("an interrupted move continues when another process starts", async () => {
  const { provider } = await bff.createProvider();
  const mover = await stopOneDayInto(provider.id, 3 * DAY);
  const next = await startBff({ database: bff.database, now: bff.clock.now() });
  next.context.start();
  await expect.poll(() => mover.remaining(provider.id)).toBe(0);
  await next.close();
  expect((await findProvider(bff.database.db, provider.id))?.clockOffsetMs).toBe(3 * DAY);
});

describe("a duration", () => {
  it.each([
    ["45d", 45 * DAY],
    ["1d12h", 36 * HOUR],
    ["90s", 90_000],
    ["10m", 600_000],
    ["0s", 0],
  ])("%s", (text, milliseconds) => {
    expect(durationMs(text)).toBe(milliseconds);
  });
});
