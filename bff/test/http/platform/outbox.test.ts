/** @module-tag both-databases */

import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { eventSchemas } from "../../../src/app/worker.ts";
import { movableClock } from "../../../src/platform/clock.ts";
import { isUniqueViolation } from "../../../src/platform/database/errors.ts";
import { inTransaction, type Transaction } from "../../../src/platform/database/transaction.ts";
import { createDispatchHandler } from "../../../src/platform/dispatch-events.ts";
import { eventsWithDispatch, publishEvent, publishEvents, readEventLog } from "../../../src/platform/event-store.ts";
import { seededIds } from "../../../src/platform/ids.ts";
import { silentLogger } from "../../../src/platform/logger.ts";
import { createMetrics } from "../../../src/platform/metrics.ts";
import {
  createEventHandlers,
  type DomainEvent,
  dispatchKind,
  type EventHandlers,
} from "../../../src/platform/outbox.ts";
import { scheduleTimer } from "../../../src/platform/timers/timer-store.ts";
import { createTimerWorker, retryDelayMs } from "../../../src/platform/timers/timer-worker.ts";
import { createTracer } from "../../../src/platform/tracing/tracing.ts";
import { openTestDatabase, type TestDatabase, testDatabaseKind } from "../../database.ts";
import { orderEventPayload } from "../../order-event-payload.ts";

const start = new Date("2026-11-21T12:00:00Z");
const ids = seededIds("outbox");
const clinic = ids.uuid();
const clock = movableClock(start);
let database: TestDatabase;

beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  clock.set(start);
  await sql`truncate timers, events`.execute(database.db);
});

type OrderEvent = DomainEvent<"order.paid" | "order.refunded">;

function event(overrides: Partial<OrderEvent> = {}): OrderEvent {
  return {
    id: ids.uuid(),
    providerId: clinic,
    orderId: null,
    kind: "order.paid",
    sequence: null,
    payload: orderEventPayload(ids.uuid()),
    createdAt: start,
    ...overrides,
  };
}

function dispatcher(eventHandlers: EventHandlers) {
  const handlers = { [dispatchKind]: createDispatchHandler({ db: database.db, clock, eventHandlers }) };
  return createTimerWorker({
    metrics: createMetrics(),
    tracer: createTracer(),
    environment: "staging",
    switchOf: {},
    db: database.db,
    clock,
    ids,
    logger: silentLogger,
    handlers,
    concurrency: 8,
    leaseMs: 30_000,
    pollMs: 10,
  });
}

