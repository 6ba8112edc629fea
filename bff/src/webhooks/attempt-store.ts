import { sql } from "kysely";
import type { Database } from "../platform/database/transaction.ts";
import type { AttemptFailure } from "./delivery-schedule.ts";

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
 * Stores ended attempts, many in one statement. Attempts whose lease the caller has lost are skipped, because they
 * count as interrupted or their delivery was dropped. Returns the failed ones, which need a retry or a notification.
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
