/** @module-tag both-databases */
import { type Kysely, sql } from "kysely";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Tables } from "../../../src/platform/database/tables.ts";
import { inTransaction } from "../../../src/platform/database/transaction.ts";
import { nameDeployment } from "../../../src/platform/deployment-store.ts";
import { dispatchKind } from "../../../src/platform/outbox.ts";
import { webhookSecretsBeside } from "../../../src/tenants/credentials.ts";
import { recordAttempts } from "../../../src/webhooks/attempt-store.ts";
import { deliveryLag } from "../../../src/webhooks/deliveries.ts";
import { claimDeliveries, claimStatement, type DeliveryClaim } from "../../../src/webhooks/delivery-claim-store.ts";
import {
  dropDeliveries,
  queueForEndpoints,
  queueScheduled,
  replayDeliveries,
  selectEarlierUndispatched,
} from "../../../src/webhooks/delivery-queue-store.ts";
import { lockEndpointQueue, markFailing, updateEndpoint } from "../../../src/webhooks/endpoint-store.ts";
import { testDatabaseKind } from "../../database.ts";
import { untilWaiting } from "../../lock-waits.ts";
import { startBff, type TestBff } from "../../start-bff.ts";

const ENDPOINTS = 3;
const EVENTS = 5_000;
const PER_ENDPOINT = 10;

let bff: TestBff;
beforeEach(async () => {
  bff = await startBff();
});
afterEach(() => bff.close());

/**
 * Every event waits for each endpoint. All are the second event of their order, so the first must be looked up for
 * each.
 */
async function queueMany(db: Kysely<Tables>, events = EVENTS): Promise<void> {
  const { id: providerId } = bff.clinic.provider;
  await sql`
    insert into webhook_endpoints (id, provider_id, url, kinds, created_at, updated_at)
    select md5('endpoint' || n)::uuid, ${providerId}, 'http://127.0.0.1:9/', array['order.refunded'], ${bff.clock.now()}, ${bff.clock.now()}
    from generate_series(1, ${ENDPOINTS}::int) n`.execute(db);
  await sql`
    insert into events (id, provider_id, order_id, kind, sequence, payload, created_at)
    select md5('event' || n)::uuid, ${providerId}, md5('order' || n)::uuid, 'order.refunded', 2, '{}', ${bff.clock.now()}
    from generate_series(1, ${events}::int) n`.execute(db);
  await sql`
    insert into webhook_deliveries (id, provider_id, endpoint_id, event_id, webhook_id, kind, order_id, sequence, status,
      queued_at, attempts, failures, round, attempted, created_at)
    select webhook_delivery_id(md5('endpoint' || m)::uuid, md5('event' || n)::uuid), ${providerId}, md5('endpoint' || m)::uuid, md5('event' || n)::uuid, md5('event' || n)::uuid,
      'order.refunded', md5('order' || n)::uuid, 2, 'queued', ${bff.clock.now()}, 0, 0, 1, false, ${bff.clock.now()}
    from generate_series(1, ${events}::int) n, generate_series(1, ${ENDPOINTS}::int) m`.execute(db);
}

function claim(overrides: Partial<DeliveryClaim> = {}): DeliveryClaim {
  return {
    secrets: webhookSecretsBeside(bff.context),
    environment: "staging",
    leaseId: bff.context.ids.uuid(),
    now: bff.clock.now(),
    leaseUntil: new Date(bff.clock.now().getTime() + 30_000),
    totalMax: 500,
    perEndpointMax: PER_ENDPOINT,
    perQuickEndpointMax: 2 * PER_ENDPOINT,
    perFailingEndpointMax: 2,
    underWay: new Map(),
    providerId: null,
    ...overrides,
  };
}

/** The rows that a sequential scan reads when this function runs. */
async function readOneByOne(db: Kysely<Tables>, run: () => Promise<unknown>): Promise<number> {
  await sql`begin`.execute(db);
  await run();
  const { rows } = await sql<{ read: number }>`
    select seq_tup_read::int as read from pg_stat_xact_user_tables where relname = 'webhook_deliveries'`.execute(db);
  await sql`commit`.execute(db);
  return rows[0]?.read ?? Number.NaN;
}