describe("an event", () => {
  it("reaches every subscriber of its kind once, as it was written", async () => {
    const eventHandlers = createEventHandlers(eventSchemas);
    const seen: [string, DomainEvent][] = [];
    eventHandlers.subscribe("order.paid", async (_tx, published) => void seen.push(["first", published]));
    eventHandlers.subscribe("order.paid", async (_tx, published) => void seen.push(["second", published]));
    eventHandlers.subscribe("order.refunded", async (_tx, published) => void seen.push(["other", published]));
    const paid = event({ orderId: ids.uuid(), sequence: 1 });
    await publishEvent(database.db, paid);
    const worker = dispatcher(eventHandlers);
    expect(await worker.runDue()).toBe(1);
    expect(await worker.runDue()).toBe(0);
    expect(seen).toEqual([
      ["first", paid],
      ["second", paid],
    ]);
  });

  it("is done immediately if it has no subscribers", async () => {
    await publishEvent(database.db, event());
    expect(await dispatcher(createEventHandlers(eventSchemas)).runDue()).toBe(1);
    expect(await dispatcher(createEventHandlers(eventSchemas)).runDue()).toBe(0);
  });

  it("is dispatched at once, wherever the provider's own clock was moved to", async () => {
    await publishEvent(database.db, event({ createdAt: new Date("2031-01-01T00:00:00Z") }));
    expect(await dispatcher(createEventHandlers(eventSchemas)).runDue()).toBe(1);
  });

  it("is neither kept nor dispatched when its transaction is rolled back", async () => {
    const failing = inTransaction(database.db, async (tx) => {
      await publishEvent(tx, event());
      throw new Error("no");
    });
    await expect(failing).rejects.toThrow("no");
    expect(await dispatcher(createEventHandlers(eventSchemas)).runDue()).toBe(0);
    expect(await readEventLog(database.db, { providerId: clinic, afterId: null, limit: 10 })).toEqual([]);
  });

  it("has its effects once, all together, though a subscriber fails at first", async () => {
    const eventHandlers = createEventHandlers(eventSchemas);
    let failures = 2;
    eventHandlers.subscribe("order.paid", async (tx, { id }) => {
      await scheduleTimer(tx, {
        kind: "test.effect",
        key: `${id}-${failures}`,
        providerId: clinic,
        dueAt: start,
        payload: {},
      });
    });
    eventHandlers.subscribe("order.paid", async () => {
      failures -= 1;
      if (failures >= 0) throw new Error("not yet");
    });
    await publishEvent(database.db, event());
    const worker = dispatcher(eventHandlers);
    for (let round = 1; round <= 3; round += 1) {
      await worker.runDue();
      clock.advance(retryDelayMs(round));
    }
    const effects = await database.db.selectFrom("timers").select("key").where("kind", "=", "test.effect").execute();
    expect(effects).toHaveLength(1);
  });

  it("is retried alone when its subscriber fails, without delaying the events dispatched with it", async () => {
    const eventHandlers = createEventHandlers(eventSchemas);
    let isPoisonous = true;
    eventHandlers.subscribe("order.paid", async (tx, { id }) => {
      await scheduleTimer(tx, { kind: "test.effect", key: id, providerId: clinic, dueAt: start, payload: {} });
    });
    const published = [event(), event(), event()];
    const poison = published[1]?.id;
    eventHandlers.subscribe("order.paid", async (_tx, { id }) => {
      if (isPoisonous && id === poison) throw new Error("not this one");
    });
    for (const each of published) await publishEvent(database.db, each);
    const effects = async () => {
      const rows = await database.db.selectFrom("timers").select("key").where("kind", "=", "test.effect").execute();
      return new Set(rows.map(({ key }) => key));
    };
    const worker = dispatcher(eventHandlers);
    await worker.runDue();
    expect(await effects()).toEqual(new Set([published[0]?.id, published[2]?.id]));
    isPoisonous = false;
    clock.advance(retryDelayMs(1));
    expect(await worker.runDue()).toBe(1);
    expect(await effects()).toEqual(new Set(published.map(({ id }) => id)));
  });

  it("waits, if its kind is unknown, for a process of the later version, without delaying the others", async () => {
    const { "order.refunded": _, ...earlierSchemas } = eventSchemas;
    const earlier = createEventHandlers(earlierSchemas as typeof eventSchemas);
    const later = createEventHandlers(eventSchemas);
    const seen: [string, string][] = [];
    for (const [version, handlers] of Object.entries({ earlier, later })) {
      handlers.subscribe("order.paid", async (_tx, { id }) => void seen.push([version, id]));
      handlers.subscribe("order.refunded", async (_tx, { id }) => void seen.push([version, id]));
    }
    const [refunded, paid] = [event({ kind: "order.refunded" }), event()];
    await publishEvent(database.db, refunded);
    await publishEvent(database.db, paid);
    await dispatcher(earlier).runDue();
    expect(seen).toEqual([["earlier", paid.id]]);
    clock.advance(60_000);
    await dispatcher(earlier).runDue();
    clock.advance(60_000);
    expect(await dispatcher(later).runDue()).toBe(1);
    expect(await dispatcher(later).runDue()).toBe(0);
    expect(seen).toEqual([
      ["earlier", paid.id],
      ["later", refunded.id],
    ]);
  });

  it.runIf(testDatabaseKind === "postgres")(
    "is retried alone when its subscriber waits for a locked row, without delaying the others",
    async () => {
      const { db } = database;
      const row = { kind: "test.row", key: "x", providerId: clinic, dueAt: start, payload: {} };
      await scheduleTimer(db, row);
      const eventHandlers = createEventHandlers(eventSchemas);
      const published = [event(), event(), event()];
      const waiting = published[0]?.id;
      const heard: string[] = [];
      const lockRow = (tx: Transaction) => sql`select from timers where kind = 'test.row' for update`.execute(tx);
      eventHandlers.subscribe("order.paid", async (tx, { id }) => {
        if (id === waiting) await lockRow(tx);
        await scheduleTimer(tx, { kind: "test.effect", key: id, providerId: clinic, dueAt: start, payload: {} });
      });
      for (const each of published) await publishEvent(db, each);
      const worker = dispatcher(eventHandlers);
      await inTransaction(db, async (tx) => {
        await lockRow(tx);
        await worker.runDue();
        const rows = await db.selectFrom("timers").select("key").where("kind", "=", "test.effect").execute();
        heard.push(...rows.map(({ key }) => key));
      });
      expect(new Set(heard)).toEqual(new Set([published[1]?.id, published[2]?.id]));
      clock.advance(retryDelayMs(1));
      expect(await worker.runDue()).toBe(1);
    },
  );

  it("is passed together with the others to subscribers that ask for it, in order", async () => {
    const eventHandlers = createEventHandlers(eventSchemas);
    const seen: string[][] = [];
    eventHandlers.subscribeTogether(
      ["order.refunded"],
      async (_tx, events) => void seen.push(events.map(({ id }) => id)),
    );
    const orderId = ids.uuid();
    const refunded = [1, 2, 3].map((sequence) => event({ orderId, sequence, kind: "order.refunded" }));
    await publishEvent(database.db, event());
    for (const each of refunded) await publishEvent(database.db, each);
    expect(await dispatcher(eventHandlers).runDue()).toBe(4);
    expect(seen).toEqual([refunded.map(({ id }) => id)]);
  });

  it("is dispatched after those published before it, in its transaction or an earlier one, numbered or not", async () => {
    const eventHandlers = createEventHandlers(eventSchemas);
    const seen: string[] = [];
    eventHandlers.subscribe("order.refunded", async (_tx, { id }) => void seen.push(id));
    const orderId = ids.uuid();
    const numbers = [null, null, 1, null, null, null, 2, null, null, null];
    const published = numbers.map((sequence) => event({ orderId, sequence, kind: "order.refunded" }));
    await publishEvents(database.db, published.slice(0, 4));
    await inTransaction(database.db, async (tx) => {
      for (const each of published.slice(4)) await publishEvent(tx, each);
    });
    await dispatcher(eventHandlers).runDue();
    expect(seen).toEqual(published.map(({ id }) => id));
  });

  it("cannot be written twice, and no two events of an order have the same sequence number", async () => {
    const orderId = ids.uuid();
    const first = event({ orderId, sequence: 1 });
    await publishEvent(database.db, first);
    const again = await publishEvent(database.db, { ...first, sequence: 2 }).catch((error: unknown) => error);
    expect(isUniqueViolation(again, "events_pkey")).toBe(true);
    const clash = await publishEvent(database.db, event({ orderId, sequence: 1 })).catch((error: unknown) => error);
    expect(isUniqueViolation(clash, "events_order_sequence_key")).toBe(true);
  });

  it("can be written as part of a larger statement", async () => {
    const paid = event();
    const { rows } =
      await sql`with answer as (select 1 as value), ${eventsWithDispatch([paid])} select value from answer`.execute(
        database.db,
      );
    expect(rows).toEqual([{ value: 1 }]);
    expect(await dispatcher(createEventHandlers(eventSchemas)).runDue()).toBe(1);
  });
});

