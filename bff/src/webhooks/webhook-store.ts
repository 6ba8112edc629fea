import { type ColumnType, sql } from "kysely";
import type { WebhookEventKind } from "../contract/webhook-events.ts";
import type { Database, Transaction } from "../platform/database/transaction.ts";
import { dispatchKind } from "../platform/outbox.ts";
import { type AttemptFailure, retryKind } from "./delivery-schedule.ts";
import { LOGGED_KINDS, type OrderEvent } from "./webhook-body.ts";
import type { WebhookEndpoint } from "./webhook-endpoint.ts";

export type DeliveryStatus = "queued" | "scheduled" | "delivered" | "exhausted" | "dropped";
/** What a delivery carries: an event under one of its kinds, or a test. */
export type DeliveryKind = WebhookEventKind | "endpoint.test";

interface EndpointRow {
  id: string;
  provider_id: string;
  url: string;
  kinds: WebhookEventKind[];
  notify_email: string | null;
  paused_at: Date | null;
  first_failed_at: Date | null;
  failing_at: Date | null;
  created_at: ColumnType<Date, Date, never>;
  updated_at: Date;
  deleted_at: Date | null;
}

interface DeliveryRow {
  id: string;
  provider_id: string;
  endpoint_id: string;
  event_id: string | null;
  webhook_id: string;
  kind: DeliveryKind;
  order_id: string | null;
  sequence: number | null;
  status: DeliveryStatus;
  queued_at: Date;
  lease_id: string | null;
  lease_until: Date | null;
  leased_at: Date | null;
  attempts: number;
  failures: number;
  round: number;
  attempted: boolean;
  created_at: ColumnType<Date, Date, never>;
  ended_at: Date | null;
}

interface AttemptRow {
  delivery_id: string;
  number: number;
  round: number;
  started_at: Date;
  ended_at: Date | null;
  outcome: "succeeded" | "failed" | "interrupted";
  failure: AttemptFailure | null;
  status: number | null;
  answer: string | null;
}

declare module "../platform/database/tables.ts" {
  interface Tables {
    webhook_endpoints: EndpointRow;
    webhook_deliveries: DeliveryRow;
    webhook_attempts: AttemptRow;
  }
}

export async function insertEndpoint(tx: Transaction, endpoint: WebhookEndpoint): Promise<void> {
  await tx
    .insertInto("webhook_endpoints")
    .values({
      id: endpoint.id,
      provider_id: endpoint.providerId,
      url: endpoint.url,
      kinds: [...endpoint.kinds],
      notify_email: endpoint.notifyEmail,
      paused_at: endpoint.pausedAt,
      first_failed_at: null,
      failing_at: null,
      created_at: endpoint.createdAt,
      updated_at: endpoint.createdAt,
      deleted_at: null,
    })
    .execute();
}

/** Endpoints of a provider that are not deleted, oldest first. */
export async function selectEndpoints(db: Database, providerId: string): Promise<WebhookEndpoint[]> {
  const rows = await db
    .selectFrom("webhook_endpoints")
    .selectAll()
    .where("provider_id", "=", providerId)
    .where("deleted_at", "is", null)
    .orderBy("created_at")
    .orderBy("id")
    .execute();
  return rows.map(toEndpoint);
}

/** Another provider's endpoint, or a deleted one, is null. */
export async function findEndpoint(db: Database, providerId: string, id: string): Promise<WebhookEndpoint | null> {
  const row = await db
    .selectFrom("webhook_endpoints")
    .selectAll()
    .where("provider_id", "=", providerId)
    .where("id", "=", id)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  return row === undefined ? null : toEndpoint(row);
}

/** The provider's endpoint that signs with the provider's own secret; the oldest where there are several. */
export async function findSharingEndpoint(db: Database, providerId: string): Promise<WebhookEndpoint | null> {
  const row = await db
    .selectFrom("webhook_endpoints")
    .selectAll()
    .where("provider_id", "=", providerId)
    .where("deleted_at", "is", null)
    .where(sql<boolean>`not exists (select from credentials c where c.webhook_endpoint_id = webhook_endpoints.id)`)
    .orderBy("created_at")
    .orderBy("id")
    .limit(1)
    .executeTakeFirst();
  return row === undefined ? null : toEndpoint(row);
}

