/** @module-tag both-databases */

import { type RawBuilder, sql } from "kysely";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { movableClock } from "../../../src/platform/clock.ts";
import { inTransaction } from "../../../src/platform/database/transaction.ts";
import { nameDeployment } from "../../../src/platform/deployment-store.ts";
import { seededIds } from "../../../src/platform/ids.ts";
import { createLogger, silentLogger } from "../../../src/platform/logger.ts";
import { createMetrics } from "../../../src/platform/metrics.ts";
import { switchOff, switchOn } from "../../../src/platform/switch-store.ts";
import {
  cancellationWith,
  cancelTimer,
  claimStatement,
  dueAtWith,
  type NewTimer,
  nextDue,
  removalStatement,
  removeDoneTimers,
  rescheduleTimer,
  runTimersNow,
  scheduleTimer,
  scheduleTimers,
  shiftTimers,
  timerWith,
} from "../../../src/platform/timers/timer-store.ts";
import {
  createTimerWorker,
  retryDelayMs,
  type TimerHandler,
  type TimerHandlers,
  type TimerWorker,
  type TimerWorkerOptions,
} from "../../../src/platform/timers/timer-worker.ts";
import { createTracer } from "../../../src/platform/tracing/tracing.ts";
import { openTestDatabase, type TestDatabase, testDatabaseKind } from "../../database.ts";
import { untilTestEnds } from "../../put-back.ts";
import { countingRows } from "../../rows-returned.ts";

const start = new Date("2026-11-21T12:00:00Z");
const ids = seededIds("timers");
const clinic = ids.uuid();
const otherClinic = ids.uuid();
const clock = movableClock(start);
let database: TestDatabase;
const workers: TimerWorker[] = [];

beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  clock.set(start);
  await sql`truncate timers`.execute(database.db);
});
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.stop()));
});

function workerWith(handlers: TimerHandlers, options: Partial<TimerWorkerOptions> = {}): TimerWorker {
  const worker = createTimerWorker({
    metrics: createMetrics(),
    tracer: createTracer(),
    environment: "staging",
    switchOf: {},
    db: database.db,
    clock,
    ids,
    logger: silentLogger,
    handlers,
    concurrency: 4,
    leaseMs: 30_000,
    pollMs: 10,
    ...options,
  });
  workers.push(worker);
  return worker;
}

function timer(overrides: Partial<NewTimer> = {}): NewTimer {
  return { kind: "test.note", key: "one", providerId: clinic, dueAt: start, payload: {}, ...overrides };
}

const later = (milliseconds: number) => new Date(start.getTime() + milliseconds);

