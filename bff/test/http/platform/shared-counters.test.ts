/** @module-tag both-databases */
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { ErrorCode } from "../../../src/contract/errors.ts";
import { recordAudit } from "../../../src/platform/audit-store.ts";
import { movableClock } from "../../../src/platform/clock.ts";
import { DatabaseUnavailable } from "../../../src/platform/database/errors.ts";
import { inTransaction } from "../../../src/platform/database/transaction.ts";
import { ApiError } from "../../../src/platform/http/api-error.ts";
import {
  answerOnce,
  type IdempotencyDependencies,
  type IdempotentAnswer,
  type IdempotentRequest,
  readIdempotencyKey,
  slotOf,
} from "../../../src/platform/http/idempotency.ts";
import { takeSlot } from "../../../src/platform/http/idempotency-store.ts";
import { createRateLimiter, type RateLimit } from "../../../src/platform/http/rate-limit.ts";
import { orderedId, seededIds } from "../../../src/platform/ids.ts";
import { createKeyring } from "../../../src/platform/keyring.ts";
import { dispatchKind } from "../../../src/platform/outbox.ts";
import { purgeExpired } from "../../../src/platform/purge.ts";
import { deleteBefore } from "../../../src/platform/purge-store.ts";
import { openTestDatabase, type TestDatabase, testDatabaseKind } from "../../database.ts";
import { troubledDatabase } from "../../troubled-database.ts";

const start = new Date("2026-11-21T12:00:00Z");
const clock = movableClock(start);
const ids = seededIds("counters");
const oldKey = { id: "k1", secret: new Uint8Array(32).fill(1) };
const newKey = { id: "k2", secret: new Uint8Array(32).fill(2) };
const keyring = createKeyring({ keys: [oldKey], environment: "staging" });
const clinic = ids.uuid();
let database: TestDatabase;

beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  clock.set(start);
  await sql`truncate rate_limits, idempotency_keys, timers`.execute(database.db);
});

interface KeyedRequest extends IdempotentRequest {
  readonly providerId: string;
}

/** The state of a request's slot after it was admitted and run. */
async function withIdempotency(
  parts: IdempotencyDependencies,
  { providerId, ...request }: KeyedRequest,
  run: () => Promise<IdempotentAnswer>,
) {
  const now = parts.clock.now();
  const slot = slotOf(parts, request, now);
  return answerOnce(parts, { providerId, slot, slotState: await takeSlot(parts.db, providerId, slot, now) }, run);
}

describe("a rate limit", () => {
  const limiter = () => createRateLimiter({ db: database.db, clock, keyring });
  const perOrder: RateLimit = { name: "identity.order", key: "order-1", requestsMax: 3, windowSeconds: 60 };
  const refused = async (...limits: RateLimit[]) => (await limiter().take(limits)).refusal;

  it("admits exactly the allowed number across all limiters, and reports the remainder and the reset", async () => {
    expect((await limiter().take([perOrder])).headers).toEqual({
      "RateLimit-Limit": "3",
      "RateLimit-Remaining": "2",
      "RateLimit-Reset": "60",
      "RateLimit-Policy": "3;w=60",
    });
    clock.advance(20_500);
    expect((await limiter().take([perOrder])).headers).toMatchObject({
      "RateLimit-Remaining": "1",
      "RateLimit-Reset": "40",
    });
    expect(await refused(perOrder)).toBeNull();
    const { refusal, headers } = await limiter().take([perOrder]);
    expect(refusal).toMatchObject({ code: "rate_limited", additions: { retry_after_seconds: 40 } });
    expect(headers).toMatchObject({ "RateLimit-Remaining": "0" });
    clock.advance(39_500);
    expect(await refused(perOrder)).toBeNull();
  });

  it("counts each key and each name separately", async () => {
    for (let count = 0; count < 3; count += 1) await refused(perOrder);
    expect(await refused({ ...perOrder, key: "order-2" })).toBeNull();
    expect(await refused({ ...perOrder, name: "payment.order" })).toBeNull();
    expect(await refused(perOrder)).toBeInstanceOf(ApiError);
  });

  it("reports the limit that resets last among several", async () => {
    const perRut: RateLimit = { name: "identity.rut", key: "12345678-5", requestsMax: 1, windowSeconds: 3_600 };
    expect((await limiter().take([perOrder, perRut])).headers).toMatchObject({
      "RateLimit-Limit": "1",
      "RateLimit-Remaining": "0",
    });
    for (let count = 0; count < 3; count += 1) await refused(perOrder);
    expect(await refused(perOrder, perRut)).toMatchObject({ additions: { retry_after_seconds: 3_600 } });
    expect(await limiter().take([])).toEqual({ headers: {}, refusal: null });
  });

  it("keeps no personal data", async () => {
    await limiter().take([{ ...perOrder, key: "12345678-5" }]);
    const { rows } = await sql`select * from rate_limits`.execute(database.db);
    expect(JSON.stringify(rows)).not.toContain("12345678");
  });

  it("lets through exactly the allowed number of concurrent requests, in any order of their keys", async () => {
    const limits = ["a", "b", "c"].map((key): RateLimit => ({ ...perOrder, key, requestsMax: 10 }));
    const verdicts = await Promise.all(
      Array.from({ length: 30 }, (_, index) => limiter().take(index % 2 === 0 ? limits : limits.toReversed())),
    );
    expect(verdicts.filter(({ refusal }) => refusal === null)).toHaveLength(10);
  });
});

