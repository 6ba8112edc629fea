/** @module-tag both-databases */
import { type RawBuilder, sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openOutcomesStatement, totalsStatement } from "../../../src/back-office/exception-store.ts";
import { ROOM_EXCEPTIONS } from "../../../src/back-office/exceptions/room-exceptions.ts";
import { COMPARED_DAYS } from "../../../src/back-office/moving-money.ts";
import { ROOM_TIMELINES } from "../../../src/back-office/timeline/order-timeline.ts";
import { filedByDayStatement, lastFiledStatement } from "../../../src/claims/claim-store.ts";
import { readOrderId } from "../../../src/contract/vocabulary/identifiers.ts";
import {
  daysUntilNow,
  lastConfirmedStatement,
  movedByDayStatement,
} from "../../../src/orders/ledger/moved-money-store.ts";
import { systemClock } from "../../../src/platform/clock.ts";
import type { Database } from "../../../src/platform/database/transaction.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { createKeyring } from "../../../src/platform/keyring.ts";
import { createProvider } from "../../../src/tenants/manage-provider.ts";
import { providerClocks } from "../../../src/tenants/providers.ts";
import { openTestDatabase, type TestDatabase, testDatabaseKind } from "../../database.ts";
import { writeManyOrders } from "../../many-orders.ts";
import { present } from "../orders/orders-world.ts";

/*
 * Each process reads the list of exceptions every minute (`aapd_exceptions`), so its cost must depend on the waiting
 * exceptions and not on all past orders. The same holds for the timeline of one order. PostgreSQL plans each query on
 * 10,000 orders with its own statistics.
 */

const ORDERS = 10_000;
/** Tables that grow with each order. Smaller ones, such as refunds, may be scanned. */
const LARGE = [
  "claims",
  "collection_attempts",
  "collection_triggers",
  "collections",
  "events",
  "expenses",
  "ledger_transfers",
  "loan_reports",
  "notices",
  "order_payments",
  "orders",
  "payable_orders",
  "payment_attempts",
  "payout_items",
  "payouts",
  "refund_movements",
  "saved_cards",
  "tax_documents",
  "webhook_attempts",
  "webhook_deliveries",
];

interface PlanNode {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly Plans?: readonly PlanNode[];
}

let database: TestDatabase;
beforeAll(async () => {
  if (testDatabaseKind !== "postgres") return;
  database = await openTestDatabase();
  const { db } = database;
  const keyring = createKeyring({ keys: [{ id: "plans", secret: Buffer.alloc(32, 1) }], environment: "production" });
  const providerIds: string[] = [];
  for (const number of [1, 2, 3, 4, 5]) {
    const { provider } = await createProvider(
      { db, clock: systemClock, ids: systemIds, keyring, environment: "production" },
      {
        name: `Clínica ${number}`,
        rut: "76.900.001-1",
        commissionPercentage: 7,
        commissionTax: { regime: "interest" },
        supportEmail: "a@example.com",
      },
    );
    providerIds.push(provider.id);
  }
  await writeManyOrders(db, { providerIds, count: ORDERS, now: systemClock.now() });
  await writeDeliveries(db);
});
afterAll(() => database?.close());

/**
 * Each order has two deliveries, one to each endpoint of its clinic, at the second attempt. One endpoint was deleted
 * since.
 */
async function writeDeliveries(db: Database): Promise<void> {
  await sql`insert into webhook_endpoints (id, provider_id, url, kinds, created_at, updated_at, deleted_at)
    select md5(n || id::text)::uuid, id, 'https://clinic.test/' || n, '{order.paid}', created_at, created_at,
      case when n = 1 then created_at end from providers, generate_series(1, 2) as n`.execute(db);
  await sql`insert into events (id, provider_id, order_id, kind, sequence, payload, created_at, position)
    select md5(n || id::text)::uuid, provider_id, id, case when n = 1 then 'order.created' else 'order.paid' end, n, '{}', created_at, row_number() over ()
    from orders, generate_series(1, 2) as n`.execute(db);
  await sql`insert into webhook_deliveries (id, provider_id, endpoint_id, event_id, webhook_id, kind, order_id, sequence, status, queued_at,
      attempts, failures, round, attempted, created_at, ended_at, accepted_started_at, accepted_status)
    select webhook_delivery_id(e.id, events.id), e.provider_id, e.id, events.id, events.id, events.kind, order_id, sequence, 'delivered', events.created_at,
      2, 0, 1, true, events.created_at, events.created_at, events.created_at, 204
    from events join webhook_endpoints e on e.provider_id = events.provider_id`.execute(db);
  await sql`insert into webhook_attempts (delivery_id, number, round, started_at, ended_at, outcome, failure)
    select id, 1, 1, created_at, created_at, 'failed', 'timeout' from webhook_deliveries`.execute(db);
  await sql`analyze events, webhook_attempts, webhook_deliveries, webhook_endpoints`.execute(db);
}

