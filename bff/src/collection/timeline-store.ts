import { type RawBuilder, sql } from "kysely";
import type { TimelineOrder, TimelineRow, TimerName } from "../platform/timeline.ts";
import {
  ANNOUNCE_TIMER,
  AUTHENTICATE_TIMER,
  CHARGE_TIMER,
  DEADLINE_TIMER,
  REPORT_LOAN_TIMER,
  SETTLE_EARLY_TIMER,
} from "./collection-timers.ts";

const ofOrder = ({ providerId, orderId }: TimelineOrder) =>
  sql<boolean>`provider_id = ${providerId}::uuid and order_id = ${orderId}::uuid`;

export function collectionEntries(order: TimelineOrder): readonly RawBuilder<TimelineRow>[] {
  return [
    sql`
      select 'collection.triggered' as what, at, null::text as subject, null::bigint as amount,
        jsonb_build_object('reason', reason) as facts
      from collection_triggers where ${ofOrder(order)}`,
    sql`
      select moment.what, moment.at, a.id::text, null::bigint, moment.facts
      from card_authentications a cross join lateral (values
        ('authentication.asked', a.started_at, jsonb_build_object('for', a.purpose)),
        ('authentication.ended', a.ended_at, jsonb_strip_nulls(jsonb_build_object('state', a.state,
          'declined_because', a.decline_reason, 'inquiries', nullif(a.inquiries, 0))))) as moment (what, at, facts)
      where ${ofOrder(order)} and moment.at is not null`,
    sql`
      select moment.what, moment.at, a.id::text, null::bigint, moment.facts
      from collection_attempts a cross join lateral (values
        ('charge.begun', a.started_at, jsonb_build_object('by', a.initiator)),
        ('charge.ended', a.settled_at, jsonb_strip_nulls(jsonb_build_object('state', a.state,
          'declined_because', a.decline_reason, 'beyond_limit_of', a.decline_limit, 'inquiries', nullif(a.inquiries, 0))))) as moment (what, at, facts)
      where ${ofOrder(order)} and moment.at is not null`,
    sql`
      select 'mandate.revoked', revoked_at, null::text, null::bigint, '{}'::jsonb
      from collections where ${ofOrder(order)} and revoked_at is not null`,
    sql`
      select moment.what, moment.at, b.id, null::bigint, jsonb_build_object('of', b.amount)
      from chargebacks b cross join lateral (values
        ('chargeback.noted', b.noted_at), ('chargeback.won', b.won_at), ('chargeback.lost', b.lost_at),
        ('chargeback.released', b.released_at)) as moment (what, at)
      where ${ofOrder(order)} and moment.at is not null`,
    sql`
      select 'loan.reported', reported_at, number::text, null::bigint,
        jsonb_build_object('end', loan_end, 'of', amount)
      from loan_reports where ${ofOrder(order)} and reported_at is not null`,
  ];
}

export function collectionWaits(order: TimelineOrder): readonly RawBuilder<TimelineRow>[] {
  return [
    sql`
      select case when c.state = 'scheduled' then 'waits.due' else 'waits.operator' end as what, c.updated_at as at,
        null::text as subject, null::bigint as amount,
        jsonb_strip_nulls(jsonb_build_object('state', c.state, 'failure', c.failure, 'due_at', c.due_at,
          'trigger', (select reason from collection_triggers where ${ofOrder(order)}))) as facts
      from collections c where ${ofOrder(order)} and c.state in ('scheduled', 'failed', 'stopped')`,
    sql`
      select 'waits.authentication', started_at, id::text, null::bigint,
        jsonb_build_object('for', purpose, 'inquiries', inquiries)
      from card_authentications where ${ofOrder(order)} and ended_at is null`,
    sql`
      select 'waits.charge', started_at, id::text, null::bigint, jsonb_build_object('inquiries', inquiries)
      from collection_attempts where ${ofOrder(order)} and state = 'charging'`,
    sql`
      select 'waits.loan_report', ended_at, number::text, null::bigint,
        jsonb_build_object('end', loan_end, 'inquiries', inquiries)
      from loan_reports where ${ofOrder(order)} and reported_at is null`,
  ];
}

export function collectionTimers(order: TimelineOrder): readonly RawBuilder<TimerName>[] {
  return [
    sql`
      select kind, ${order.orderId}::text as key
      from unnest(${[ANNOUNCE_TIMER, DEADLINE_TIMER, CHARGE_TIMER]}::text[]) as of_order (kind)`,
    sql`
      select ${CHARGE_TIMER}, order_id::text || ':' || (extract(epoch from series_from) * 1000)::bigint::text
      from collections where ${ofOrder(order)}`,
    sql`select ${AUTHENTICATE_TIMER}, id::text from card_authentications where ${ofOrder(order)}`,
    sql`select ${SETTLE_EARLY_TIMER}, id::text from collection_attempts where ${ofOrder(order)}`,
    sql`select ${REPORT_LOAN_TIMER}, order_id::text || ':' || number::text from loan_reports where ${ofOrder(order)}`,
  ];
}
