import { type RawBuilder, sql } from "kysely";
import { UNKNOWN_OUTCOME_HOURS_MAX } from "../contract/terms.ts";
import type { ExceptionQuery, ExceptionRow } from "../platform/exceptions.ts";
import { otherConnector } from "../platform/party-connector-store.ts";
import type { TimelineOrder, TimelineRow, TimerName } from "../platform/timeline.ts";
import {
  ANNOUNCE_TIMER,
  CHARGE_TIMER,
  DEADLINE_TIMER,
  REPORT_LOAN_TIMER,
  SETTLE_EARLY_TIMER,
} from "./collection-timers.ts";
import { unconfirmedReports } from "./loan-reports/loan-report-store.ts";

/** Exceptions of collections that failed or were stopped, of chargebacks, and of charges with an unknown outcome. */
export function collectionExceptionQueries(): readonly ExceptionQuery[] {
  return [
    { rows: endedCollections },
    { rows: writtenOffCollections, isQuiet: true },
    { rows: chargebacks },
    { rows: unknownCharges, afterHours: UNKNOWN_OUTCOME_HOURS_MAX },
    { rows: unconfirmedReports, afterHours: UNKNOWN_OUTCOME_HOURS_MAX },
  ];
}

const endedCollections: RawBuilder<ExceptionRow> = sql`
  select case c.state when 'stopped' then 'collection_stopped' else 'collection_failed' end as kind,
    c.provider_id, c.order_id::text as subject, c.order_id,
    greatest(c.updated_at, (select max(b.noted_at) from chargebacks b where b.provider_id = c.provider_id
      and b.order_id = c.order_id and b.released_at is null and c.state = 'stopped')) as since,
    jsonb_strip_nulls(jsonb_build_object('why', c.failure, 'trigger', t.reason,
      'amount', (select sum(b.amount) from chargebacks b where b.provider_id = c.provider_id
        and b.order_id = c.order_id and b.released_at is null and c.state = 'stopped'))) as facts
  from collections c left join collection_triggers t on t.provider_id = c.provider_id and t.order_id = c.order_id
  where c.state in ('failed', 'stopped') and c.failure <> 'written_off'`;

const writtenOffCollections: RawBuilder<ExceptionRow> = sql`
  select 'collection_written_off' as kind, c.provider_id, c.order_id::text as subject, c.order_id, c.updated_at as since,
    '{}'::jsonb as facts
  from collections c where c.state = 'failed' and c.failure = 'written_off'`;

const chargebacks: RawBuilder<ExceptionRow> = sql`
  select 'chargeback' as kind, b.provider_id, b.order_id::text as subject, b.order_id, max(b.noted_at) as since,
    jsonb_build_object('amount', sum(b.amount)) as facts
  from chargebacks b left join collections c on c.provider_id = b.provider_id and c.order_id = b.order_id
  where b.won_at is null and b.lost_at is null and c.state is distinct from 'stopped' group by b.provider_id, b.order_id`;

const unknownCharges: RawBuilder<ExceptionRow> = sql`
  select 'outcome_unknown' as kind, provider_id, id::text as subject, order_id, started_at as since,
    jsonb_strip_nulls(jsonb_build_object('of', 'collection',
      'connector', ${otherConnector(sql`collection_attempts.connector`, "cardProcessor")})) as facts
  from collection_attempts where state = 'charging'`;

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
      select case when c.state <> 'scheduled' then 'waits.operator' when t.reason is null then 'waits.due'
          else 'waits.charge_day' end as what,
        c.updated_at as at, null::text as subject, null::bigint as amount,
        jsonb_strip_nulls(jsonb_build_object('state', c.state, 'failure', c.failure, 'due_at', c.due_at,
          'trigger', t.reason)) as facts
      from collections c left join collection_triggers t on t.provider_id = c.provider_id and t.order_id = c.order_id
      where c.provider_id = ${order.providerId}::uuid and c.order_id = ${order.orderId}::uuid
        and c.state in ('scheduled', 'failed', 'stopped')`,
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
    sql`select ${SETTLE_EARLY_TIMER}, id::text from collection_attempts where ${ofOrder(order)}`,
    sql`select ${REPORT_LOAN_TIMER}, order_id::text || ':' || number::text from loan_reports where ${ofOrder(order)}`,
  ];
}