export interface EndpointChange {
  readonly url?: string;
  readonly kinds?: readonly WebhookEventKind[];
  readonly notifyEmail?: string | null;
  readonly pausedAt?: Date | null;
  readonly deletedAt?: Date;
}

export async function updateEndpoint(tx: Transaction, id: string, change: EndpointChange, at: Date): Promise<void> {
  await tx
    .updateTable("webhook_endpoints")
    .set({
      updated_at: at,
      ...(change.url === undefined ? {} : { url: change.url }),
      ...(change.kinds === undefined ? {} : { kinds: [...change.kinds] }),
      ...(change.notifyEmail === undefined ? {} : { notify_email: change.notifyEmail }),
      ...(change.pausedAt === undefined ? {} : { paused_at: change.pausedAt }),
      ...(change.deletedAt === undefined ? {} : { deleted_at: change.deletedAt }),
    })
    .where("id", "=", id)
    .execute();
}

function toEndpoint(row: {
  id: string;
  provider_id: string;
  url: string;
  kinds: WebhookEventKind[];
  notify_email: string | null;
  paused_at: Date | null;
  failing_at: Date | null;
  created_at: Date;
}): WebhookEndpoint {
  return {
    id: row.id,
    providerId: row.provider_id,
    url: row.url,
    kinds: row.kinds,
    notifyEmail: row.notify_email,
    pausedAt: row.paused_at,
    failingAt: row.failing_at,
    createdAt: row.created_at,
  };
}

/** A delivery that is to be put into the queue. */
export interface NewDelivery {
  readonly id: string;
  readonly providerId: string;
  readonly endpointId: string;
  readonly eventId: string | null;
  readonly webhookId: string;
  readonly kind: DeliveryKind;
  readonly orderId: string | null;
  readonly sequence: number | null;
  /** In the provider's own time. */
  readonly createdAt: Date;
  /** In real time. */
  readonly queuedAt: Date;
}

/** Puts deliveries into the queue; what an endpoint already has of an event stays as it is. Says how many were new. */
export async function insertDeliveries(tx: Transaction, deliveries: readonly NewDelivery[]): Promise<number> {
  if (deliveries.length === 0) return 0;
  const result = await tx
    .insertInto("webhook_deliveries")
    .values(deliveries.map(toNewRow))
    .onConflict((conflict) => conflict.constraint("webhook_deliveries_once").doNothing())
    .executeTakeFirst();
  return Number(result.numInsertedOrUpdatedRows ?? 0);
}

function toNewRow(delivery: NewDelivery) {
  return {
    id: delivery.id,
    provider_id: delivery.providerId,
    endpoint_id: delivery.endpointId,
    event_id: delivery.eventId,
    webhook_id: delivery.webhookId,
    kind: delivery.kind,
    order_id: delivery.orderId,
    sequence: delivery.sequence,
    status: "queued" as const,
    queued_at: delivery.queuedAt,
    lease_id: null,
    lease_until: null,
    leased_at: null,
    attempts: 0,
    failures: 0,
    round: 1,
    attempted: false,
    created_at: delivery.createdAt,
    ended_at: null,
  };
}

/**
 * Events of the same order that came before one and have not been told to the subscribers yet, oldest first. The log's
 * dispatches run side by side, so that a later event may come here first.
 */