/** A server keeps the plan of a repeated statement until the table's statistics change. */
const SEEN_OFTEN = 7;

it("deliveries are found by index, even with a plan made for an empty table", async () => {
  await bff.database.db.connection().execute(async (db) => {
    for (let times = 0; times < SEEN_OFTEN; times += 1) {
      expect(await claimDeliveries(db, claim())).toEqual([]);
      await recordAttempts(db, []);
    }
    await queueMany(db);
    const claimed = await claimDeliveries(db, claim());
    expect(claimed).toHaveLength(ENDPOINTS * PER_ENDPOINT);
    expect(await readOneByOne(db, () => claimDeliveries(db, claim()))).toBe(0);
    const at = bff.clock.now();
    const how = { startedAt: at, endedAt: at, outcome: "succeeded", failure: null, status: 204, answer: "" } as const;
    const records = claimed.map(({ id, leaseId }) => ({ ...how, deliveryId: id, leaseId, next: "delivered" as const }));
    expect(await readOneByOne(db, () => recordAttempts(db, records))).toBe(0);
  });
});

it("claiming costs the same for any number of waiting deliveries and idle endpoints, even without statistics", async () => {
  const { db } = bff.database;
  await queueMany(db);
  await sql`
    with idle as (
      insert into webhook_endpoints (id, provider_id, url, kinds, created_at, updated_at)
      select gen_random_uuid(), ${bff.clinic.provider.id}, 'http://127.0.0.1:9/', array['order.paid'], ${bff.clock.now()}, ${bff.clock.now()}
      from generate_series(1, 1000) returning id, provider_id, created_at
    )
    insert into webhook_deliveries (id, provider_id, endpoint_id, webhook_id, kind, status, queued_at, attempts, failures, round,
      attempted, created_at, ended_at)
    select gen_random_uuid(), provider_id, id, gen_random_uuid(), 'endpoint.test', 'exhausted', created_at, 6, 6, 1, true, created_at,
      created_at
    from idle`.execute(db);
  const { rows } = await sql<{
    "QUERY PLAN": Array<{ Plan: Record<string, number> }>;
  }>`explain (analyze, buffers, format json) ${claimStatement(claim())}`.execute(db);
  const plan = rows[0]?.["QUERY PLAN"][0]?.Plan;
  const blocks = (plan?.["Shared Hit Blocks"] ?? Number.NaN) + (plan?.["Shared Read Blocks"] ?? Number.NaN);
  // A few dozen blocks for each claimed delivery, most of them to write it. A scan of all waiting ones would take
  // 15,000.
  expect(blocks).toBeLessThanOrEqual(ENDPOINTS * PER_ENDPOINT * 50);

  const [busy, idle] = await sql<{
    id: string;
  }>`select distinct endpoint_id as id from webhook_deliveries where status = 'queued' order by id limit 2`
    .execute(db)
    .then((found) => found.rows.map(({ id }) => id));
  const underWay = new Map([[busy ?? "", { attempts: PER_ENDPOINT - 3, isQuick: false }]]);
  const taken = await claimDeliveries(db, claim({ underWay }));
  const takenOf = (endpointId: string | undefined) => taken.filter((one) => one.endpointId === endpointId).length;
  expect([takenOf(busy), takenOf(idle)]).toEqual([3, PER_ENDPOINT]);
  expect(taken.every(({ event }) => event !== null)).toBe(true);
});

it("endpoints with the fewest running attempts come first if places are short, and fast ones may have more", async () => {
  const { db } = bff.database;
  await queueMany(db);
  const { rows } = await sql<{ id: string }>`select id from webhook_endpoints order by id`.execute(db);
  const [slow = "", quick = "", idle = ""] = rows.map(({ id }) => id);
  // The slow endpoint's deliveries wait longest.
  await sql`update webhook_deliveries set queued_at = queued_at - interval '1 hour' where endpoint_id = ${slow}`.execute(
    db,
  );
  const underWay = new Map([
    [slow, { attempts: PER_ENDPOINT - 1, isQuick: false }],
    [quick, { attempts: PER_ENDPOINT - 1, isQuick: true }],
  ]);
  const countOf = (taken: Awaited<ReturnType<typeof claimDeliveries>>) =>
    [slow, quick, idle].map((id) => taken.filter(({ endpointId }) => endpointId === id).length);
  const few = await claimDeliveries(db, claim({ underWay, totalMax: PER_ENDPOINT - 1 }));
  expect(countOf(few)).toEqual([0, 0, PER_ENDPOINT - 1]);
  const all = await claimDeliveries(db, claim({ underWay }));
  expect(countOf(all)).toEqual([1, PER_ENDPOINT + 1, PER_ENDPOINT]);
});