describe("the log of a provider", () => {
  const page = (afterId: string | null, limit = 2) => readEventLog(database.db, { providerId: clinic, afterId, limit });

  it("is read page by page, in order, without another provider's events", async () => {
    const orderId = ids.uuid();
    const own = [1, 2, 3].map((sequence) => event({ orderId, sequence, kind: "order.refunded" }));
    for (const each of own.toReversed()) await publishEvent(database.db, each);
    const foreign = event({ providerId: ids.uuid() });
    await publishEvent(database.db, foreign);
    const first = await page(null);
    const second = await page(first.at(-1)?.id ?? null);
    expect([...first, ...second]).toEqual(own);
    expect(await page(second.at(-1)?.id ?? null)).toEqual([]);
    expect(await page(foreign.id)).toEqual([]);
  });

  it("lists a later event later, even if its own time is earlier", async () => {
    const [one, two] = [event(), event({ createdAt: new Date("2020-01-01T00:00:00Z") })];
    await publishEvent(database.db, one);
    expect(await page(null)).toEqual([one]);
    await publishEvent(database.db, two);
    expect(await page(one.id)).toEqual([two]);
    expect(await page(null)).toEqual([one, two]);
  });

  it.runIf(testDatabaseKind === "postgres")(
    "an event whose transaction commits late is not skipped by a reader",
    async () => {
      const [slow, quick] = [event({ createdAt: start }), event({ createdAt: new Date(start.getTime() + 1) })];
      await inTransaction(database.db, async (tx) => {
        await publishEvent(tx, slow);
        await publishEvent(database.db, quick);
        expect(await page(null)).toEqual([quick]);
      });
      expect(await page(quick.id)).toEqual([slow]);
    },
  );

  it("readers at the same time see the same order", async () => {
    const many = Array.from({ length: 30 }, () => event());
    for (const each of many) await publishEvent(database.db, each);
    const readings = await Promise.all(Array.from({ length: 5 }, () => page(null, 100)));
    for (const reading of readings) expect(reading).toEqual(readings[0]);
    expect(readings[0]).toHaveLength(30);
  });
});