export async function selectEarlierUntold(
  tx: Transaction,
  { orderId, sequence }: { orderId: string; sequence: number },
): Promise<Array<{ id: string; kind: string; sequence: number; createdAt: Date }>> {
  const { rows } = await sql<{ id: string; kind: string; sequence: number; createdAt: Date }>`
    select events.id, events.kind, events.sequence, events.created_at as "createdAt"
    from events
    join timers on timers.kind = ${dispatchKind} and timers.key = events.id::text and timers.done_at is null
    where events.order_id = ${orderId} and events.sequence < ${sequence} and events.kind = any(${[...LOGGED_KINDS]}::text[])
    order by events.sequence
  `.execute(tx);
  return rows;
}

/** A delivery whose next attempt is the caller's to make, with all that it needs but the secrets. */
export interface ClaimedDelivery {
  readonly id: string;
  readonly leaseId: string;
  readonly providerId: string;
  readonly endpointId: string;
  readonly url: string;
  readonly kind: DeliveryKind;
  readonly webhookId: string;
  /** Null for a test event. */
  readonly event: OrderEvent | null;
  readonly createdAt: Date;
  readonly failures: number;
  readonly round: number;
  readonly clockOffsetMs: number;
}

export interface DeliveryClaim {
  readonly leaseId: string;
  readonly now: Date;
  readonly leaseUntil: Date;
  readonly totalMax: number;
  /** Attempts at one endpoint at a time, all processes together, and at one that failed last. */
  readonly perEndpointMax: number;
  readonly perFailingEndpointMax: number;
  /** Null: everybody's. */
  readonly providerId: string | null;
}

interface ClaimedRow {
  id: string;
  provider_id: string;
  endpoint_id: string;
  url: string;
  kind: DeliveryKind;
  webhook_id: string;
  event_id: string | null;
  event_kind: string;
  order_id: string | null;
  sequence: number | null;
  payload: OrderEvent["payload"];
  event_created_at: Date;
  created_at: Date;
  failures: number;
  round: number;
  clock_offset_ms: number;
}

/**
 * Takes queued deliveries for attempts, so many of each endpoint, oldest first. A delivery waits for those of earlier
 * events of the same order that have not had their first attempt. Where an attempt was begun and never ended, because
 * its worker died, it is recorded as interrupted.
 */
export async function claimDeliveries(db: Database, claim: DeliveryClaim): Promise<ClaimedDelivery[]> {
  const { leaseId, now, leaseUntil } = claim;
  const { rows } = await sql<ClaimedRow>`
    with lanes as (
      select e.id, e.url, (case when e.first_failed_at is null then ${claim.perEndpointMax}::int else ${claim.perFailingEndpointMax}::int end) - (
        select count(*)::int from webhook_deliveries running
        where running.endpoint_id = e.id and running.status = 'queued' and running.lease_until > ${now}
      ) as free
      from webhook_endpoints e
      where e.deleted_at is null and e.paused_at is null and (${claim.providerId}::uuid is null or e.provider_id = ${claim.providerId}::uuid)
    ),
    picked as (
      select candidate.id, candidate.leased_at, lanes.url
      from lanes cross join lateral (
        select d.id, d.leased_at, d.queued_at
        from webhook_deliveries d
        where d.endpoint_id = lanes.id and d.status = 'queued' and (d.lease_until is null or d.lease_until <= ${now})
          and not exists (
            select from webhook_deliveries earlier
            where earlier.endpoint_id = d.endpoint_id and earlier.order_id = d.order_id
              and earlier.status = 'queued' and not earlier.attempted and earlier.sequence < d.sequence
          )
        order by d.queued_at, d.id
        limit greatest(lanes.free, 0)
        for update of d skip locked
      ) as candidate
      order by candidate.queued_at, candidate.id
      limit ${claim.totalMax}
    ),
    claimed as (
      update webhook_deliveries d
      set lease_id = ${leaseId}, lease_until = ${leaseUntil}, leased_at = ${now},
        attempts = d.attempts + (case when picked.leased_at is null then 0 else 1 end)
      from picked
      where d.id = picked.id
      returning d.*, picked.leased_at as begun_before, picked.url
    ),
    interrupted as (
      insert into webhook_attempts (delivery_id, number, round, started_at, outcome)
      select c.id, c.attempts, c.round, c.begun_before + p.clock_offset_ms * interval '1 millisecond', 'interrupted'
      from claimed c join providers p on p.id = c.provider_id
      where c.begun_before is not null
    )
    select c.id, c.provider_id, c.endpoint_id, c.url, c.kind, c.webhook_id, c.created_at, c.failures, c.round,
      c.event_id, c.order_id, c.sequence, v.kind as event_kind, v.payload, v.created_at as event_created_at, p.clock_offset_ms
    from claimed c
    join providers p on p.id = c.provider_id
    left join events v on v.id = c.event_id
    order by c.queued_at, c.id
  `.execute(db);
  return rows.map((row) => toClaimed(row, leaseId));
}