it("a receiver that fails gets few requests at once, and the others as many as ever", async () => {
  const { db } = bff.database;
  await queueMany(db);
  const { rows } = await sql<{ id: string }>`select id from webhook_endpoints order by id`.execute(db);
  const [failing = ""] = rows.map(({ id }) => id);
  await sql`update webhook_endpoints set first_failed_at = ${bff.clock.now()} where id = ${failing}`.execute(db);
  const taken = await claimDeliveries(db, claim());
  const countOf = (endpointId: string) => taken.filter((one) => one.endpointId === endpointId).length;
  expect(rows.map(({ id }) => countOf(id))).toEqual([claim().perFailingEndpointMax, PER_ENDPOINT, PER_ENDPOINT]);
});

it("the longest-waiting deliveries are sent first, each with its event and signing secrets", async () => {
  const { db } = bff.database;
  await queueMany(db);
  // Every receiver gets the same events, but no two deliveries have the same time.
  await sql`
    update webhook_deliveries set queued_at = queued_at + hashtext(event_id::text) * interval '1 millisecond'
      + hashtext(endpoint_id::text) % 1000 * interval '1 microsecond'`.execute(db);
  const taken = await claimDeliveries(db, claim());
  const oldest = async (first: number, last: number) => {
    const { rows } = await sql<{ id: string }>`
      select id from (
        select id, queued_at, row_number() over (partition by endpoint_id order by queued_at) as place from webhook_deliveries
      ) as waiting where place between ${first} and ${last} order by queued_at`.execute(db);
    return rows.map(({ id }) => id);
  };
  expect(taken.map(({ id }) => id)).toEqual(await oldest(1, PER_ENDPOINT));
  for (const { event, secrets } of taken) expect([event, secrets]).not.toContain(null);
  // If there is no room for all, the longest-waiting of each receiver are claimed.
  const next = await claimDeliveries(db, claim({ totalMax: 2 * ENDPOINTS }));
  expect(next.map(({ id }) => id)).toEqual(await oldest(PER_ENDPOINT + 1, PER_ENDPOINT + 2));
});

it("nothing is claimed for a receiver that was deleted or is paused", async () => {
  const { db } = bff.database;
  await queueMany(db);
  const { rows } = await sql<{ id: string }>`select id from webhook_endpoints order by id`.execute(db);
  const [deleted = "", paused = "", open = ""] = rows.map(({ id }) => id);
  await sql`update webhook_endpoints set deleted_at = ${bff.clock.now()} where id = ${deleted}`.execute(db);
  await sql`update webhook_endpoints set paused_at = ${bff.clock.now()} where id = ${paused}`.execute(db);
  const taken = await claimDeliveries(db, claim());
  expect(taken.map(({ endpointId }) => endpointId)).toEqual(Array(PER_ENDPOINT).fill(open));
});

it("nothing is sent again to a receiver that is deleted during the replay request", async () => {
  const { db } = bff.database;
  await queueMany(db);
  await sql`update webhook_deliveries set status = 'exhausted', ended_at = queued_at`.execute(db);
  const { rows } = await sql<{ id: string }>`
    update webhook_endpoints set deleted_at = ${bff.clock.now()} where id = md5('endpoint1')::uuid returning id`.execute(
    db,
  );
  const statuses = ["exhausted"] as const;
  const asked = { endpointId: rows[0]?.id ?? "", deliveryId: null, since: new Date(0), statuses, at: bff.clock.now() };
  expect(await inTransaction(db, (tx) => replayDeliveries(tx, asked))).toBe(0);
});