/** A promise that the test resolves to let a handler continue. */
function gate() {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

function noteInto(ran: string[]): TimerHandler {
  return async ({ key }) => {
    ran.push(key);
    return "done";
  };
}

async function rowOf(key: string) {
  const rows = database.db.selectFrom("timers").selectAll().where("kind", "=", timer().kind).where("key", "=", key);
  return rows.executeTakeFirst();
}

it("a timer waits only while its own switch is off", async () => {
  await scheduleTimer(database.db, timer());
  const worker = workerWith({ "test.note": noteInto([]) }, { switchOf: { "test.note": "charges" } });
  for (const what of ["charges", "payouts"] as const) await switchOff(database.db, { what, providerId: null });
  expect(await worker.runDue()).toBe(0);
  await switchOn(database.db, { what: "charges", providerId: null });
  expect(await worker.runDue()).toBe(1);
});

it("a worker claims no timer in another environment's database, and continues when its own is back", async () => {
  await scheduleTimer(database.db, timer());
  const worker = workerWith({ "test.note": noteInto([]) });
  await nameDeployment(database.db, { environment: "production", keyFingerprints: {} });
  expect(await worker.runDue()).toBe(0);
  await sql`delete from deployment`.execute(database.db);
  expect(await worker.runDue()).toBe(1);
});

describe("a timer that is rescheduled", () => {
  const dueAt = (milliseconds: number) =>
    sql`with source as (select 1), moved as (${dueAtWith("source", { kind: "test.note", key: "one", dueAt: later(milliseconds) })})
      select 1`.execute(database.db);

  it("is due at its new time, earlier or later", async () => {
    await scheduleTimer(database.db, timer({ dueAt: later(60_000) }));
    for (const due of [90_000, 10_000]) {
      await dueAt(due);
      expect(await rowOf("one")).toMatchObject({ due_at: later(due) });
    }
  });

  it.each(["done", "gone", { again: later(600_000) }] as const)(
    "is neither moved again nor ended by a worker that was running it: %j",
    async (outcome) => {
      await scheduleTimer(database.db, timer());
      const worker = workerWith({
        "test.note": async () => {
          await dueAt(10_000);
          return outcome;
        },
      });
      expect(await worker.runDue()).toBe(1);
      expect(await rowOf("one")).toMatchObject({ due_at: later(10_000), done_at: null });
    },
  );

  it("is not reopened once it is done", async () => {
    await scheduleTimer(database.db, timer());
    await workerWith({ "test.note": noteInto([]) }).runDue();
    await dueAt(10_000);
    expect(await rowOf("one")).toMatchObject({ due_at: start, done_at: start });
  });
});

describe("a statement with its own timers", () => {
  const within = (body: RawBuilder<unknown>, isThere: boolean) =>
    sql`with source as (select 1 where ${isThere}), timer as (${body}) select 1`.execute(database.db);
  /** All timers as kind, key, and due time relative to the start, or `done`. */
  const all = async () => {
    const rows = await database.db.selectFrom("timers").selectAll().orderBy("kind").orderBy("key").execute();
    const moment = ({ due_at, done_at }: (typeof rows)[number]) =>
      done_at === null ? due_at.getTime() - start.getTime() : "done";
    return rows.map((row) => `${row.kind} ${row.key} ${moment(row)}`);
  };
  const otherTimers = ["test.note done done", "test.note two 60000", "test.other one 60000"];
  beforeEach(async () => {
    await scheduleTimer(database.db, timer({ key: "done" }));
    await workerWith({ "test.note": noteInto([]) }).runDue();
    const dueAt = later(60_000);
    await scheduleTimers(database.db, [timer({ key: "two", dueAt }), timer({ kind: "test.other", dueAt })]);
  });

  it.each([
    {
      title: "schedules it",
      body: timerWith("source", timer({ dueAt: later(60_000) })),
      left: ["test.note one 60000"],
    },
    {
      title: "moves it",
      begin: timer({ dueAt: later(60_000) }),
      body: dueAtWith("source", timer({ dueAt: later(90_000) })),
      left: ["test.note one 90000"],
    },
    {
      title: "cancels it",
      begin: timer({ dueAt: later(60_000) }),
      body: cancellationWith("source", timer()),
      left: [],
    },
    { title: "cancels none that is done", body: cancellationWith("source", timer({ key: "done" })), left: [] },
  ])(
    "schedules, moves or cancels only that timer, and only if its first part has a row: $title",
    async ({ begin, body, left }) => {
      if (begin !== undefined) await scheduleTimer(database.db, begin);
      const before = await all();
      await within(body, false);
      expect(await all()).toEqual(before);
      await within(body, true);
      expect(await all()).toEqual([...otherTimers, ...left].toSorted());
    },
  );
});

it("a provider's open timers under a key prefix become due now, unless they are running or due already", async () => {
  const [now, dueAt] = [later(10_000), later(60_000)];
  const of = { key: "k", providerId: clinic };
  const kinds = ["test.note", "test.other", "test.theirs"] as const;
  await scheduleTimer(database.db, timer({ key: "k:done" }));
  await workerWith({ "test.note": noteInto([]) }).runDue();
  await scheduleTimers(database.db, [
    ...["k", "k:1", "k2", "other", "k:held", "k:free"].map((key) => timer({ key, dueAt })),
    timer({ key: "k:due", dueAt: now }),
    timer({ kind: kinds[1], key: "k", dueAt }),
    timer({ kind: kinds[2], key: "k", dueAt, providerId: otherClinic }),
  ]);
  await sql`
    update timers set lease_id = ${ids.uuid()}, lease_until = case key when 'k:held' then ${later(10_001)}::timestamptz else ${now}::timestamptz end
    where key in ('k:held', 'k:free')`.execute(database.db);
  const due = async () => {
    const rows = await database.db.selectFrom("timers").selectAll().where("due_at", "=", now).execute();
    return rows.map(({ kind, key }) => `${kind} ${key}`).toSorted();
  };
  const ofKind = ["test.note k", "test.note k:1", "test.note k:due", "test.note k:free"];
  expect(await runTimersNow(database.db, { ...of, kind: kinds[0] }, now)).toBe(3);
  expect(await due()).toEqual(ofKind);
  expect(await runTimersNow(database.db, of, now)).toBe(1);
  expect(await due()).toEqual([...ofKind, "test.other k"]);
});

describe("a timer", () => {
  it("runs once when it is due, and not before", async () => {
    const ran: unknown[] = [];
    const worker = workerWith({
      "test.note": async ({ key, payload, providerId, attempts }) => {
        ran.push({ key, payload, providerId, attempts });
        return "done";
      },
    });
    await scheduleTimer(database.db, timer({ dueAt: later(60_000), payload: { a: [1] } }));
    expect(await worker.runDue()).toBe(0);
    clock.advance(60_000);
    expect(await worker.runDue()).toBe(1);
    expect(await worker.runDue()).toBe(0);
    expect(await scheduleTimer(database.db, timer())).toBe(false);
    expect(await worker.runDue()).toBe(0);
    expect(ran).toEqual([{ key: "one", payload: { a: [1] }, providerId: clinic, attempts: 1 }]);
  });

  it("is not there when the transaction that scheduled it is rolled back", async () => {
    const failing = inTransaction(database.db, async (tx) => {
      await scheduleTimer(tx, timer());
      throw new Error("no");
    });
    await expect(failing).rejects.toThrow("no");
    expect(await rowOf("one")).toBeUndefined();
  });

  it("keeps its first schedule if scheduled again, moves if rescheduled, and does neither once done", async () => {
    await scheduleTimer(database.db, timer({ dueAt: later(10_000), payload: { v: 1 } }));
    expect(await scheduleTimers(database.db, [timer({ payload: { v: 2 } }), timer({ key: "two" })])).toBe(1);
    expect(await scheduleTimers(database.db, [])).toBe(0);
    expect(await rowOf("one")).toMatchObject({ due_at: later(10_000), payload: { v: 1 } });
    expect(await rescheduleTimer(database.db, timer({ dueAt: later(5_000), payload: { v: 3 } }))).toBe(true);
    expect(await rowOf("one")).toMatchObject({ due_at: later(5_000), payload: { v: 3 }, attempts: 0 });
    const kept = timer({ dueAt: later(5_000), payload: { v: 4 } });
    expect(await rescheduleTimer(database.db, kept, { keepsPayload: true })).toBe(true);
    expect(await rowOf("one")).toMatchObject({ due_at: later(5_000), payload: { v: 3 } });
    clock.advance(5_000);
    await workerWith({ "test.note": async () => "done" }).runDue();
    expect(await rescheduleTimer(database.db, timer({ dueAt: later(9_000) }))).toBe(false);
    expect(await rowOf("one")).toMatchObject({ due_at: later(5_000), done_at: later(5_000) });
  });

  it("does not run after it was cancelled, may be scheduled again, and cannot be cancelled once done", async () => {
    const otherTimers = [timer({ key: "two" }), timer({ kind: "test.other" })];
    await scheduleTimers(database.db, [timer(), ...otherTimers]);
    expect(await cancelTimer(database.db, timer())).toBe(true);
    expect(await cancelTimer(database.db, timer())).toBe(false);
    const note = async () => "done" as const;
    const worker = workerWith({ "test.note": note, "test.other": note });
    expect(await worker.runDue()).toBe(otherTimers.length);
    expect(await scheduleTimer(database.db, timer())).toBe(true);
    expect(await worker.runDue()).toBe(1);
    expect(await cancelTimer(database.db, timer())).toBe(false);
  });

  it("runs again at the moment that its handler names, with the payload that it gives", async () => {
    const seen: unknown[] = [];
    const worker = workerWith({
      "test.note": async ({ payload, attempts }) => {
        seen.push([payload, attempts]);
        return seen.length < 3
          ? { again: new Date(clock.now().getTime() + 1_000), payload: { round: seen.length } }
          : "done";
      },
    });
    await scheduleTimer(database.db, timer());
    for (let round = 0; round < 4; round += 1) {
      await worker.runDue();
      clock.advance(1_000);
    }
    expect(seen).toEqual([
      [{}, 1],
      [{ round: 1 }, 1],
      [{ round: 2 }, 1],
    ]);
  });

  it("is retried after growing delays when its handler throws; the log has no payload", async () => {
    const lines: string[] = [];
    const begun: number[] = [];
    const orderId = "0c8a1b52-5d2e-4c0a-9f57-3f1a2b4c5d6e";
    const worker = workerWith(
      {
        "test.note": async ({ attempts }) => {
          begun.push(attempts);
          throw new Error("no luck with 12.345.678-5");
        },
      },
      { logger: createLogger({ level: "debug", destination: { write: (line) => lines.push(line) } }) },
    );
    await scheduleTimer(database.db, timer({ payload: { secret: "12.345.678-5", order_id: orderId } }));
    for (let round = 1; round <= 12; round += 1) {
      await worker.runDue();
      expect(begun).toHaveLength(round);
      clock.advance(retryDelayMs(round) - 1);
      expect(await worker.runDue()).toBe(0);
      clock.advance(1);
    }
    expect([1, 2, 3].map(retryDelayMs)).toEqual([1_000, 2_000, 4_000]);
    expect(retryDelayMs(12)).toBe(15 * 60_000);
    expect(retryDelayMs(1_000)).toBe(15 * 60_000);
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ kind: "test.note", timer: "one" });
    expect(lines[0]).toContain(`"order_id":"${orderId}"`);
    expect(lines.join("")).not.toContain("12.345.678-5");
  });

  it("has its provider's own clock: shifting moves only that provider's open timers", async () => {
    await scheduleTimers(database.db, [
      timer({ dueAt: later(100_000) }),
      timer({ key: "two", providerId: otherClinic, dueAt: later(100_000) }),
      timer({ key: "three" }),
    ]);
    await workerWith({ "test.note": async () => "done" }).runDue();
    expect(await shiftTimers(database.db, clinic, 99_000)).toBe(1);
    expect((await nextDue(database.db, clinic))?.dueAt).toEqual(later(1_000));
    expect((await nextDue(database.db, otherClinic))?.dueAt).toEqual(later(100_000));
    expect((await rowOf("three"))?.due_at).toEqual(start);
    expect(await nextDue(database.db, ids.uuid())).toBeNull();
  });

  it("is found as its provider's first due one, of one kind, of all other kinds, or of any", async () => {
    const kinds = ["test.second", "test.first", "test.third"];
    await scheduleTimers(
      database.db,
      kinds.map((kind) => timer({ kind, dueAt: later(kinds.indexOf(kind) === 1 ? 1 : 2 + kinds.indexOf(kind)) })),
    );
    const { counted, rowsReturned } = countingRows(database.db);
    const kindOf = async (of: Parameters<typeof nextDue>[2]) => (await nextDue(counted, clinic, of))?.kind;
    const found = [await kindOf({}), await kindOf({ only: "test.third" }), await kindOf({ except: "test.first" })];
    expect([found, rowsReturned()]).toEqual([["test.first", "test.third", "test.second"], 3]);
  });

  it("is removed when its outcome is gone and may be scheduled again; others claimed with it stay", async () => {
    const reported: object[] = [];
    const metrics = { timerRan: (ran: object) => void reported.push(ran) };
    const handlers: TimerHandlers = {
      "test.note": async ({ key }) => (key === "one" ? "gone" : "done"),
      "test.other": async () => "done",
    };
    await scheduleTimers(database.db, [timer(), timer({ key: "two" }), timer({ kind: "test.other" })]);
    expect(await workerWith(handlers, { metrics }).runDue()).toBe(3);
    const ran = ["test.note", "test.note", "test.other"].map((kind) => ({ kind, outcome: "done", isRetry: false }));
    expect(reported).toHaveLength(ran.length);
    expect(reported).toEqual(expect.arrayContaining(ran));
    const left = await database.db.selectFrom("timers").selectAll().orderBy("kind").execute();
    expect(left.map(({ kind, key, done_at }) => [kind, key, done_at])).toEqual([
      ["test.note", "two", start],
      ["test.other", "one", start],
    ]);
    expect(await scheduleTimer(database.db, timer())).toBe(true);
  });

  it("is removed when it was done long ago, but never while open", async () => {
    await scheduleTimers(database.db, [
      timer(),
      timer({ key: "two" }),
      timer({ key: "open", dueAt: later(1_000_000) }),
    ]);
    await workerWith({ "test.note": async () => "done" }).runDue();
    expect(await removeDoneTimers(database.db, { kinds: "all", before: start, limit: 10 })).toBe(0);
    expect(await removeDoneTimers(database.db, { kinds: ["other"], before: later(1), limit: 10 })).toBe(0);
    expect(await removeDoneTimers(database.db, { kinds: ["test.note"], before: later(1), limit: 1 })).toBe(1);
    expect(await removeDoneTimers(database.db, { kinds: "all", before: later(1), limit: 10 })).toBe(1);
    expect(await rowOf("open")).toBeDefined();
  });
});