function toClaimed(row: ClaimedRow, leaseId: string): ClaimedDelivery {
  const event: OrderEvent | null =
    row.event_id === null
      ? null
      : {
          id: row.event_id,
          providerId: row.provider_id,
          orderId: row.order_id,
          kind: row.event_kind,
          sequence: row.sequence,
          payload: row.payload,
          createdAt: row.event_created_at,
        };
  return {
    id: row.id,
    leaseId,
    providerId: row.provider_id,
    endpointId: row.endpoint_id,
    url: row.url,
    kind: row.kind,
    webhookId: row.webhook_id,
    event,
    createdAt: row.created_at,
    failures: row.failures,
    round: row.round,
    clockOffsetMs: row.clock_offset_ms,
  };
}

/** How an attempt went and what becomes of its delivery. */
export interface AttemptRecord {
  readonly deliveryId: string;
  readonly leaseId: string;
  /** In the provider's own time. */
  readonly startedAt: Date;
  readonly endedAt: Date;
  readonly outcome: "succeeded" | "failed";
  readonly failure: AttemptFailure | null;
  readonly status: number | null;
  readonly answer: string | null;
  readonly next: "delivered" | "scheduled" | "exhausted";
}

export interface RecordedAttempt {
  readonly deliveryId: string;
  readonly endpointId: string;
  readonly providerId: string;
  readonly number: number;
  readonly outcome: "succeeded" | "failed";
  /** Since when nothing but failures has come from the endpoint, if that began with this write. */
  readonly failingSince: Date | null;
}

/**
 * Writes down attempts that have ended, many in one statement. What the caller has lost the lease of is left out: it was
 * taken for interrupted.
 */
export async function recordAttempts(db: Database, records: readonly AttemptRecord[]): Promise<RecordedAttempt[]> {
  const { rows } = await sql<{
    id: string;
    endpoint_id: string;
    provider_id: string;
    number: number;
    outcome: "succeeded" | "failed";
    failing_since: Date | null;
  }>`
    with ended as (
      select * from unnest(
        ${records.map((r) => r.deliveryId)}::uuid[], ${records.map((r) => r.leaseId)}::uuid[],
        ${records.map((r) => r.startedAt)}::timestamptz[], ${records.map((r) => r.endedAt)}::timestamptz[],
        ${records.map((r) => r.outcome)}::text[], ${records.map((r) => r.failure)}::text[],
        ${records.map((r) => r.status)}::int[], ${records.map((r) => r.answer)}::text[], ${records.map((r) => r.next)}::text[]
      ) as r (id, lease_id, started_at, ended_at, outcome, failure, http_status, answer, next)
    ),
    settled as (
      update webhook_deliveries d
      set status = ended.next, attempts = d.attempts + 1, attempted = true,
        failures = d.failures + (case when ended.outcome = 'failed' then 1 else 0 end),
        ended_at = (case when ended.next = 'scheduled' then null else ended.ended_at end),
        lease_id = null, lease_until = null, leased_at = null
      from ended
      where d.id = ended.id and d.lease_id = ended.lease_id
      returning d.id, d.endpoint_id, d.provider_id, d.attempts as number, d.round, ended.started_at, ended.ended_at,
        ended.outcome, ended.failure, ended.http_status, ended.answer
    ),
    written as (
      insert into webhook_attempts (delivery_id, number, round, started_at, ended_at, outcome, failure, status, answer)
      select id, number, round, started_at, ended_at, outcome, failure, http_status, answer from settled
    ),
    health as (
      select endpoint_id, bool_or(outcome = 'succeeded') as works, min(ended_at) as at from settled group by endpoint_id
    ),
    changed as (
      update webhook_endpoints e
      set first_failed_at = (case when health.works then null else health.at end), failing_at = null
      from health
      where e.id = health.endpoint_id and (e.first_failed_at is null) is distinct from health.works
      returning e.id, e.first_failed_at
    )
    select settled.id, settled.endpoint_id, settled.provider_id, settled.number, settled.outcome,
      changed.first_failed_at as failing_since
    from settled left join changed on changed.id = settled.endpoint_id
  `.execute(db);
  return rows.map((row) => ({
    deliveryId: row.id,
    endpointId: row.endpoint_id,
    providerId: row.provider_id,
    number: row.number,
    outcome: row.outcome,
    failingSince: row.failing_since,
  }));
}

