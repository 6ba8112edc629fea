import { type RawBuilder, sql } from "kysely";
import type { TimelineOrder, TimelineRow } from "../../platform/timeline.ts";

export function consentEntries({ providerId, orderId }: TimelineOrder): readonly RawBuilder<TimelineRow>[] {
  return [
    sql`
      select moment.what, moment.at, c.id::text as subject, null::bigint as amount,
        jsonb_build_object('purpose', c.purpose, 'step', c.step) as facts
      from consents c cross join lateral (values
        ('consent.accepted', c.accepted_at), ('consent.withdrawn', c.withdrawn_at)) as moment (what, at)
      where c.provider_id = ${providerId}::uuid and c.order_id = ${orderId}::uuid and moment.at is not null`,
  ];
}
