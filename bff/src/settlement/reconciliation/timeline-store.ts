import { type RawBuilder, sql } from "kysely";
import type { TimelineOrder, TimelineRow } from "../../platform/timeline.ts";

const facts = sql`jsonb_strip_nulls(jsonb_build_object('kind', d.kind, 'party', d.party, 'expected', d.expected,
  'found', d.found))`;

export function differenceEntries({ providerId, orderId }: TimelineOrder): readonly RawBuilder<TimelineRow>[] {
  return [
    sql`
      select moment.what, moment.at, d.reference as subject, null::bigint as amount, ${facts} as facts
      from reconciliation_differences d cross join lateral (values
        ('difference.seen', d.first_seen_at), ('difference.gone', d.gone_at)) as moment (what, at)
      where d.provider_id = ${providerId}::uuid and d.order_id = ${orderId}::uuid and moment.at is not null`,
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
