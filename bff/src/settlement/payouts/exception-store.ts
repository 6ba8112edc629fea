import { type RawBuilder, sql } from "kysely";
import { PAYEE_OWES_DAYS_MAX, UNKNOWN_OUTCOME_HOURS_MAX } from "../../contract/terms.ts";
import type { ExceptionQuery, ExceptionRow } from "../../platform/exceptions.ts";
import type { Environment } from "../../platform/provider.ts";
import { waitingAccounts } from "./payee-account-store.ts";

/** What other rooms tell, as statements. */
interface Told {
  /** Selects `id`. */
  readonly centersWithAccount: RawBuilder<unknown>;
  /** Selects `provider_id, order_id, owed`. */
  readonly owedByOrder: RawBuilder<unknown>;
  /** Selects `provider_id, order_id, at`. */
  readonly takenFromOwed: RawBuilder<unknown>;
}

/** Exceptions about payouts that were refused or have no known outcome, and payees that cannot be paid or owe. */
export function payoutExceptionQueries(
  environment: Environment,
  { centersWithAccount, owedByOrder, takenFromOwed }: Told,
): readonly ExceptionQuery[] {
  // Staging pays payees without an account into an account of its own.
  const unpayable = environment === "production" ? [{ rows: payeesWithoutAccount(centersWithAccount) }] : [];
  return [
    { rows: refusedPayouts },
    { rows: waitingAccounts },
    { rows: payeesThatOwe(owedByOrder, takenFromOwed), afterHours: PAYEE_OWES_DAYS_MAX * 24 },
    ...unpayable,
    { rows: unknownPayouts, afterHours: UNKNOWN_OUTCOME_HOURS_MAX },
  ];
}

const refusedPayouts: RawBuilder<ExceptionRow> = sql`
  select 'payout_refused' as kind, o.provider_id, o.id::text as subject, null::uuid as order_id, o.settled_at as since,
    jsonb_build_object('why', o.refusal, 'amount', o.amount) as facts
  from payouts o where o.state = 'refused' and not exists (
    select 1 from payouts later where later.provider_id = o.provider_id and later.payee_id = o.payee_id and later.day > o.day)`;

/**
 * Payees of whose orders more was paid out than they earned, fees off. They owe since the first transfer that took from
 * what they were owed and that no payout has been made less by: a payout contains all before its day. `moved_at` cannot
 * tell, because it is the last movement of an order.
 */
function payeesThatOwe(owedByOrder: RawBuilder<unknown>, takenFromOwed: RawBuilder<unknown>): RawBuilder<ExceptionRow> {
  return sql`
    select 'payee_owes' as kind, w.provider_id, w.payee_id::text as subject, null::uuid as order_id,
      min(w.taken_at) as since, jsonb_build_object('amount', -sum(w.net)) as facts
    from (
      select o.provider_id, o.payee_id,
        (select min(t.at) from (${takenFromOwed}) as t
          where t.provider_id = o.provider_id and t.order_id = o.order_id and t.at >= coalesce((
            select max(p.day)::timestamp at time zone 'America/Santiago' from payouts p
            where p.provider_id = o.provider_id and p.payee_id = o.payee_id and p.state <> 'refused'),
            '-infinity')) as taken_at,
        coalesce(l.owed, 0) - floor((coalesce(l.owed, 0) * o.fee_basis_points + 5000) / 10000)::bigint - coalesce((
          select sum(i.net) from payout_items i
          join payouts p on p.provider_id = i.provider_id and p.id = i.payout_id and p.payee_id = o.payee_id
            and p.state <> 'refused'
          where i.provider_id = o.provider_id and i.order_id = o.order_id), 0) as net
      from payable_orders o
      -- For each order by itself: a join would sum the whole ledger first.
      cross join lateral (select sum(owed) as owed from (${owedByOrder}) as of_order
        where of_order.provider_id = o.provider_id and of_order.order_id = o.order_id) as l
      where o.moved_at is not null
    ) as w
    group by w.provider_id, w.payee_id having sum(w.net) < 0`;
}

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