it("a delivery backs off longer after each interruption, but not after failed attempts", async () => {
  const { db } = bff.database;
  await queueMany(db);
  const FAILED = 3;
  const take = async () => {
    const [delivery] = await claimDeliveries(db, claim({ totalMax: 1 }));
    if (delivery === undefined) throw new Error("Deliveries wait.");
    return delivery;
  };
  const at = bff.clock.now();
  const failed = { startedAt: at, endedAt: at, outcome: "failed", failure: "status", status: 500, answer: "" } as const;
  const { id: deliveryId, ...first } = await take();
  let { leaseId } = first;
  for (let failures = 0; failures < FAILED; failures += 1) {
    await recordAttempts(db, [{ ...failed, deliveryId, leaseId, next: "scheduled" }]);
    // It is due before all others, so it is the one that is claimed.
    await queueScheduled(db, deliveryId, new Date(0));
    ({ leaseId } = await take());
  }
  await sql`update webhook_deliveries set status = 'scheduled' where id <> ${deliveryId}`.execute(db);
  await recordAttempts(db, [{ ...failed, deliveryId, leaseId, next: "scheduled" }]);
  expect([await queueScheduled(db, deliveryId, new Date(0)), await queueScheduled(db, deliveryId, at)]).toEqual([
    true,
    false,
  ]);
  // Only this one is due again. The others are unchanged.
  expect((await take()).id).toBe(deliveryId);
  // Interruptions from a round before a replay, or of another delivery, do not count.
  await sql`
    insert into webhook_attempts (delivery_id, number, round, started_at, outcome)
    select id, 1000, case when id = ${deliveryId} then 0 else 1 end, ${at}, 'interrupted' from webhook_deliveries`.execute(
    db,
  );
  const leftAlone: number[] = [];
  for (let interruptions = 0; interruptions < 3; interruptions += 1) {
    const until = await leaseOf(db, deliveryId);
    leftAlone.push(until.getTime() - bff.clock.now().getTime());
    bff.clock.set(until);
    expect(await take()).toMatchObject({ id: deliveryId, failures: FAILED + 1 });
  }
  expect(leftAlone).toEqual([30_000, 60_000, 120_000]);
});

it("deliveries that are claimed together each back off by their own interruptions", async () => {
  const { db } = bff.database;
  await queueMany(db);
  const [once = "", twice = ""] = (await claimDeliveries(db, claim({ totalMax: 2 }))).map(({ id }) => id);
  await sql`
    insert into webhook_attempts (delivery_id, number, round, started_at, outcome)
    values (${twice}, 1000, 1, ${bff.clock.now()}, 'interrupted')`.execute(db);
  bff.clock.advance(30_000);
  const taken = (await claimDeliveries(db, claim())).map(({ id }) => id);
  const [never = ""] = taken.filter((id) => ![once, twice].includes(id));
  const leases = await Promise.all([never, once, twice].map((id) => leaseOf(db, id)));
  expect(leases.map((until) => until.getTime() - bff.clock.now().getTime())).toEqual([30_000, 60_000, 120_000]);
});

it("a delivery that was interrupted repeatedly and then answered is not given up", async () => {
  const { db } = bff.database;
  await queueMany(db);
  const id = (await claimDeliveries(db, claim({ totalMax: 1 })))[0]?.id ?? "";
  await sql`
    insert into webhook_attempts (delivery_id, number, round, started_at, outcome)
    select ${id}, number, 1, ${bff.clock.now()}, 'interrupted' from generate_series(1, 99) as number`.execute(db);
  await sql`
    update webhook_deliveries set attempts = 100, lease_id = null, lease_until = null, leased_at = null, queued_at = ${new Date(0)}
    where id = ${id}`.execute(db);
  expect(await claimDeliveries(db, claim({ totalMax: 1 }))).toMatchObject([{ id }]);
});

async function leaseOf(db: Kysely<Tables>, id: string): Promise<Date> {
  const found = db.selectFrom("webhook_deliveries").select("lease_until").where("id", "=", id);
  return (await found.executeTakeFirstOrThrow()).lease_until ?? new Date(Number.NaN);
}

