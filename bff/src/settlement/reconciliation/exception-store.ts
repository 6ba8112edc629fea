import { type RawBuilder, sql } from "kysely";
import { UNKNOWN_OUTCOME_HOURS_MAX } from "../../contract/terms.ts";
import type { ExceptionQuery, ExceptionRow } from "../../platform/exceptions.ts";
import { unansweredReturns } from "./charge-return-store.ts";
import { unansweredCancellations } from "./loan-cancellation-store.ts";

/** Exceptions about differences that are still open, and about lists that were unavailable on two days or more. */
export function reconciliationExceptionQueries(chargebackIds: RawBuilder<unknown>): readonly ExceptionQuery[] {
  return [
    { rows: openDifferences(chargebackIds) },
    { rows: missingLists },
    { rows: unansweredReturns, afterHours: UNKNOWN_OUTCOME_HOURS_MAX },
    { rows: unansweredCancellations, afterHours: UNKNOWN_OUTCOME_HOURS_MAX },
  ];
}

/**
 * Chargebacks in `chargebackIds` (`provider_id, id`) are listed by the collection; a chargeback of an unknown order is
 * listed here. A charge that is being given back, or was, is listed no more, nor is a loan that is being cancelled; one that its
 * party refuses is, and says so.
 */
function openDifferences(chargebackIds: RawBuilder<unknown>): RawBuilder<ExceptionRow> {
  return sql`
    select 'difference' as kind, d.provider_id, d.kind || ':' || d.reference as subject, d.order_id,
      d.first_seen_at as since,
      jsonb_build_object('kind', d.kind, 'party', d.party, 'expected', d.expected, 'found', d.found)
        || case when r.state is null then '{}' else jsonb_strip_nulls(jsonb_build_object('return', r.state, 'refused_because', r.refusal)) end
        || case when l.state is null then '{}' else jsonb_build_object('cancellation', l.state) end as facts
    from reconciliation_differences d
      left join charge_returns r on r.provider_id = d.provider_id and r.reference = d.reference and d.kind = 'charge_not_booked'
      left join loan_cancellations l on l.provider_id = d.provider_id and l.reference = d.reference and d.kind = 'loan_not_booked'
    where d.gone_at is null and (r.state is null or r.state = 'refused') and (l.state is null or l.state = 'refused')
      and not (d.kind = 'chargeback' and exists (
        select from (${chargebackIds}) as b where b.provider_id = d.provider_id and b.id = d.reference))`;
}

/** Each run that lacked a list asks for a later one by itself: joined, all runs of all days would be read. */
const missingLists: RawBuilder<ExceptionRow> = sql`
  select 'list_unavailable' as kind, r.provider_id, party as subject, null::uuid as order_id, min(r.at) as since,
    jsonb_build_object('party', party, 'since', min(r.day)) as facts
  from reconciliation_runs r cross join lateral jsonb_array_elements_text(r.unavailable) as missing (party)
  where r.unavailable <> '[]'::jsonb and (select true from reconciliation_runs later where later.provider_id = r.provider_id
    and later.day > r.day and not later.unavailable @> to_jsonb(party) limit 1) is null
  group by r.provider_id, party having count(*) > 1`;