describe("an Idempotency-Key", () => {
  const request = (overrides: Partial<KeyedRequest> = {}): KeyedRequest => ({
    providerId: clinic,
    keepsItsAnswer: false,
    method: "PUT",
    path: "/orders/1/refund",
    key: "key-1",
    bodyBytes: Buffer.from('{"amount":1}'),
    ...overrides,
  });
  const parts = () => ({ db: database.db, clock, ids, keyring });

  /** Counts its runs, and returns the count as its answer. */
  function counting(answer: Partial<IdempotentAnswer> = {}) {
    const counted = {
      runs: 0,
      run: async (): Promise<IdempotentAnswer> => ({
        status: 200,
        body: { run: ++counted.runs, name: "Camila" },
        ...answer,
      }),
    };
    return counted;
  }

  it("runs a request once and returns its first answer again, headers too", async () => {
    const counted = counting({ status: 201, headers: { Location: "/orders/1" } });
    const first = await withIdempotency(parts(), request(), counted.run);
    expect(first).toEqual({
      status: 201,
      body: { run: 1, name: "Camila" },
      headers: { Location: "/orders/1" },
      replayed: false,
    });
    expect(await withIdempotency(parts(), request(), counted.run)).toEqual({ ...first, replayed: true });
    expect(counted.runs).toBe(1);
  });

  it("belongs to one provider, method and path", async () => {
    const counted = counting();
    for (const overrides of [
      {},
      { providerId: ids.uuid() },
      { method: "POST" },
      { path: "/orders/2/refund" },
      { key: "key-2" },
    ]) {
      expect((await withIdempotency(parts(), request(overrides), counted.run)).replayed).toBe(false);
    }
    expect(counted.runs).toBe(5);
  });

  it("is refused with another body", async () => {
    const counted = counting();
    await withIdempotency(parts(), request(), counted.run);
    const other = withIdempotency(parts(), request({ bodyBytes: Buffer.from('{"amount":2}') }), counted.run);
    await expect(other).rejects.toMatchObject({ code: "idempotency_key_reused" });
    expect(counted.runs).toBe(1);
  });

  it("runs one of many concurrent requests; the others get a conflict or its answer", async () => {
    const counted = counting();
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, () => withIdempotency(parts(), request(), counted.run)),
    );
    expect(counted.runs).toBe(1);
    for (const result of results) {
      if (result.status === "rejected") expect(result.reason).toMatchObject({ code: "idempotency_in_flight" });
      else expect(result.value.body).toEqual({ run: 1, name: "Camila" });
    }
  });

  it("is blocked by a dead process only until its lease ends, and with another body for longer", async () => {
    const never = new Promise<IdempotentAnswer>(() => undefined);
    void withIdempotency(parts(), request(), () => never);
    const counted = counting();
    await expect
      .poll(async () => (await sql`select 1 from idempotency_keys`.execute(database.db)).rows)
      .toHaveLength(1);
    for (const passed of [0, 29_999]) {
      clock.advance(passed);
      await expect(withIdempotency(parts(), request(), counted.run)).rejects.toMatchObject({
        code: "idempotency_in_flight",
      });
    }
    clock.advance(1);
    const other = withIdempotency(parts(), request({ bodyBytes: Buffer.from("{}") }), counted.run);
    await expect(other).rejects.toMatchObject({ code: "idempotency_key_reused" });
    expect(await withIdempotency(parts(), request(), counted.run)).toMatchObject({ replayed: false, body: { run: 1 } });
  });

  it.each([
    { title: "it answers", last: { status: 200, body: { run: "late" } } },
    { title: "it fails", last: { status: 500, body: { code: "internal_error" } } },
  ])("keeps the answer of the process that took over when the first only seemed dead: $title", async ({ last }) => {
    let finishLate: (answer: IdempotentAnswer) => void = () => undefined;
    const late = withIdempotency(
      { ...parts(), leaseMs: 1_000 },
      request(),
      () =>
        new Promise((resolve) => {
          finishLate = resolve;
        }),
    );
    await expect
      .poll(async () => (await sql`select 1 from idempotency_keys`.execute(database.db)).rows)
      .toHaveLength(1);
    clock.advance(1_000);
    const counted = counting();
    await withIdempotency(parts(), request(), counted.run);
    finishLate(last);
    await late;
    expect((await withIdempotency(parts(), request(), counted.run)).body).toEqual({ run: 1, name: "Camila" });
  });

  /** Errors that the caller can correct in the request itself. */
  const mendable: readonly [number, ErrorCode][] = [
    [400, "customer_email_required"],
    [400, "total_amount_negative"],
    [422, "provider_rut_required"],
    [400, "provider_rut_not_allowed"],
    [404, "center_not_found"],
    [422, "document_serial_malformed"],
    [400, "consents_missing"],
    [400, "refund_amount_invalid"],
  ];

  /** Errors that may disappear by the next attempt; the first attempt did nothing. */
  const passing: readonly [number, ErrorCode][] = [
    [400, "processor_customer_identity_not_validated"],
    [400, "processor_payment_method_not_found"],
    [400, "card_expires_too_soon"],
    [400, "refund_amount_exceeds"],
    [400, "partial_refund_not_supported"],
    [400, "refund_refused"],
    [404, "order_not_found"],
    [409, "payment_in_progress"],
    [409, "order_not_refundable"],
    [409, "RUT_OTHER_EMAIL"],
    [422, "identity_attempts_exhausted"],
  ];

  it.each<[string, Partial<IdempotentAnswer>, boolean]>([
    ["a success", {}, true],
    ["a conflict", { status: 409, body: { code: "duplicate_reference" } }, true],
    ["a decline", { status: 400, body: { code: "card_declined" } }, true],
    ["a final refusal", { status: 409, body: { code: "order_not_cancellable" } }, true],
    ["a rejected identity", { status: 422, body: { code: "identity_rejected" } }, true],
    ["a validation failure", { status: 422, body: { code: "validation_error" } }, false],
    ["a body that could not be read", { status: 400, body: { code: "malformed_json" } }, false],
    ...[...mendable, ...passing].map(([status, code]): [string, Partial<IdempotentAnswer>, boolean] => [
      code,
      { status, body: { code } },
      false,
    ]),
    ["too many requests", { status: 429, body: { code: "rate_limited" } }, false],
    ["our own failure", { status: 500, body: { code: "internal_error" } }, false],
    ["a party that is away", { status: 503, body: { code: "identity_registry_unavailable" } }, false],
  ])("stores the answer or is freed after %s", async (_what, answer, isKept) => {
    const counted = counting(answer);
    await withIdempotency(parts(), request(), counted.run);
    const again = await withIdempotency(parts(), request(), counting().run);
    expect(again.replayed).toBe(isKept);
    expect(again.status).toBe(isKept ? (answer.status ?? 200) : 200);
  });

  describe("a request that keeps its answer with its change", () => {
    const keeping = request({ keepsItsAnswer: true });

    it.each([400, 409])("returns its final refusal again, with status %i", async (status) => {
      const counted = counting({ status, body: { code: "card_declined" } });
      for (const replayed of [false, true])
        expect(await withIdempotency(parts(), keeping, counted.run)).toMatchObject({ status, replayed });
      expect(counted.runs).toBe(1);
    });

    it("has the answer of a concurrent request that caused its refusal or undid its change", async () => {
      const first = async () => void (await withIdempotency(parts(), request(), counting().run));
      const refused = async () => {
        await first();
        return { status: 409, body: { code: "duplicate_reference" } };
      };
      const undone = async () => {
        await first();
        throw Object.assign(new Error("once"), { code: "23505", constraint: "idempotency_keys_pkey" });
      };
      for (const run of [refused, undone]) {
        await sql`truncate idempotency_keys`.execute(database.db);
        const answer = await withIdempotency(parts(), keeping, run);
        expect(answer).toMatchObject({ status: 200, replayed: true, body: { run: 1 } });
      }
    });

    it("reports a conflict if the concurrent request vanished without an answer, and rethrows other errors", async () => {
      const undone = Object.assign(new Error("once"), { code: "23505", constraint: "idempotency_keys_pkey" });
      const answered = (error: Error) => withIdempotency(parts(), keeping, () => Promise.reject(error));
      await expect(answered(undone)).rejects.toMatchObject({ code: "idempotency_in_flight" });
      await expect(answered(new Error("It fails."))).rejects.toThrow("It fails.");
    });
  });

  it.runIf(testDatabaseKind === "postgres")(
    "is removed in batches when it has expired, but not while a request takes it again",
    async () => {
      const answer = (key: string) => withIdempotency(parts(), request({ key }), counting().run);
      for (const key of ["one", "two", "three"]) await answer(key);
      clock.advance(25 * 3_600_000);
      await answer("new");
      const expired = () => ({ table: "idempotency_keys", column: "expires_at", before: clock.now() }) as const;
      const remove = (limit: number) => deleteBefore(database.db, expired(), limit);
      await inTransaction(database.db, async (tx) => {
        await sql`select from idempotency_keys where created_at = ${start} limit 1 for update`.execute(tx);
        expect([await remove(1), await remove(10)]).toEqual([1, 1]);
      });
      expect(await remove(10)).toBe(1);
      expect((await answer("new")).replayed).toBe(true);
    },
  );

  it("is answered although its answer cannot be stored during an outage, but not after other errors", async () => {
    const keptBy = (error: Error) => {
      const db = troubledDatabase(database.db, (query) => {
        if (query.includes("insert into idempotency_keys as slot")) throw error;
      });
      return withIdempotency({ ...parts(), db }, request({ key: error.message }), counting().run);
    };
    expect(await keptBy(new DatabaseUnavailable("The connection broke."))).toMatchObject({ status: 200 });
    await expect(keptBy(new Error("It fails."))).rejects.toThrow("It fails.");
  });

  it("is free again when the request failed without an answer", async () => {
    await expect(withIdempotency(parts(), request(), () => Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect(await withIdempotency(parts(), request(), counting().run)).toMatchObject({ replayed: false });
  });

  it("is forgotten after 24 hours", async () => {
    const counted = counting();
    await withIdempotency(parts(), request(), counted.run);
    clock.advance(24 * 3_600_000 - 1);
    expect((await withIdempotency(parts(), request(), counted.run)).replayed).toBe(true);
    clock.advance(1);
    expect((await withIdempotency(parts(), request({ bodyBytes: Buffer.from("{}") }), counted.run)).replayed).toBe(
      false,
    );
  });

  it("survives a rotation of the server's keys", async () => {
    const counted = counting();
    const rotated = { ...parts(), keyring: createKeyring({ keys: [newKey, oldKey], environment: "staging" }) };
    await withIdempotency(parts(), request(), counted.run);
    expect((await withIdempotency(rotated, request(), counted.run)).replayed).toBe(true);
    await expect(
      withIdempotency(rotated, request({ bodyBytes: Buffer.from("{}") }), counted.run),
    ).rejects.toMatchObject({ code: "idempotency_key_reused" });
    await withIdempotency(rotated, request({ key: "key-2" }), counted.run);
    expect((await withIdempotency(rotated, request({ key: "key-2" }), counted.run)).replayed).toBe(true);
    expect(counted.runs).toBe(2);
  });

  it("is not readable in the table, nor is its answer", async () => {
    await withIdempotency(parts(), request({ key: "refund 12345678-5" }), counting().run);
    const { rows } = await sql`select * from idempotency_keys`.execute(database.db);
    expect(JSON.stringify(rows)).not.toMatch(/12345678|Camila|amount/);
  });

  it("has 1 to 255 printable characters", () => {
    expect(readIdempotencyKey(undefined)).toBeNull();
    expect(readIdempotencyKey("a b")).toBe("a b");
    expect(readIdempotencyKey("k".repeat(255))).toHaveLength(255);
    for (const malformed of ["", "k".repeat(256), "ñ", "a\u0000", ["a", "b"]])
      expect(() => readIdempotencyKey(malformed)).toThrow(ApiError);
  });
});

