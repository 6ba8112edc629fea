import { type RawBuilder, sql } from "kysely";
import type { TimelineRow, TimerName } from "../platform/timeline.ts";
import { retryKind } from "./delivery-schedule.ts";

/**
 * `events` selects an order's events. Their deliveries are found by endpoint and time, which are indexed. An index on
 * the event would have to be updated by every delivery. Deliveries have the provider's time.
 */
export function webhookEntries(events: RawBuilder<unknown>): readonly RawBuilder<TimelineRow>[] {
  return [
    sql`
      select 'webhook.queued' as what, d.created_at as at, d.id::text as subject, null::bigint as amount,
        jsonb_build_object('kind', d.kind, 'endpoint', d.endpoint_id) as facts
      from ${deliveriesOf(events)}`,
    sql`
      select 'webhook.attempted', coalesce(a.ended_at, a.started_at), d.id::text, null::bigint,
        jsonb_strip_nulls(jsonb_build_object('number', a.number, 'outcome', a.outcome, 'failure', a.failure,
          'status', a.status))
      from ${deliveriesOf(events)} join webhook_attempts a on a.delivery_id = d.id`,
    // The delivery itself shows an accepted attempt.
    sql`
      select 'webhook.attempted', d.ended_at, d.id::text, null::bigint,
        jsonb_build_object('number', d.attempts, 'outcome', 'succeeded', 'status', d.accepted_status)
      from ${deliveriesOf(events)} where d.status = 'delivered'`,
  ];
}

export function webhookWaits(events: RawBuilder<unknown>): readonly RawBuilder<TimelineRow>[] {
  return [
    sql`
      select 'waits.webhook' as what, d.created_at as at, d.id::text as subject, null::bigint as amount,
        jsonb_build_object('kind', d.kind, 'attempts', d.attempts, 'paused', e.paused_at is not null) as facts
      from ${deliveriesOf(events)} where d.status in ('queued', 'scheduled')`,
  ];
}

export function webhookTimers(events: RawBuilder<unknown>): readonly RawBuilder<TimerName>[] {
  return [
    sql`
      select ${retryKind}::text as kind, d.id::text || ':' || d.attempts::text as key
      from ${deliveriesOf(events)} where d.status = 'scheduled'`,
  ];
}

/** Deliveries as `d` with their endpoints as `e`. */
function deliveriesOf(events: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(${events}) as event join webhook_endpoints e on e.provider_id = event.provider_id
    join webhook_deliveries d on d.endpoint_id = e.id and d.created_at = event.created_at and d.event_id = event.id`;
}