it("exactly the undispatched earlier events of the order are found", async () => {
  const { db } = bff.database;
  const { id: providerId } = bff.clinic.provider;
  const [own, other] = [bff.context.ids.uuid(), bff.context.ids.uuid()];
  await sql`
    insert into events (id, provider_id, order_id, kind, sequence, payload, created_at)
    select md5(o.id::text || n)::uuid, ${providerId}, o.id, 'order.refunded', n, '{}', ${bff.clock.now()}
    from unnest(array[${own}, ${other}]::uuid[]) as o (id), generate_series(1, 4) as n`.execute(db);
  await sql`
    insert into timers (kind, key, provider_id, due_at, payload)
    select ${dispatchKind}, id::text, provider_id, created_at, '{}' from events where sequence > 1`.execute(db);
  const found = await inTransaction(db, (tx) => selectEarlierUndispatched(tx, [{ orderId: own, sequence: 4 }]));
  expect(new Set(found.map(({ orderId, sequence }) => `${orderId} ${sequence}`))).toEqual(
    new Set([`${own} 2`, `${own} 3`]),
  );
});

it("a later event waits for its order's unattempted earlier ones, but not for an abandoned one", async () => {
  const { db } = bff.database;
  await queueMany(db, 0);
  await sql`delete from webhook_endpoints where id <> md5('endpoint1')::uuid`.execute(db);
  const { ids, clock, clinic } = { ...bff.context, clinic: bff.clinic };
  const tell = async (orderId: string, sequence: number) => {
    const [id, createdAt, kind] = [ids.uuid(), clock.now(), "order.refunded" as const];
    const event = { id, providerId: clinic.provider.id, orderId, kind, sequence, createdAt };
    await inTransaction(db, (tx) => queueForEndpoints(tx, [{ event, kind, webhookId: id }], createdAt));
    bff.clock.advance(1_000);
    return id;
  };
  const takenOf = async () => (await claimDeliveries(db, claim())).map(({ webhookId }) => webhookId);
  const own = ids.uuid();
  // The later one has waited longer, as has one of an order without earlier deliveries.
  const [later, ofOther, earlier] = [await tell(own, 2), await tell(ids.uuid(), 3), await tell(own, 1)];
  expect(await takenOf()).toEqual([ofOther, earlier]);
  await sql`update webhook_deliveries set status = 'exhausted', ended_at = queued_at where webhook_id = ${earlier}`.execute(
    db,
  );
  expect(await takenOf()).toEqual([later]);
  // A replay after a failed attempt does not block anything either.
  await sql`
    update webhook_deliveries set status = 'queued', ended_at = null, attempted = (webhook_id = ${earlier}), lease_id = null, lease_until = null,
      leased_at = null
    where order_id = ${own}`.execute(db);
  expect(await takenOf()).toEqual([later, earlier]);
});

it("an abandoned delivery and an unanswered attempt end in their clinic's time", async () => {
  const { db } = bff.database;
  await bff.createProvider();
  await queueMany(db, 1);
  await sql`update providers set clock_offset_ms = 7200000 where id = ${bff.clinic.provider.id}`.execute(db);
  const [taken] = await claimDeliveries(db, claim({ totalMax: 1 }));
  const deliveryId = taken?.id ?? "";
  const leasedAt = bff.clock.now();
  await sql`
    insert into webhook_attempts (delivery_id, number, round, started_at, outcome)
    select ${deliveryId}, number, 1, ${leasedAt}, 'interrupted' from generate_series(1, 99) as number`.execute(db);
  await sql`update webhook_deliveries set attempts = 99 where id = ${deliveryId}`.execute(db);
  bff.clock.advance(30_000);
  expect((await claimDeliveries(db, claim())).map(({ id }) => id)).not.toContain(deliveryId);
  const { rows } = await sql<{ status: string; ended_at: Date; started_at: Date }>`
    select d.status, d.ended_at, a.started_at from webhook_deliveries d
    join webhook_attempts a on a.delivery_id = d.id and a.number = 100 where d.id = ${deliveryId}`.execute(db);
  const inClinicTime = (moment: Date) => new Date(moment.getTime() + 7_200_000);
  expect(rows).toEqual([
    { status: "exhausted", ended_at: inClinicTime(bff.clock.now()), started_at: inClinicTime(leasedAt) },
  ]);
});

