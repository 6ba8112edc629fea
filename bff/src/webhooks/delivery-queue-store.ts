import { type RawBuilder, sql } from "kysely";
import { HOUR_MS } from "../contract/vocabulary/durations.ts";
import type { WebhookEventKind } from "../contract/webhook-events.ts";
import type { ColumnBeside, Database, Transaction } from "../platform/database/transaction.ts";
import { mayClaimWork } from "../platform/deployment-store.ts";
import { dispatchKind, type StoredEvent } from "../platform/outbox.ts";
import type { Environment } from "../platform/provider.ts";
import type { AttemptFailure } from "./delivery-schedule.ts";
import { LOGGED_KINDS, type SaidEvent } from "./webhook-body.ts";
import type { DeliveryKind } from "./webhook-store.ts";

/** The fields of a logged event that the queue needs. */
export type LoggedEvent = Pick<StoredEvent, "id" | "providerId" | "orderId" | "kind" | "sequence" | "createdAt">;

/** An event with one of the kinds as which it is delivered. */
export interface EventDelivery {
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
    where events.kind = any(${[...LOGGED_KINDS]}::text[])
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

/** An endpoint's live secrets, oldest first. */
export type Secrets = readonly [string, ...string[]];

/** Reads an endpoint's live secrets in the statement that claims its deliveries; null if none can be read. */
export type SecretsBeside = ColumnBeside<"providerId" | "endpointId" | "at", Secrets>;

/** A delivery whose next attempt the caller must make, with everything needed for it. */
export interface ClaimedDelivery {
  readonly id: string;
  readonly leaseId: string;
  readonly providerId: string;
  readonly endpointId: string;
  readonly url: string;
  readonly kind: DeliveryKind;
  readonly webhookId: string;
  /** Null for a test event. */
  readonly event: SaidEvent | null;
  readonly createdAt: Date;
  readonly failures: number;
  readonly clockOffsetMs: number;
  /** Null if the endpoint has no secret that can be read. */
  readonly secrets: Secrets | null;
}

export interface DeliveryClaim {
  readonly secrets: SecretsBeside;
  /** The environment of the claiming worker: it claims nothing in another's database. */
  readonly environment: Environment;
  readonly leaseId: string;
  readonly now: Date;
  readonly leaseUntil: Date;
  readonly totalMax: number;
  /**
   * The most concurrent attempts at one endpoint: by default, if it answers quickly, and if its last attempt failed.
   */
  readonly perEndpointMax: number;
  readonly perQuickEndpointMax: number;
  readonly perFailingEndpointMax: number;
  /** The attempts that the caller has in progress, by endpoint. */
  readonly underWay: ReadonlyMap<string, { readonly attempts: number; readonly isQuick: boolean }>;
  /** Null for all providers. */
  readonly providerId: string | null;
}

export interface ClaimedRow {
  id: string;
  provider_id: string;
  endpoint_id: string;
  url: string;
  kind: DeliveryKind;
  webhook_id: string;
  event_id: string | null;
  sequence: number | null;
  /** Null if an earlier row of the same event has the payload. */
  payload: SaidEvent["payload"] | null;
  /** The result of `DeliveryClaim.secrets`; null if an earlier row of the same endpoint has it. */
  secrets: unknown;
  /** The creation time of the delivery and of its event. */
  created_at: Date;
  failures: number;
  clock_offset_ms: number;
}

/**
 * After this many interrupted attempts in a round, which take four days, a delivery is given up, because it evidently
 * crashes every worker that takes it. The number is high enough that an hour of restarts does not use it up.
 */
const INTERRUPTIONS_MAX = 100;
/** The longest lease after interruptions; each interruption doubles the lease up to this. */
const INTERRUPTED_LEASE_MAX_MS = HOUR_MS;

/**
 * Endpoints with queued deliveries. The query jumps through the queue's index from one endpoint to the next, so that
 * its cost depends neither on the number of endpoints nor on the number of waiting deliveries.
 */
const waitingForAny = sql`
  select (select d.endpoint_id from webhook_deliveries d where d.status = 'queued' order by d.endpoint_id limit 1) as id
  union all
  select (
    select d.endpoint_id from webhook_deliveries d
    where d.status = 'queued' and d.endpoint_id > waiting.id order by d.endpoint_id limit 1
  ) from waiting where waiting.id is not null
`;

/**
 * Claims queued deliveries for attempts, oldest first, up to a maximum per endpoint. If there is not room for all,
 * endpoints with the fewest attempts in progress come first. A delivery waits for deliveries of earlier events of the
 * same order that have not had their first attempt. An attempt that was begun but never ended, because its worker died,
 * is recorded as interrupted, and the next lease is twice as long. A delivery that was interrupted too often is given
 * up instead of claimed.
 */
export async function claimDeliveries(db: Database, claim: DeliveryClaim): Promise<ClaimedDelivery[]> {
  const { rows } = await claimStatement(claim).execute(db);
  return toClaimed(rows, claim);
}

/** The statement of `claimDeliveries`; exported so that a test can examine its query plan. */
export function claimStatement(claim: DeliveryClaim): RawBuilder<ClaimedRow> {
  const { leaseId, now, leaseUntil, providerId, underWay } = claim;
  const waiting =
    providerId === null ? waitingForAny : sql`select id from webhook_endpoints where provider_id = ${providerId}`;
  const underWays = [...underWay.values()];
  const secretsOfClaimed = claim.secrets.column({
    providerId: sql.ref("c.provider_id"),
    endpointId: sql.ref("c.endpoint_id"),
    at: sql`${now}::timestamptz`,
  });
  // The rows to update are listed in an array because the planner expects arrays to be short, and then finds each row by
  // its key however many deliveries there are. An endpoint may have any number of waiting deliveries, so the check for
  // earlier events is written to stay cheap. The `or` makes it run for each candidate that is not the first of its order.
  // The `is not distinct from` cannot use an index on the endpoint, so that the planner uses the index on the order.
  return sql<ClaimedRow>`
    with recursive waiting (id) as (${waiting}),
    lanes as (
      select e.id, e.url, coalesce(running.attempts, 0) as busy,
        (case when e.first_failed_at is not null then ${claim.perFailingEndpointMax}::int
          when running.is_quick then ${claim.perQuickEndpointMax}::int
          else ${claim.perEndpointMax}::int
        end) - coalesce(running.attempts, 0) as free
      from waiting
      join webhook_endpoints e on e.id = waiting.id and e.deleted_at is null and e.paused_at is null
        and ${mayClaimWork(claim.environment)}
      left join unnest(
        ${[...underWay.keys()]}::uuid[], ${underWays.map(({ attempts }) => attempts)}::int[],
        ${underWays.map(({ isQuick }) => isQuick)}::boolean[]
      ) as running (id, attempts, is_quick) on running.id = e.id
    ),
    picked as (
      select ranked.id, ranked.leased_at, ranked.interruptions, ranked.url,
        ranked.interruptions >= ${INTERRUPTIONS_MAX}::int as is_over
      from (
        select candidate.*, lanes.url,
          lanes.busy + row_number() over (partition by lanes.id order by candidate.queued_at, candidate.id) as place
        from lanes cross join lateral (
          select d.id, d.leased_at, d.queued_at,
            (case when d.leased_at is null then 0 else (
              select count(*) from webhook_attempts a
              where a.delivery_id = d.id and a.round = d.round and a.outcome = 'interrupted'
            ) + 1 end) as interruptions
          from webhook_deliveries d
          where d.endpoint_id = lanes.id and d.status = 'queued' and (d.lease_until is null or d.lease_until <= ${now})
            and (coalesce(d.sequence, 1) = 1 or not exists (
              select from webhook_deliveries earlier
              where earlier.order_id = d.order_id and earlier.endpoint_id is not distinct from d.endpoint_id
                and earlier.status = 'queued' and not earlier.attempted and earlier.sequence < d.sequence
            ))
          order by d.queued_at, d.id
          limit greatest(lanes.free, 0)
          for update of d skip locked
        ) as candidate
      ) as ranked
      order by ranked.place, ranked.queued_at, ranked.id
      limit ${claim.totalMax}
    ),
    claimed as (
      update webhook_deliveries d
      set lease_id = ${leaseId}, leased_at = ${now},
        lease_until = ${leaseUntil}::timestamptz + (case when d.leased_at is null then interval '0' else least(
          (select (2 ^ least(interruptions, 20) - 1) * ${leaseMs(claim)}::int from picked where picked.id = d.id),
          ${INTERRUPTED_LEASE_MAX_MS}::int
        ) * interval '1 millisecond' end),
        attempts = d.attempts + (case when d.leased_at is null then 0 else 1 end)
      where d.id = any(array(select id from picked where not is_over))
      returning d.*
    ),
    given_up as (
      update webhook_deliveries d
      set status = 'exhausted', attempts = d.attempts + 1, lease_id = null, lease_until = null, leased_at = null,
        ended_at = ${now}::timestamptz + p.clock_offset_ms * interval '1 millisecond'
      from providers p
      where d.id = any(array(select id from picked where is_over)) and p.id = d.provider_id
      returning d.id, d.provider_id, d.attempts, d.round
    ),
    interrupted as (
      insert into webhook_attempts (delivery_id, number, round, started_at, outcome)
      select c.id, c.attempts, c.round, picked.leased_at + p.clock_offset_ms * interval '1 millisecond', 'interrupted'
      from picked
      join (select id, provider_id, attempts, round from claimed union all select * from given_up) as c on c.id = picked.id
      join providers p on p.id = c.provider_id
      where picked.leased_at is not null
    )
    select c.id, c.provider_id, c.endpoint_id, picked.url, c.kind, c.webhook_id, c.created_at, c.failures,
      c.event_id, c.sequence, p.clock_offset_ms, v.payload,
      case when c.of_endpoint = 1 then ${secretsOfClaimed} end as secrets
    from (
      select claimed.*, row_number() over (partition by event_id order by queued_at, id) as of_event,
        row_number() over (partition by endpoint_id order by queued_at, id) as of_endpoint
      from claimed
    ) as c
    join picked on picked.id = c.id
    join providers p on p.id = c.provider_id
    left join events v on v.id = c.event_id and c.of_event = 1
    order by c.queued_at, c.id
  `;
}

function leaseMs({ now, leaseUntil }: Pick<DeliveryClaim, "now" | "leaseUntil">): number {
  return leaseUntil.getTime() - now.getTime();
}

function toClaimed(
  rows: readonly ClaimedRow[],
  { leaseId, secrets: { read } }: Pick<DeliveryClaim, "leaseId" | "secrets">,
): ClaimedDelivery[] {
  const events = new Map<string, SaidEvent>();
  const secrets = new Map<string, Secrets | null>();
  return rows.map((row) => {
    const { event_id: eventId, created_at: createdAt } = row;
    if (eventId !== null && row.payload !== null) {
      events.set(eventId, { id: eventId, createdAt, sequence: row.sequence, payload: row.payload });
    }
    const { endpoint_id: endpointId } = row;
    if (!secrets.has(endpointId)) secrets.set(endpointId, read(row.secrets));
    return {
      id: row.id,
      leaseId,
      providerId: row.provider_id,
      endpointId,
      url: row.url,
      kind: row.kind,
      webhookId: row.webhook_id,
      event: events.get(eventId ?? "") ?? null,
      createdAt,
      failures: row.failures,
      clockOffsetMs: row.clock_offset_ms,
      secrets: secrets.get(endpointId) ?? null,
    };
  });
}

/** The outcome of an attempt, and the next state of its delivery. */
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

/** A failed attempt that was stored. */
export interface FailedAttempt {
  readonly deliveryId: string;
  readonly endpointId: string;
  readonly providerId: string;
  readonly number: number;
  /** The start of an unbroken series of failures at the endpoint, if this write began it; otherwise null. */
  readonly failingSince: Date | null;
}

/**
 * Stores ended attempts, many in one statement. Attempts whose lease the caller has lost are skipped, because they count
 * as interrupted or their delivery was dropped. Returns the failed ones, which need a retry or a notification.
 */
export async function recordAttempts(db: Database, records: readonly AttemptRecord[]): Promise<FailedAttempt[]> {
  const { rows } = await sql<{
    id: string;
    endpoint_id: string;
    provider_id: string;
    number: number;
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
        accepted_started_at = (case when ended.outcome = 'succeeded' then ended.started_at end),
        accepted_status = (case when ended.outcome = 'succeeded' then ended.http_status end),
        accepted_answer = (case when ended.outcome = 'succeeded' then ended.answer end),
        lease_id = null, lease_until = null, leased_at = null
      from ended
      where d.id = ended.id and d.lease_id = ended.lease_id
      returning d.id, d.endpoint_id, d.provider_id, d.attempts as number, d.round, ended.started_at, ended.ended_at,
        ended.outcome, ended.failure, ended.http_status, ended.answer
    ),
    written as (
      insert into webhook_attempts (delivery_id, number, round, started_at, ended_at, outcome, failure, status, answer)
      select id, number, round, started_at, ended_at, outcome, failure, http_status, answer from settled
      where outcome <> 'succeeded'
    ),
    health as (
      select endpoint_id, bool_or(outcome = 'succeeded') as works, min(ended_at) as at
      from settled where failure is distinct from 'internal' group by endpoint_id
    ),
    changed as (
      update webhook_endpoints e
      set first_failed_at = (case when health.works then null else health.at end), failing_at = null
      from health
      where e.id = health.endpoint_id and (e.first_failed_at is null) is distinct from health.works
      returning e.id, e.first_failed_at
    )
    select settled.id, settled.endpoint_id, settled.provider_id, settled.number, changed.first_failed_at as failing_since
    from settled left join changed on changed.id = settled.endpoint_id
    where settled.outcome = 'failed'
  `.execute(db);
  return rows.map((row) => ({
    deliveryId: row.id,
    endpointId: row.endpoint_id,
    providerId: row.provider_id,
    number: row.number,
    failingSince: row.failing_since,
  }));
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