describe("leases", () => {
  it("are separate for each timer, even if timers were claimed together", async () => {
    const again = later(5_000);
    const handlers: TimerHandlers = {
      "test.note": async ({ key }) => (key === "one" ? "done" : { again }),
      "test.other": async () => ({ again }),
    };
    await scheduleTimers(database.db, [timer(), timer({ key: "two" }), timer({ kind: "test.other" })]);
    expect(await workerWith(handlers).runDue()).toBe(3);
    const rows = await database.db.selectFrom("timers").selectAll().orderBy("kind").orderBy("key").execute();
    expect(rows.map(({ kind, key, due_at, done_at }) => [kind, key, due_at, done_at])).toEqual([
      ["test.note", "one", start, start],
      ["test.note", "two", again, null],
      ["test.other", "one", again, null],
    ]);
  });

  it("two workers never run one timer at the same time", async () => {
    const runs = new Map<string, number>();
    const handlers: TimerHandlers = {
      "test.note": async ({ key }) => {
        runs.set(key, (runs.get(key) ?? 0) + 1);
        return "done";
      },
    };
    await scheduleTimers(
      database.db,
      Array.from({ length: 60 }, (_, index) => timer({ key: `k${index}` })),
    );
    const counts = await Promise.all([
      workerWith(handlers).runDue(),
      workerWith(handlers).runDue(),
      workerWith(handlers).runDue(),
    ]);
    expect(counts.reduce((sum, count) => sum + count)).toBe(60);
    expect([...runs.values()].every((count) => count === 1)).toBe(true);
    expect(runs.size).toBe(60);
  });

  it.runIf(testDatabaseKind === "postgres")("a worker skips the timers that another one is claiming", async () => {
    const ran: string[] = [];
    const worker = workerWith({ "test.note": noteInto(ran) });
    await scheduleTimers(database.db, [timer({ key: "taken" }), timer()]);
    await inTransaction(database.db, async (tx) => {
      await sql`select from timers where key = 'taken' for update`.execute(tx);
      expect(await worker.runDue()).toBe(1);
    });
    expect(await worker.runDue()).toBe(1);
    expect(ran).toEqual(["one", "taken"]);
  });

  it("expire when their worker dies, and the timer runs again", async () => {
    const never = gate();
    // The worker that seems dead still runs in this process. After a third of the lease it would renew it in real time,
    // and claim the timer again.
    const leaseMs = 300_000;
    const dying = workerWith(
      { "test.note": () => never.opened.then(() => "done" as const) },
      { leaseMs, concurrency: 1 },
    );
    await scheduleTimer(database.db, timer());
    dying.start();
    await expect.poll(async () => (await rowOf("one"))?.lease_id).toBeTruthy();
    const heir = workerWith({ "test.note": async () => "done" });
    expect(await heir.runDue()).toBe(0);
    clock.advance(leaseMs);
    expect(await heir.runDue()).toBe(1);
    expect(await rowOf("one")).toMatchObject({ attempts: 2, done_at: later(leaseMs) });
    never.open();
    await dying.idle();
    expect(await rowOf("one")).toMatchObject({ attempts: 2, done_at: later(leaseMs) });
  });

  it("a worker whose lease was lost cannot finish in its transaction, and its writes are rolled back", async () => {
    const slow = gate();
    const outcomes: unknown[] = [];
    const late = workerWith({
      "test.note": async (_timer, { finish }) => {
        await slow.opened;
        await inTransaction(database.db, async (tx) => {
          await scheduleTimer(tx, timer({ key: "written by the late one", dueAt: later(1e9) }));
          await finish(tx).catch((error: unknown) => {
            outcomes.push(error);
            throw error;
          });
        });
        return "done";
      },
    });
    await scheduleTimer(database.db, timer());
    late.start();
    await expect.poll(async () => (await rowOf("one"))?.lease_id).toBeTruthy();
    await cancelTimer(database.db, timer());
    slow.open();
    await late.idle();
    expect(outcomes).toEqual([expect.objectContaining({ name: "LeaseLost" })]);
    expect(await rowOf("written by the late one")).toBeUndefined();
  });

  it.each([
    { how: "was started", begin: (worker: TimerWorker) => worker.start() },
    { how: "runs what is due", begin: (worker: TimerWorker) => void worker.runDue() },
  ])(
    "are renewed while a handler runs, and its signal reports a lease lost to a worker that $how",
    async ({ begin }) => {
      const slow = gate();
      let wasAborted = false;
      const worker = workerWith(
        {
          "test.note": async (_timer, { signal }) => {
            signal.addEventListener("abort", () => {
              wasAborted = true;
              slow.open();
            });
            await slow.opened;
            return "done";
          },
        },
        { leaseMs: 60 },
      );
      const dueAt = later(1e9);
      await scheduleTimers(database.db, [timer(), timer({ key: "two", dueAt }), timer({ kind: "test.other", dueAt })]);
      begin(worker);
      await expect.poll(async () => (await rowOf("one"))?.lease_id).toBeTruthy();
      clock.advance(50);
      await expect.poll(async () => (await rowOf("one"))?.lease_until).toEqual(later(110));
      expect(wasAborted).toBe(false);
      await rescheduleTimer(database.db, timer({ dueAt: later(1e9) }));
      await worker.idle();
      expect(wasAborted).toBe(true);
      expect(await rowOf("one")).toMatchObject({ done_at: null, due_at: later(1e9) });
    },
  );

  it.runIf(testDatabaseKind === "postgres")(
    "are kept while another running timer's row is locked, and that timer is not given up",
    async () => {
      const ends = gate();
      const aborted: string[] = [];
      const worker = workerWith(
        {
          "test.note": async ({ key }, { signal }) => {
            signal.addEventListener("abort", () => aborted.push(key));
            await ends.opened;
            return "done";
          },
        },
        { leaseMs: 60 },
      );
      await scheduleTimers(database.db, [timer(), timer({ key: "locked" })]);
      worker.start();
      await expect.poll(async () => (await rowOf("locked"))?.lease_id).toBeTruthy();
      await inTransaction(database.db, async (tx) => {
        await sql`select from timers where key = 'locked' for update`.execute(tx);
        clock.advance(50);
        await expect.poll(async () => (await rowOf("one"))?.lease_until).toEqual(later(110));
      });
      await expect.poll(async () => (await rowOf("locked"))?.lease_until).toEqual(later(110));
      expect(aborted).toEqual([]);
      ends.open();
      await worker.idle();
    },
  );

  it("finish writes the outcome together with the handler's own writes, also to run again", async () => {
    const worker = workerWith({
      "test.note": async ({ attempts }, { finish }) => {
        await inTransaction(database.db, async (tx) => {
          await finish(tx, { again: later(5_000), payload: { attempts } });
          await scheduleTimer(tx, timer({ key: "effect", dueAt: later(1e9) }));
        });
        return "done";
      },
    });
    await scheduleTimer(database.db, timer());
    expect(await worker.runDue()).toBe(1);
    expect(await rowOf("one")).toMatchObject({
      done_at: null,
      due_at: later(5_000),
      payload: { attempts: 1 },
      lease_id: null,
    });
    expect(await rowOf("effect")).toBeDefined();
  });
});