it("only expired rows of Idempotency-Keys are removed", async () => {
  const run = async () => ({ status: 200, body: {} });
  await withIdempotency(
    { db: database.db, clock, ids, keyring },
    {
      providerId: clinic,
      method: "POST",
      path: "/orders",
      key: "old",
      bodyBytes: Buffer.from("{}"),
      keepsItsAnswer: false,
    },
    run,
  );
  await createRateLimiter({ db: database.db, clock, keyring }).take([
    { name: "test", key: "old", requestsMax: 1, windowSeconds: 60 },
  ]);
  const insertTimer = (kind: string, key: string, doneAt: Date | null) =>
    sql`insert into timers (kind, key, provider_id, due_at, payload, done_at) values (${kind}, ${key}, ${clinic}, ${start}, '{}', ${doneAt})`.execute(
      database.db,
    );
  await insertTimer(dispatchKind, "told", start);
  await insertTimer("test.note", "done", start);
  await insertTimer("test.note", "open", null);
  expect(await purgeExpired({ db: database.db, clock })).toEqual({ count: 0 });
  clock.advance(25 * 3_600_000);
  expect(await purgeExpired({ db: database.db, clock })).toEqual({ count: 3 });
  clock.advance(181 * 24 * 3_600_000);
  expect(await purgeExpired({ db: database.db, clock })).toEqual({ count: 1 });
  const { rows } = await sql`select key from timers`.execute(database.db);
  expect(rows).toEqual([{ key: "open" }]);
});

it("an audit row is stored with its change or not at all", async () => {
  const id = ids.uuid();
  const entry = {
    id,
    providerId: clinic,
    actor: "credential:secret_key",
    credentialId: ids.uuid(),
    act: "credential.rotated",
    subject: { kind: "credential", id: "1" },
    details: { overlap_hours: 24 },
    at: start,
  };
  await recordAudit(database.db, entry);
  const row = await database.db
    .selectFrom("audit_log")
    .selectAll()
    .where("id", "=", orderedId(id, start))
    .executeTakeFirstOrThrow();
  expect(row).toMatchObject({
    actor: "credential:secret_key",
    act: "credential.rotated",
    subject_kind: "credential",
    details: { overlap_hours: 24 },
    at: start,
  });
  const failing = database.db.transaction().execute(async (tx) => {
    await recordAudit(tx, { ...entry, id: ids.uuid() });
    throw new Error("no");
  });
  await expect(failing).rejects.toThrow("no");
  const { rows } = await sql`select 1 from audit_log`.execute(database.db);
  expect(rows).toHaveLength(1);
});
