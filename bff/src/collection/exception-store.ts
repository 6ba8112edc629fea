import { type RawBuilder, sql } from "kysely";
import { UNKNOWN_OUTCOME_HOURS_MAX } from "../contract/terms.ts";
import type { ExceptionQuery, ExceptionRow } from "../platform/exceptions.ts";
import { unconfirmedReports } from "./loan-reports/loan-report-store.ts";

/** Queries for collections that failed or were stopped, for chargebacks, and for charges with an unknown outcome. */
export function collectionExceptionQueries(): readonly ExceptionQuery[] {
  return [
    { rows: endedCollections },
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

const chargebacks: RawBuilder<ExceptionRow> = sql`
  select 'chargeback' as kind, b.provider_id, b.order_id::text as subject, b.order_id, max(b.noted_at) as since,
    jsonb_build_object('amount', sum(b.amount)) as facts
  from chargebacks b left join collections c on c.provider_id = b.provider_id and c.order_id = b.order_id
  where b.won_at is null and b.lost_at is null and c.state is distinct from 'stopped' group by b.provider_id, b.order_id`;

const unknownCharges: RawBuilder<ExceptionRow> = sql`
  select 'outcome_unknown' as kind, provider_id, id::text as subject, order_id, started_at as since,
    jsonb_build_object('of', 'collection') as facts
  from collection_attempts where state = 'charging'`;