describe("a worker", () => {
  it("finds due timers by itself, and sooner when it is woken", async () => {
    const ran: string[] = [];
    const note = noteInto(ran);
    const worker = workerWith({ "test.note": note }, { pollMs: 3_600_000 });
    await scheduleTimer(database.db, timer({ key: "due before it was started" }));
    // An early wake-up does nothing, and does not cost the worker its first poll.
    worker.wake();
    worker.start();
    await worker.idle();
    await scheduleTimer(database.db, timer());
    await worker.idle();
    expect(ran.splice(0)).toEqual(["due before it was started"]);
    worker.wake();
    await expect.poll(() => ran).toEqual(["one"]);
    const polling = workerWith({ "test.other": note }, { pollMs: 5 });
    polling.start();
    await scheduleTimer(database.db, timer({ kind: "test.other", key: "polled" }));
    await expect.poll(() => ran).toEqual(["one", "polled"]);
  });

  it("limits a slow kind to its own places", async () => {
    const slow = gate();
    const ran: string[] = [];
    let slowAtOnce = 0;
    const worker = workerWith(
      {
        "test.slow": async () => {
          slowAtOnce += 1;
          await slow.opened;
          return "done";
        },
        "test.quick": noteInto(ran),
      },
      { concurrency: 2 },
    );
    await scheduleTimers(
      database.db,
      Array.from({ length: 50 }, (_, index) => timer({ kind: "test.slow", key: `s${index}`, dueAt: later(-1_000) })),
    );
    await scheduleTimers(
      database.db,
      Array.from({ length: 20 }, (_, index) => timer({ kind: "test.quick", key: `q${index}` })),
    );
    worker.start();
    await expect.poll(() => ran.length).toBe(20);
    expect(slowAtOnce).toBe(2);
    slow.open();
    await expect.poll(() => slowAtOnce).toBe(50);
    await worker.idle();
  });

  it("ignores kinds without a handler", async () => {
    await scheduleTimers(database.db, [timer({ kind: "test.unknown" }), timer()]);
    expect(await workerWith({ "test.note": async () => "done" }).runDue()).toBe(1);
    const rows = database.db.selectFrom("timers").select("attempts").where("kind", "=", "test.unknown");
    expect(await rows.execute()).toEqual([{ attempts: 0 }]);
  });

  it("starts the earliest due timers if it lacks places for all", async () => {
    const ran: string[] = [];
    await scheduleTimers(
      database.db,
      ["c", "a", "d", "b"].map((key) => timer({ key, dueAt: later(key.charCodeAt(0) - 200) })),
    );
    const db = database.db.withPlugin({
      transformQuery: ({ node }) => node,
      transformResult: async ({ result }) => ({ ...result, rows: result.rows.toReversed() }),
    });
    expect(await workerWith({ "test.note": noteInto(ran) }, { db, concurrency: 2 }).runDue()).toBe(4);
    expect(ran).toEqual(["a", "b", "c", "d"]);
  });

  it("runs timers that its own work made due, until there are none", async () => {
    const worker = workerWith({
      "test.note": async ({ key }) => {
        const next = Number(key) + 1;
        if (next < 5) await scheduleTimer(database.db, timer({ key: String(next) }));
        return "done";
      },
    });
    await scheduleTimer(database.db, timer({ key: "0" }));
    expect(await worker.runDue()).toBe(5);
  });

  it.runIf(testDatabaseKind === "postgres")(
    "is not idle while a run on request looks for more that is due",
    async () => {
      const worker = workerWith({ "test.note": async () => "done" });
      await scheduleTimer(database.db, timer());
      let isIdle = false;
      const { running, idle } = await inTransaction(database.db, async (tx) => {
        await sql`lock table timers in access exclusive mode`.execute(tx);
        const running = worker.runDue();
        const idle = worker.idle().then(() => {
          isIdle = true;
        });
        await new Promise(setImmediate);
        expect(isIdle).toBe(false);
        return { running, idle };
      });
      expect(await running).toBe(1);
      await idle;
    },
  );

  it("runs one by one in the order of the due times on request", async () => {
    const ran: string[] = [];
    let underWay = 0;
    const note: TimerHandler = async ({ key }) => {
      underWay += 1;
      ran.push(underWay === 1 ? key : `${key} next to another`);
      await new Promise<void>((resolve) => setImmediate(resolve));
      underWay -= 1;
      return "done";
    };
    const worker = workerWith({ "test.note": note, "test.other": note });
    await scheduleTimers(database.db, [
      timer({ key: "c", dueAt: later(-1) }),
      timer({ key: "a", dueAt: later(-3) }),
      timer({ kind: "test.other", key: "b", dueAt: later(-2) }),
    ]);
    expect(await worker.runDue({ oneByOne: true })).toBe(3);
    expect(ran.splice(0)).toEqual(["a", "b", "c"]);
    // Runs as many at once as there are places.
    await scheduleTimers(database.db, [timer({ key: "d", dueAt: later(-1) }), timer({ key: "e" })]);
    expect(await worker.runDue()).toBe(2);
    expect(ran).toEqual(["d", "e next to another"]);
  });

  it("runs one provider's timers alone on request", async () => {
    const worker = workerWith({ "test.note": async () => "done" });
    await scheduleTimers(database.db, [timer({ key: "mine" }), timer({ key: "theirs", providerId: otherClinic })]);
    expect(await worker.runDue({ providerId: clinic })).toBe(1);
    expect((await rowOf("theirs"))?.done_at).toBeNull();
  });

  it("runs once even if started twice, and leaves nothing that keeps its process alive", async () => {
    const begun = untilTestEnds(vi.spyOn(globalThis, "setInterval"));
    const ended = untilTestEnds(vi.spyOn(globalThis, "clearInterval"));
    /** The intervals with a delay that nothing else in this process uses, and whether each was cleared. */
    const areEnded = (delay: number) => {
      const cleared = ended.mock.calls.map(([interval]) => interval);
      const results = begun.mock.results.filter((_, place) => begun.mock.calls[place]?.[1] === delay);
      return results.map(({ value }) => cleared.includes(value));
    };
    const [once, pollMs, renewEveryMs] = [3_600_001, 3_600_002, 3_600_003];
    await workerWith({ "test.note": noteInto([]) }, { renewEveryMs: once }).runDue();
    expect(areEnded(once)).toEqual([true]);
    const worker = workerWith({ "test.note": noteInto([]) }, { pollMs, renewEveryMs });
    worker.start();
    worker.start();
    await worker.runDue();
    expect([areEnded(pollMs), areEnded(renewEveryMs)]).toEqual([[false], [false]]);
    await worker.stop();
    expect([areEnded(pollMs), areEnded(renewEveryMs)]).toEqual([[true], [true]]);
  });

  it("starts nothing more when it is stopped, and waits a limited time for running work", async () => {
    const slow = gate();
    let isAborted = false;
    const lines: string[] = [];
    const worker = workerWith(
      {
        "test.note": async (_timer, { signal }) => {
          signal.addEventListener("abort", () => {
            isAborted = true;
          });
          await slow.opened;
          return "done";
        },
      },
      { logger: createLogger({ level: "warn", destination: { write: (line) => lines.push(line) } }) },
    );
    await scheduleTimer(database.db, timer());
    worker.start();
    await expect.poll(async () => (await rowOf("one"))?.lease_id).toBeTruthy();
    await worker.stop({ deadlineMs: 20 });
    expect(isAborted).toBe(true);
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ event: "timers.abandoned", count: 1 }]);
    worker.start();
    const stopped = worker.stop();
    slow.open();
    await stopped;
    expect((await rowOf("one"))?.done_at).not.toBeNull();
    await scheduleTimer(database.db, timer({ key: "two" }));
    worker.wake();
    await worker.idle();
    expect((await rowOf("two"))?.attempts).toBe(0);
  });

  it("polls without timers at the same cost, however many future timers there are", async () => {
    await sql`
      insert into timers (kind, key, provider_id, due_at, payload)
      select 'test.note', 'future ' || n, ${clinic}::uuid, ${later(1_000_000)}::timestamptz + n * interval '1 second', '{}' from generate_series(1, 20000) n
    `.execute(database.db);
    await sql`analyze timers`.execute(database.db);
    const look = claimStatement({
      wanted: new Map([
        ["test.note", 8],
        ["test.other", 8],
      ]),
      totalMax: 100,
      providerId: null,
      environment: "staging",
      switchOf: { "test.note": "mails" },
      now: start,
      leaseId: ids.uuid(),
      leaseUntil: start,
    });
    const { rows } = await sql<{
      "QUERY PLAN": Array<{ Plan: Record<string, number> }>;
    }>`explain (analyze, buffers, format json) ${look}`.execute(database.db);
    const plan = rows[0]?.["QUERY PLAN"][0]?.Plan;
    const blocks = (plan?.["Shared Hit Blocks"] ?? Number.NaN) + (plan?.["Shared Read Blocks"] ?? Number.NaN);
    // Two searches of a three-level index; reading the table would take hundreds.
    expect(blocks).toBeLessThanOrEqual(12);
  });

  it("removes old timers without a full scan, even while PostgreSQL expects most of them to be old", async () => {
    await sql`
      insert into timers (kind, key, provider_id, due_at, payload, done_at)
      select 'test.note', 'old ' || n, ${clinic}::uuid, ${start}, '{}', ${start} from generate_series(1, 20000) n
    `.execute(database.db);
    await sql`analyze timers`.execute(database.db);
    const removals = [{ kinds: "all" }, { kinds: ["test.note"] }, { kinds: ["test.other"] }] as const;
    for (const { kinds } of removals) {
      const removal = removalStatement({ kinds, before: later(1), limit: 2_000 });
      const { rows } = await sql`explain (format json) ${removal}`.execute(database.db);
      expect(JSON.stringify(rows)).not.toContain("Seq Scan");
    }
  });
});
