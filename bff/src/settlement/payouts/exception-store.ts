import { type RawBuilder, sql } from "kysely";
import { UNKNOWN_OUTCOME_HOURS_MAX } from "../../contract/terms.ts";
import type { ExceptionQuery, ExceptionRow } from "../../platform/exceptions.ts";
import type { Environment } from "../../platform/provider.ts";
import { waitingAccounts } from "./payee-account-store.ts";

/**
 * Exceptions about payouts that were refused or have no known outcome, and payees that cannot be paid.
 * `centersWithAccount` selects `id`.
 */
export function payoutExceptionQueries(
  environment: Environment,
  centersWithAccount: RawBuilder<unknown>,
): readonly ExceptionQuery[] {
  // Staging pays payees without an account into an account of its own.
  const unpayable = environment === "production" ? [{ rows: payeesWithoutAccount(centersWithAccount) }] : [];
  return [
    { rows: refusedPayouts },
    { rows: waitingAccounts },
    ...unpayable,
    { rows: unknownPayouts, afterHours: UNKNOWN_OUTCOME_HOURS_MAX },
  ];
}

const refusedPayouts: RawBuilder<ExceptionRow> = sql`
  select 'payout_refused' as kind, o.provider_id, o.id::text as subject, null::uuid as order_id, o.settled_at as since,
    jsonb_build_object('why', o.refusal, 'amount', o.amount) as facts
  from payouts o where o.state = 'refused' and not exists (
    select 1 from payouts later where later.provider_id = o.provider_id and later.payee_id = o.payee_id and later.day > o.day)`;

function payeesWithoutAccount(centersWithAccount: RawBuilder<unknown>): RawBuilder<ExceptionRow> {
  return sql`
    select 'payee_without_account' as kind, y.provider_id, y.id::text as subject, null::uuid as order_id,
      min(o.moved_at) as since, jsonb_build_object('payee', y.kind) as facts
    from payees y
    join payable_orders o on o.provider_id = y.provider_id and o.payee_id = y.id and o.moved_at is not null
    left join payout_terms t on t.provider_id = y.provider_id
    where case y.kind when 'center' then not exists (select from (${centersWithAccount}) as c where c.id = y.id)
      else t.sealed_bank_account is null end
    group by y.provider_id, y.id, y.kind`;
}

const unknownPayouts: RawBuilder<ExceptionRow> = sql`
  select 'outcome_unknown' as kind, provider_id, id::text as subject, null::uuid as order_id, created_at as since,
    jsonb_build_object('of', 'payout') as facts
  from payouts where state = 'sending'`;
