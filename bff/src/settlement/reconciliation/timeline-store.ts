import { type RawBuilder, sql } from "kysely";
import type { TimelineOrder, TimelineRow, TimerName } from "../../platform/timeline.ts";
import { CANCEL_LOAN_TIMER } from "./cancel-loan.ts";
import { RETURN_CHARGE_TIMER } from "./return-charge.ts";

const facts = sql`jsonb_strip_nulls(jsonb_build_object('kind', d.kind, 'party', d.party, 'expected', d.expected,
  'found', d.found))`;

export function differenceEntries({ providerId, orderId }: TimelineOrder): readonly RawBuilder<TimelineRow>[] {
  return [
    sql`
      select moment.what, moment.at, d.reference as subject, null::bigint as amount, ${facts} as facts
      from reconciliation_differences d cross join lateral (values
        ('difference.seen', d.first_seen_at), ('difference.gone', d.gone_at)) as moment (what, at)
      where d.provider_id = ${providerId}::uuid and d.order_id = ${orderId}::uuid and moment.at is not null`,
    sql`
      select moment.what, moment.at, r.reference as subject, null::bigint as amount, moment.facts
      from charge_returns r cross join lateral (values
        ('charge_return.requested', r.requested_at, jsonb_build_object('amount_taken', r.amount)),
        ('charge_return.taken', r.taken_at, jsonb_build_object('ends_by', r.ends_by)),
        ('charge_return.ended', r.ended_at, jsonb_strip_nulls(jsonb_build_object('state', r.state,
          'refused_because', r.refusal)))) as moment (what, at, facts)
      where r.provider_id = ${providerId}::uuid and r.order_id = ${orderId}::uuid and moment.at is not null`,
    sql`
      select moment.what, moment.at, l.reference as subject, null::bigint as amount, moment.facts
      from loan_cancellations l cross join lateral (values
        ('loan_cancellation.requested', l.requested_at, jsonb_build_object('amount_lent', l.amount)),
        ('loan_cancellation.ended', l.ended_at, jsonb_build_object('state', l.state))) as moment (what, at, facts)
      where l.provider_id = ${providerId}::uuid and l.order_id = ${orderId}::uuid and moment.at is not null`,
  ];
}

export function differenceWaits({ providerId, orderId }: TimelineOrder): readonly RawBuilder<TimelineRow>[] {
  return [
    sql`
      select 'waits.difference' as what, d.first_seen_at as at, d.reference as subject, null::bigint as amount,
        ${facts} as facts
      from reconciliation_differences d
      where d.provider_id = ${providerId}::uuid and d.order_id = ${orderId}::uuid and d.gone_at is null`,
  ];
}

export function differenceTimers({ providerId, orderId }: TimelineOrder): readonly RawBuilder<TimerName>[] {
  return [
    sql`
      select ${RETURN_CHARGE_TIMER}::text as kind, r.id::text as key
      from charge_returns r where r.provider_id = ${providerId}::uuid and r.order_id = ${orderId}::uuid`,
    sql`
      select ${CANCEL_LOAN_TIMER}::text as kind, l.id::text as key
      from loan_cancellations l where l.provider_id = ${providerId}::uuid and l.order_id = ${orderId}::uuid`,
  ];
}