/** The large tables that a query reads completely, according to its plan. */
async function readWhole(db: Database, query: RawBuilder<unknown>): Promise<string[]> {
  const { rows } = await sql<{ "QUERY PLAN": [{ Plan: PlanNode }] }>`explain (format json) ${query}`.execute(db);
  const scanned = (node: PlanNode): string[] => [
    ...(node["Node Type"] === "Seq Scan" ? [node["Relation Name"] ?? ""] : []),
    ...(node.Plans ?? []).flatMap(scanned),
  ];
  return rows.flatMap((row) => scanned(row["QUERY PLAN"][0].Plan)).filter((table) => LARGE.includes(table));
}

const clocks = providerClocks("production", systemClock.now());
const queries = ROOM_EXCEPTIONS.flatMap((part) => part.queries("production", clocks));

/** The large tables that the combined statement of all rooms' queries reads completely, and that statement. */
async function allReadWhole(db: Database): Promise<string[]> {
  const found: string[] = [];
  for (const { rows } of queries) found.push(...(await readWhole(db, rows)));
  const whole = totalsStatement({ queries, clocks }, null);
  const outcomes = openOutcomesStatement({ queries, clocks: providerClocks("production", systemClock.now()) });
  return [...found, ...(await readWhole(db, whole)), ...(await readWhole(db, outcomes))].toSorted();
}

describe.runIf(testDatabaseKind === "postgres")("exceptions are found by indexes", () => {
  it("no query of a room, nor all rooms together, scans a table that grows with orders", async () => {
    expect(await allReadWhole(database.db)).toEqual([]);
  });

  it("the orders of this test cause nearly every kind, so that the query plans are realistic", async () => {
    const counted = totalsStatement({ queries, clocks }, null);
    const { rows } = await counted.execute(database.db);
    expect(rows.length).toBeGreaterThanOrEqual(10);
  });

  it.each([
    ["orders_given_back", "orders"],
    ["payment_attempts_for_people", "payment_attempts"],
    ["expenses_held", "expenses"],
    ["expenses_unread", "expenses"],
    ["payable_orders_moved", "payable_orders"],
  ])("%s and %s: a missing index leads to a full scan, which this test finds", async (index, table) => {
    const undone = new Error("undone");
    const dropped = database.db.transaction().execute(async (tx) => {
      await sql`drop index ${sql.ref(index)}`.execute(tx);
      expect(await allReadWhole(tx)).toContain(table);
      throw undone;
    });
    await expect(dropped).rejects.toBe(undone);
  });
});

describe.runIf(testDatabaseKind === "postgres")("whether money moves is found by indexes", () => {
  it("reads the compared days alone, of the ledger and of the claims", async () => {
    const statements = [
      movedByDayStatement(clocks, COMPARED_DAYS),
      lastConfirmedStatement(clocks),
      filedByDayStatement(daysUntilNow(clocks, COMPARED_DAYS)),
      lastFiledStatement(clocks),
    ];
    const whole: string[] = [];
    for (const statement of statements) whole.push(...(await readWhole(database.db, statement)));
    expect(whole).toEqual([]);
    const { rows } = await movedByDayStatement(clocks, COMPARED_DAYS).execute(database.db);
    expect(rows.some(({ daysAgo, count }) => daysAgo === COMPARED_DAYS && count > 0)).toBe(true);
  });
});

describe.runIf(testDatabaseKind === "postgres")("one order's timeline is found by indexes", () => {
  it("every room avoids full scans of tables that grow with orders", async () => {
    const { db } = database;
    const found = db.selectFrom("orders").select(["id", "provider_id"]).where("state", "=", "paid").limit(1);
    const { id, provider_id: providerId } = await found.executeTakeFirstOrThrow();
    const order = { providerId, orderId: present(readOrderId(id)), clockOffsetMs: 0 };
    const whole: string[] = [];
    for (const part of ROOM_TIMELINES)
      for (const query of [...part.happened(order), ...(part.waits?.(order) ?? []), ...(part.timers?.(order) ?? [])])
        whole.push(...(await readWhole(db, query)));
    expect(whole).toEqual([]);
  });
});
