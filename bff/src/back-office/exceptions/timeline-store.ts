import { type RawBuilder, sql } from "kysely";
import type { TimelineOrder, TimelineRow } from "../../platform/timeline.ts";

/** Exceptions whose subject is the order itself. */
export function resolutionEntries({ providerId, orderId }: TimelineOrder): readonly RawBuilder<TimelineRow>[] {
  return [
    sql`
      select 'exception.handled' as what, handled_at as at, subject, null::bigint as amount,
        jsonb_build_object('kind', kind, 'by', actor) as facts
      from handled_matters where provider_id = ${providerId}::uuid and subject = ${orderId}::text`,
  ];
}
