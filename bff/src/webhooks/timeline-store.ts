import { type RawBuilder, sql } from "kysely";
import type { TimelineRow, TimerName } from "../platform/timeline.ts";
import { retryKind } from "./delivery-schedule.ts";

/** `events` selects the ids of an order's events. Deliveries are kept in the provider's time. */
export function webhookEntries(events: RawBuilder<unknown>): readonly RawBuilder<TimelineRow>[] {
  return [
    sql`
      select 'webhook.queued' as what, created_at as at, id::text as subject, null::bigint as amount,
        jsonb_build_object('kind', kind, 'endpoint', endpoint_id) as facts
      from webhook_deliveries where event_id in (${events})`,
    sql`
      select 'webhook.attempted', coalesce(a.ended_at, a.started_at), d.id::text, null::bigint,
        jsonb_strip_nulls(jsonb_build_object('number', a.number, 'outcome', a.outcome, 'failure', a.failure,
          'status', a.status))
      from webhook_deliveries d join all_webhook_attempts a on a.delivery_id = d.id where d.event_id in (${events})`,
  ];
}

export function webhookWaits(events: RawBuilder<unknown>): readonly RawBuilder<TimelineRow>[] {
  return [
    sql`
      select 'waits.webhook' as what, d.created_at as at, d.id::text as subject, null::bigint as amount,
        jsonb_build_object('kind', d.kind, 'attempts', d.attempts, 'paused', e.paused_at is not null) as facts
      from webhook_deliveries d join webhook_endpoints e on e.id = d.endpoint_id
      where d.event_id in (${events}) and d.status in ('queued', 'scheduled')`,
  ];
}

export function webhookTimers(events: RawBuilder<unknown>): readonly RawBuilder<TimerName>[] {
  return [
    sql`
      select ${retryKind}::text as kind, id::text || ':' || attempts::text as key
      from webhook_deliveries where event_id in (${events}) and status = 'scheduled'`,
  ];
}
