import { type RawBuilder, sql } from "kysely";
import { HOUR_MS } from "../contract/vocabulary/durations.ts";
import type { ColumnBeside, Database } from "../platform/database/transaction.ts";
import { mayClaimWork } from "../platform/deployment-store.ts";
import type { Environment } from "../platform/provider.ts";
import type { DeliveryKind } from "./delivery-store.ts";
import type { PublishedEvent } from "./webhook-body.ts";

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
  readonly event: PublishedEvent | null;
  /** The trace of its event; null if it has none. */
  readonly traceparent: string | null;
  readonly orderId: string | null;
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
   * The maximum number of concurrent attempts at one endpoint: by default, if it answers quickly, and if its last
   * attempt failed.
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
  payload: PublishedEvent["payload"] | null;
  traceparent: string | null;
  order_id: string | null;
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
 * Selects the endpoints with queued deliveries, preceded by an id that no endpoint has. The query jumps through the
 * queue's index from one endpoint to the next, so its cost depends neither on the number of endpoints nor on the number
 * of waiting deliveries.
 */
const waitingForAny = sql`
  select '00000000-0000-0000-0000-000000000000'::uuid as id
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
  // The rows to update are in an array, because the planner expects arrays to be short and finds each row by its key.
  // An endpoint may have any number of waiting deliveries, so the check for earlier events must stay cheap. The `or`
  // limits it to candidates that are not the first of their order. The `is not distinct from` cannot use an index on
  // the endpoint, so the planner uses the index on the order.
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
      c.event_id, c.sequence, p.clock_offset_ms, v.payload, v.traceparent, c.order_id,
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
  const events = new Map<string, { readonly event: PublishedEvent; readonly traceparent: string | null }>();
  const secrets = new Map<string, Secrets | null>();
  return rows.map((row) => {
    const { event_id: eventId, created_at: createdAt } = row;
    if (eventId !== null && row.payload !== null) {
      const event = { id: eventId, createdAt, sequence: row.sequence, payload: row.payload };
      events.set(eventId, { event: event, traceparent: row.traceparent });
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
      event: events.get(eventId ?? "")?.event ?? null,
      traceparent: events.get(eventId ?? "")?.traceparent ?? null,
      orderId: row.order_id,
      createdAt,
      failures: row.failures,
      clockOffsetMs: row.clock_offset_ms,
      secrets: secrets.get(endpointId) ?? null,
    };
  });
}