/** Puts a delivery back into the queue whose time has come; false where it is not waiting any more. */
export async function queueScheduled(tx: Database, id: string, at: Date): Promise<boolean> {
  const result = await tx
    .updateTable("webhook_deliveries")
    .set({ status: "queued", queued_at: at })
    .where("id", "=", id)
    .where("status", "=", "scheduled")
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/**
 * Says from when on an endpoint counts as failing, if nothing but failures has come from it since a moment; false where
 * it has worked in between or is marked already.
 */
export async function markFailing(tx: Database, mark: { id: string; since: Date; at: Date }): Promise<boolean> {
  const result = await tx
    .updateTable("webhook_endpoints")
    .set({ failing_at: mark.at })
    .where("id", "=", mark.id)
    .where("first_failed_at", "=", mark.since)
    .where("failing_at", "is", null)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** Whom to tell that an endpoint has failed since a moment; null where it has worked in between, or has been told. */
export async function findFailing(
  db: Database,
  { id, since }: { id: string; since: Date },
): Promise<{ url: string; notifyEmail: string; providerName: string } | null> {
  const row = await db
    .selectFrom("webhook_endpoints as e")
    .innerJoin("providers as p", "p.id", "e.provider_id")
    .select(["e.url", "e.notify_email", "p.support_email", "p.name"])
    .where("e.id", "=", id)
    .where("e.first_failed_at", "=", since)
    .where("e.failing_at", "is", null)
    .where("e.deleted_at", "is", null)
    .executeTakeFirst();
  return row === undefined
    ? null
    : { url: row.url, notifyEmail: row.notify_email ?? row.support_email, providerName: row.name };
}

/** A delivery as its owner may see it. */
export interface ShownDelivery {
  readonly id: string;
  readonly webhookId: string;
  readonly kind: DeliveryKind;
  readonly orderId: string | null;
  readonly sequence: number | null;
  readonly status: DeliveryStatus;
  readonly createdAt: Date;
  /** Null where none is to come; in the provider's own time. */
  readonly nextAttemptAt: Date | null;
  readonly attempts: readonly ShownAttempt[];
}

export interface ShownAttempt {
  readonly number: number;
  readonly startedAt: Date;
  readonly endedAt: Date | null;
  readonly outcome: AttemptRow["outcome"];
  readonly failure: AttemptFailure | null;
  readonly status: number | null;
  readonly answer: string | null;
}

export interface DeliveryQuery {
  readonly endpointId: string;
  /** The delivery after which to go on; null: from the newest. */
  readonly after: string | null;
  readonly statuses: readonly DeliveryStatus[];
  readonly limit: number;
}

/** Deliveries of an endpoint with every attempt, newest first. */
export async function selectDeliveries(db: Database, query: DeliveryQuery): Promise<ShownDelivery[]> {
  const { rows } = await sql<ShownDelivery>`
    with page as (
      select d.* from webhook_deliveries d
      where d.endpoint_id = ${query.endpointId} and d.status = any(${[...query.statuses]}::text[])
        and (${query.after}::uuid is null or (d.created_at, d.id) < (
          select a.created_at, a.id from webhook_deliveries a where a.id = ${query.after}::uuid and a.endpoint_id = d.endpoint_id
        ))
      order by d.created_at desc, d.id desc
      limit ${query.limit}
    )
    select d.id, d.webhook_id as "webhookId", d.kind, d.order_id as "orderId", d.sequence, d.status, d.created_at as "createdAt",
      (case when d.status = 'queued' then d.queued_at
        else (select t.due_at from timers t where t.kind = ${retryKind} and t.key = d.id::text || ':' || d.attempts::text and t.done_at is null)
        end) + p.clock_offset_ms * interval '1 millisecond' as "nextAttemptAt"
    from page d join providers p on p.id = d.provider_id
    order by d.created_at desc, d.id desc
  `.execute(db);
  const attempts = await selectAttempts(
    db,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => ({ ...row, attempts: attempts.get(row.id) ?? [] }));
}

async function selectAttempts(db: Database, ids: readonly string[]): Promise<Map<string, ShownAttempt[]>> {
  const byDelivery = new Map<string, ShownAttempt[]>();
  if (ids.length === 0) return byDelivery;
  const rows = await db
    .selectFrom("webhook_attempts")
    .selectAll()
    .where(sql<boolean>`delivery_id = any(${[...ids]}::uuid[])`)
    .orderBy("delivery_id")
    .orderBy("number")
    .execute();
  for (const row of rows) {
    const shown = byDelivery.get(row.delivery_id) ?? [];
    const { number, outcome, failure, status, answer } = row;
    shown.push({ number, outcome, failure, status, answer, startedAt: row.started_at, endedAt: row.ended_at });
    byDelivery.set(row.delivery_id, shown);
  }
  return byDelivery;
}

export async function hasDelivery(db: Database, endpointId: string, id: string): Promise<boolean> {
  const row = await db
    .selectFrom("webhook_deliveries")
    .select("id")
    .where("endpoint_id", "=", endpointId)
    .where("id", "=", id)
    .executeTakeFirst();
  return row !== undefined;
}

export interface Replay {
  readonly endpointId: string;
  /** One delivery; null: all that were made since a moment. */
  readonly deliveryId: string | null;
  readonly since: Date;
  readonly statuses: readonly ("delivered" | "exhausted")[];
  readonly at: Date;
}

/** Puts deliveries that have ended into the queue again, for a new round of attempts. Says how many. */
export async function replayDeliveries(tx: Transaction, replay: Replay): Promise<number> {
  const { numAffectedRows } = await sql`
    update webhook_deliveries
    set status = 'queued', queued_at = ${replay.at}, failures = 0, round = round + 1, ended_at = null
    where endpoint_id = ${replay.endpointId} and status = any(${[...replay.statuses]}::text[])
      and (${replay.deliveryId}::uuid is null or id = ${replay.deliveryId}::uuid) and created_at >= ${replay.since}
  `.execute(tx);
  return Number(numAffectedRows ?? 0);
}

/** Gives up what still waits for an endpoint. An attempt under way is not recorded any more. */
export async function dropDeliveries(tx: Transaction, endpointId: string, at: Date): Promise<void> {
  await tx
    .updateTable("webhook_deliveries")
    .set({ status: "dropped", ended_at: at, lease_id: null, lease_until: null, leased_at: null })
    .where("endpoint_id", "=", endpointId)
    .where("status", "in", ["queued", "scheduled"])
    .execute();
}

/** Locks a provider's list of endpoints, so that of several that are made at once none is one too many. */
export async function lockEndpoints(tx: Transaction, providerId: string): Promise<void> {
  await tx.selectFrom("providers").select("id").where("id", "=", providerId).forUpdate().execute();
}