it("the lag is the age of the longest-waiting delivery, without paused and deleted receivers", async () => {
  const { db } = bff.database;
  await queueMany(db, 3);
  const lag = () => deliveryLag({ db, clock: bff.clock });
  await sql`
    update webhook_endpoints set paused_at = case id when md5('endpoint1')::uuid then created_at end,
      deleted_at = case id when md5('endpoint2')::uuid then created_at end`.execute(db);
  await sql`
    update webhook_deliveries set
      queued_at = queued_at - interval '1 second' * case endpoint_id
        when md5('endpoint1')::uuid then 60
        when md5('endpoint2')::uuid then 50
        else case event_id when md5('event1')::uuid then 40 when md5('event2')::uuid then 30 else 20 end
      end,
      status = case event_id when md5('event1')::uuid then 'exhausted' else 'queued' end,
      ended_at = case event_id when md5('event1')::uuid then created_at end`.execute(db);
  expect(await lag()).toBe(30);
  await sql`update webhook_endpoints set paused_at = null`.execute(db);
  expect(await lag()).toBe(60);
  await sql`update webhook_deliveries set status = 'exhausted', ended_at = created_at`.execute(db);
  expect(await lag()).toBeNull();
});

it("polling one provider's deliveries claims none of another's", async () => {
  const { db } = bff.database;
  await queueMany(db);
  const other = await bff.createProvider();
  expect(await claimDeliveries(db, claim({ providerId: other.provider.id }))).toEqual([]);
  expect(await claimDeliveries(db, claim({ providerId: bff.clinic.provider.id }))).toHaveLength(
    ENDPOINTS * PER_ENDPOINT,
  );
});

it("two endpoints that begin to fail at the same moment are each marked once", async () => {
  const { db } = bff.database;
  await queueMany(db);
  const since = bff.clock.now();
  await sql`update webhook_endpoints set first_failed_at = ${since}`.execute(db);
  const { rows } = await sql<{ id: string }>`select id from webhook_endpoints order by id limit 1`.execute(db);
  const { id = "" } = rows[0] ?? {};
  const mark = { id, since, at: bff.clock.now() };
  expect(await markFailing(db, { ...mark, since: new Date(since.getTime() - 1) })).toBe(false);
  expect(await markFailing(db, mark)).toBe(true);
  expect(await markFailing(db, mark)).toBe(false);
  const marked = await sql<{ id: string }>`select id from webhook_endpoints where failing_at is not null`.execute(db);
  expect(marked.rows).toEqual([{ id }]);
});

it.runIf(testDatabaseKind === "postgres")(
  "an event for an endpoint that is being deleted does not wait for it without limit",
  async () => {
    const { db } = bff.database;
    await queueMany(db);
    const providerId = bff.clinic.provider.id;
    const { rows } = await sql<{ id: string }>`select id from webhook_endpoints order by id limit 1`.execute(db);
    const endpointId = rows[0]?.id ?? "";
    const at = bff.clock.now();
    const remove = () =>
      inTransaction(db, async (tx) => {
        await lockEndpointQueue(tx, endpointId);
        await updateEndpoint(tx, endpointId, { deletedAt: at }, at);
        await dropDeliveries(tx, endpointId, at);
      });
    const id = bff.context.ids.uuid();
    const event = {
      id,
      providerId,
      orderId: bff.context.ids.uuid(),
      kind: "order.refunded",
      sequence: 1,
      createdAt: at,
    };
    const removed = await inTransaction(db, async (tx) => {
      await queueForEndpoints(tx, [{ event, kind: "order.refunded", webhookId: id }], at);
      const isRemoved = remove();
      await untilWaiting(db);
      return { isRemoved };
    });
    await removed.isRemoved;
    const left =
      await sql`select from webhook_deliveries where endpoint_id = ${endpointId} and status = 'queued'`.execute(db);
    expect(left.rows).toEqual([]);
  },
);

