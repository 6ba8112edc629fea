import { sql } from "kysely";
import type { WebhookEventKind } from "../contract/webhook-events.ts";
import type { Database, Transaction } from "../platform/database/transaction.ts";
import { dispatchKind, type StoredEvent } from "../platform/outbox.ts";

/** The fields of a logged event that the queue needs. */
export type LoggedEvent = Pick<StoredEvent, "id" | "providerId" | "orderId" | "kind" | "sequence" | "createdAt">;

/** An event with one of the kinds as which it is delivered. */
interface EventDelivery {
  readonly event: LoggedEvent;
  readonly kind: WebhookEventKind;
  readonly webhookId: string;
}

/**
 * Queues events for all endpoints of their providers that subscribe to them. Nothing changes for an endpoint that
 * already has the delivery, because a delivery's id is derived from event, kind and endpoint.
 */
export async function queueForEndpoints(
  tx: Transaction,
  deliveries: readonly EventDelivery[],
  queuedAt: Date,
): Promise<void> {
  // The foreign key takes the same lock. Taking it here makes the statement check again whether an endpoint is being
  // deleted.
  await sql`
    insert into webhook_deliveries (id, provider_id, endpoint_id, event_id, webhook_id, kind, order_id, sequence, status,
      queued_at, attempts, failures, round, attempted, created_at)
    select webhook_delivery_id(e.id, happened.webhook_id), e.provider_id, e.id, happened.event_id, happened.webhook_id, happened.kind,
      happened.order_id, happened.sequence, 'queued', ${queuedAt}, 0, 0, 1, false, happened.created_at
    from unnest(
      ${deliveries.map(({ event }) => event.providerId)}::uuid[], ${deliveries.map(({ event }) => event.id)}::uuid[],
      ${deliveries.map(({ webhookId }) => webhookId)}::uuid[], ${deliveries.map(({ kind }) => kind)}::text[],
      ${deliveries.map(({ event }) => event.orderId)}::uuid[], ${deliveries.map(({ event }) => event.sequence)}::int[],
      ${deliveries.map(({ event }) => event.createdAt)}::timestamptz[]
    ) as happened (provider_id, event_id, webhook_id, kind, order_id, sequence, created_at)
    join webhook_endpoints e
      on e.provider_id = happened.provider_id and e.deleted_at is null and happened.kind = any(e.kinds)
    for key share of e
    on conflict (id) do nothing
  `.execute(tx);
}

/**
 * Earlier events of the same orders that have not been dispatched yet. The log dispatches events concurrently, so a
 * later event may arrive here first.
 */
export async function selectEarlierUndispatched(
  tx: Transaction,
  later: ReadonlyArray<{ readonly orderId: string; readonly sequence: number }>,
): Promise<LoggedEvent[]> {
  if (later.length === 0) return [];
  const { rows } = await sql<LoggedEvent>`
    select distinct events.id, events.provider_id as "providerId", events.order_id as "orderId", events.kind,
      events.sequence, events.created_at as "createdAt"
    from unnest(${later.map(({ orderId }) => orderId)}::uuid[], ${later.map(({ sequence }) => sequence)}::int[])
      as later (order_id, sequence)
    join events on events.order_id = later.order_id and events.sequence < later.sequence
    join timers on timers.kind = ${dispatchKind} and timers.key = events.id::text and timers.done_at is null
  `.execute(tx);
  return rows;
}

/** Queues a test event for an endpoint. */
export async function queueTest(
  db: Database,
  test: {
    readonly id: string;
    readonly providerId: string;
    readonly endpointId: string;
    readonly webhookId: string;
    /** In the provider's own time. */
    readonly createdAt: Date;
    /** In real time. */
    readonly queuedAt: Date;
  },
): Promise<void> {
  await db
    .insertInto("webhook_deliveries")
    .values({
      id: test.id,
      provider_id: test.providerId,
      endpoint_id: test.endpointId,
      event_id: null,
      webhook_id: test.webhookId,
      kind: "endpoint.test",
      order_id: null,
      sequence: null,
      status: "queued",
      queued_at: test.queuedAt,
      lease_id: null,
      lease_until: null,
      leased_at: null,
      attempts: 0,
      failures: 0,
      round: 1,
      attempted: false,
      created_at: test.createdAt,
      ended_at: null,
      accepted_started_at: null,
      accepted_status: null,
      accepted_answer: null,
    })
    .execute();
}

/** Puts a scheduled delivery back into the queue; false if it is no longer scheduled. */
export async function queueScheduled(tx: Database, id: string, at: Date): Promise<boolean> {
  const result = await tx
    .updateTable("webhook_deliveries")
    .set({ status: "queued", queued_at: at })
    .where("id", "=", id)
    .where("status", "=", "scheduled")
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

interface Replay {
  readonly endpointId: string;
  /** One delivery; null for all that were created since a moment. */
  readonly deliveryId: string | null;
  readonly since: Date;
  readonly statuses: readonly ("delivered" | "exhausted")[];
  readonly at: Date;
}

/** Queues ended deliveries again, for a new round of attempts. Returns the number queued. */
export async function replayDeliveries(tx: Transaction, replay: Replay): Promise<number> {
  const { numAffectedRows } = await sql`
    with endpoint as (
      select id from webhook_endpoints where id = ${replay.endpointId} and deleted_at is null for key share
    ),
    wanted as (
      select d.* from webhook_deliveries d
      where d.endpoint_id = (select id from endpoint) and status = any(${[...replay.statuses]}::text[])
        and (${replay.deliveryId}::uuid is null or id = ${replay.deliveryId}::uuid) and created_at >= ${replay.since}
      for update of d
    ),
    put_aside as (
      insert into webhook_attempts (delivery_id, number, round, started_at, ended_at, outcome, status, answer)
      select id, attempts, round, accepted_started_at, ended_at, 'succeeded', accepted_status, accepted_answer
      from wanted where status = 'delivered'
    )
    update webhook_deliveries d
    set status = 'queued', queued_at = ${replay.at}, failures = 0, round = d.round + 1, ended_at = null,
      accepted_started_at = null, accepted_status = null, accepted_answer = null
    from wanted where d.id = wanted.id
  `.execute(tx);
  return Number(numAffectedRows ?? 0n);
}

/**
 * Drops the deliveries that still wait for an endpoint. Outcomes of attempts in progress are then no longer recorded.
 */
export async function dropDeliveries(tx: Transaction, endpointId: string, at: Date): Promise<void> {
  await tx
    .updateTable("webhook_deliveries")
    .set({ status: "dropped", ended_at: at, lease_id: null, lease_until: null, leased_at: null })
    .where("endpoint_id", "=", endpointId)
    .where("status", "in", ["queued", "scheduled"])
    .execute();
}

/** How many seconds the oldest delivery has waited for an attempt; null if none waits. */
export async function selectDeliveryLag(db: Database, now: Date): Promise<number | null> {
  const { rows } = await sql<{ lag: number | null }>`
    select extract(epoch from ${now}::timestamptz - min(d.queued_at))::double precision as lag
    from webhook_endpoints e
    cross join lateral (
      select queued_at from webhook_deliveries where endpoint_id = e.id and status = 'queued'
      order by queued_at limit 1) as d
    where e.paused_at is null and e.deleted_at is null`.execute(db);
  return rows[0]?.lag ?? null;
}