it("the same events are queued once when two processes dispatch them at the same time, and neither fails", async () => {
  const { db } = bff.database;
  await queueMany(db);
  const providerId = bff.clinic.provider.id;
  for (let round = 0; round < 20; round += 1) {
    const events = Array.from({ length: 100 }, () => {
      const id = bff.context.ids.uuid();
      const event = { id, providerId, orderId: bff.context.ids.uuid(), kind: "order.refunded", sequence: 1 };
      return { event: { ...event, createdAt: bff.clock.now() }, kind: "order.refunded", webhookId: id } as const;
    });
    const queue = () => inTransaction(db, (tx) => queueForEndpoints(tx, events, bff.clock.now()));
    await Promise.all([queue(), queue(), queue(), queue()]);
    const queued = await db
      .selectFrom("webhook_deliveries")
      .select("id")
      .where(
        "event_id",
        "in",
        events.map(({ event }) => event.id),
      )
      .execute();
    expect(queued).toHaveLength(100 * ENDPOINTS);
  }
});

it("only the holder of an attempt's lease records it, and a batch returns its failed attempts", async () => {
  const { db } = bff.database;
  await queueMany(db);
  const [delivery, accepted] = await claimDeliveries(db, claim({ totalMax: 2 }));
  if (delivery === undefined || accepted === undefined) throw new Error("Deliveries wait.");
  const at = bff.clock.now();
  const failed = { startedAt: at, endedAt: at, outcome: "failed", failure: "status", status: 500, answer: "" } as const;
  const record = (leaseId: string) => ({ ...failed, deliveryId: delivery.id, leaseId, next: "scheduled" as const });
  expect(await recordAttempts(db, [record(bff.context.ids.uuid())])).toEqual([]);
  const how = { ...failed, outcome: "succeeded", failure: null, status: 204, next: "delivered" } as const;
  const together = [record(delivery.leaseId), { ...how, deliveryId: accepted.id, leaseId: accepted.leaseId }];
  expect(await recordAttempts(db, together)).toMatchObject([{ deliveryId: delivery.id, number: 1 }]);
});

it("endpoints whose attempts fail together each report their own first failure, once", async () => {
  const { db } = bff.database;
  await queueMany(db, 1);
  const [one, other, long] = (await claimDeliveries(db, claim())).map(({ id, leaseId, endpointId }) => ({
    id,
    leaseId,
    endpointId,
  }));
  const startedAt = bff.clock.now();
  const failed = {
    startedAt,
    outcome: "failed",
    failure: "status",
    status: 500,
    answer: "",
    next: "scheduled",
  } as const;
  const record = (delivery: typeof one, seconds: number) => ({
    ...failed,
    deliveryId: delivery?.id ?? "",
    leaseId: delivery?.leaseId ?? "",
    endedAt: new Date(startedAt.getTime() + seconds * 1_000),
  });
  await sql`update webhook_endpoints set first_failed_at = created_at where id = ${long?.endpointId ?? ""}`.execute(db);
  const records = [record(one, 1), record(other, 2), record(long, 3)];
  const failures = (await recordAttempts(db, records)).map(
    ({ deliveryId, failingSince }) => [deliveryId, failingSince] as const,
  );
  expect(failures).toHaveLength(3);
  expect(Object.fromEntries(failures)).toEqual({
    [one?.id ?? ""]: records[0]?.endedAt,
    [other?.id ?? ""]: records[1]?.endedAt,
    [long?.id ?? ""]: null,
  });
});

it("an event has only one delivery to an endpoint: a second id is refused", async () => {
  const { db } = bff.database;
  await queueMany(db);
  const again = sql`
    insert into webhook_deliveries (id, provider_id, endpoint_id, event_id, webhook_id, kind, order_id, sequence, status,
      queued_at, attempts, failures, round, attempted, created_at)
    select ${bff.context.ids.uuid()}, provider_id, endpoint_id, event_id, webhook_id, kind, order_id, sequence, status,
      queued_at, attempts, failures, round, attempted, created_at
    from webhook_deliveries limit 1`.execute(db);
  await expect(again).rejects.toThrow(/webhook_deliveries_once/);
});

it("a process of another environment claims nothing of this database's queue", async () => {
  await queueMany(bff.database.db);
  await nameDeployment(bff.database.db, { environment: "production", keyFingerprints: {} });
  expect(await claimDeliveries(bff.database.db, claim())).toEqual([]);
  expect(await claimDeliveries(bff.database.db, claim({ environment: "production" }))).not.toEqual([]);
});
