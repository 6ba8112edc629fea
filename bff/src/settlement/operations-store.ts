import { type RawBuilder, sql } from "kysely";
import { PAYEE_OWES_DAYS_MAX, UNKNOWN_OUTCOME_HOURS_MAX } from "../contract/terms.ts";
import { clp } from "../contract/vocabulary/clp.ts";
import type { Transaction } from "../platform/database/transaction.ts";
import type { Exception, ExceptionQuery, ExceptionRow, UnknownCall } from "../platform/exceptions.ts";
import { otherConnector } from "../platform/party-connector-store.ts";
import type { Environment } from "../platform/provider.ts";
import type { TimelineOrder, TimelineRow, TimerName } from "../platform/timeline.ts";
import { PAYOUT_RUN_TIMER } from "./payouts/owe-payee.ts";
import { waitingAccounts } from "./payouts/payee-account-store.ts";
import { SEND_PAYOUT_TIMER } from "./payouts/run-payouts.ts";
import { unansweredReturns } from "./reconciliation/charge-return-store.ts";
import { unansweredCancellations } from "./reconciliation/loan-cancellation-store.ts";
import { RETURN_CHARGE_TIMER } from "./reconciliation/send-charge-return.ts";
import { CANCEL_LOAN_TIMER } from "./reconciliation/send-loan-cancellation.ts";

/** Data of other rooms, as statements. */
interface Reported {
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
  { centersWithAccount, owedByOrder, takenFromOwed }: Reported,
): readonly ExceptionQuery[] {
  // Staging pays payees without an account into its sandbox account.
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
  select case when o.returned_at is null then 'payout_refused' else 'payout_returned' end as kind, o.provider_id,
    o.id::text as subject, null::uuid as order_id, coalesce(o.returned_at, o.settled_at) as since,
    jsonb_build_object('why', o.refusal, 'amount', o.amount) as facts
  from payouts o where o.state = 'refused' and not exists (
    select 1 from payouts later where later.provider_id = o.provider_id and later.payee_id = o.payee_id
      and later.day > o.day and later.created_at > coalesce(o.returned_at, o.settled_at))`;

/**
 * Payees whose payouts exceed the earnings of their orders, less fees. They owe since the first transfer that reduced
 * their earnings and that no payout has deducted; a payout includes everything before its day. `moved_at` cannot say
 * when, because it is an order's last movement.
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
  select 'outcome_unknown' as kind, provider_id, id::text as subject, null::uuid as order_id,
    case when elsewhere is null then coalesce(ends_by, created_at) else created_at end as since,
    jsonb_strip_nulls(jsonb_build_object('of', 'payout', 'connector', elsewhere)) as facts
  from (select *, ${otherConnector(sql`connector`, "bank")} as elsewhere from payouts where state = 'sending') as p`;

/** The transfer of an unknown payout. */
export async function readUnknownTransfer(
  tx: Transaction,
  { providerId, subject, facts }: Exception,
): Promise<UnknownCall | null> {
  if (facts.of !== "payout") return null;
  const { rows } = await sql<{ amount: number }>`
    select amount from payouts where provider_id = ${providerId}::uuid and id = ${subject}::uuid and state = 'sending'
  `.execute(tx);
  return rows[0] === undefined ? null : { idempotencyKey: `${subject}:payout`, amount: clp(rows[0].amount) };
}

const ofOrder = ({ providerId, orderId }: TimelineOrder) =>
  sql<boolean>`i.provider_id = ${providerId}::uuid and i.order_id = ${orderId}::uuid`;
const payoutsOfItems = sql`payout_items i join payouts p on p.provider_id = i.provider_id and p.id = i.payout_id`;

export function payoutEntries(order: TimelineOrder): readonly RawBuilder<TimelineRow>[] {
  return [
    sql`
      select case when y.kind = 'lender' then 'remittance' else 'payout' end || moment.what as what, moment.at,
        p.id::text as subject, null::bigint as amount, moment.facts
      from ${payoutsOfItems} join payees y on y.provider_id = p.provider_id and y.id = p.payee_id
      cross join lateral (values
        ('.included', p.created_at, jsonb_build_object('net', i.net, 'fee', i.fee, 'day', p.day)),
        ('.taken', p.taken_at, jsonb_build_object('ends_by', p.ends_by)),
        ('.ended', p.settled_at, case when p.returned_at is null
          then jsonb_strip_nulls(jsonb_build_object('state', p.state, 'refusal', p.refusal))
          else jsonb_build_object('state', 'paid') end),
        ('.returned', p.returned_at, jsonb_build_object('refusal', p.refusal))
        ) as moment (what, at, facts)
      where ${ofOrder(order)} and moment.at is not null`,
  ];
}

export function payoutWaits(order: TimelineOrder): readonly RawBuilder<TimelineRow>[] {
  return [
    sql`
      select 'waits.payout' as what, i.moved_at as at, null::text as subject, null::bigint as amount,
        '{}'::jsonb as facts
      from payable_orders i where ${ofOrder(order)} and i.moved_at is not null`,
    sql`
      select 'waits.remittance', i.moved_at, null::text, null::bigint, '{}'::jsonb
      from collected_orders i join lender_accounts a on a.provider_id = i.provider_id
      where ${ofOrder(order)} and i.moved_at is not null`,
    sql`
      select 'waits.bank', p.created_at, p.id::text, null::bigint,
        jsonb_build_object('day', p.day, 'inquiries', p.inquiries)
      from ${payoutsOfItems} where ${ofOrder(order)} and p.state = 'sending'`,
  ];
}

export function payoutTimers(order: TimelineOrder): readonly RawBuilder<TimerName>[] {
  return [
    sql`
      select ${PAYOUT_RUN_TIMER}::text as kind, i.provider_id::text as key
      from payable_orders i where ${ofOrder(order)} and i.moved_at is not null
      union
      select ${PAYOUT_RUN_TIMER}, i.provider_id::text
      from collected_orders i join lender_accounts a on a.provider_id = i.provider_id
      where ${ofOrder(order)} and i.moved_at is not null`,
    sql`select ${SEND_PAYOUT_TIMER}, i.payout_id::text from payout_items i where ${ofOrder(order)}`,
  ];
}

/** Exceptions about open differences, and about lists that were unavailable on two or more days. */
export function reconciliationExceptionQueries(chargebackIds: RawBuilder<unknown>): readonly ExceptionQuery[] {
  return [
    { rows: openDifferences(chargebackIds) },
    { rows: missingLists },
    { rows: unansweredReturns, afterHours: UNKNOWN_OUTCOME_HOURS_MAX },
    { rows: unansweredCancellations, afterHours: UNKNOWN_OUTCOME_HOURS_MAX },
  ];
}

/**
 * Open differences. The collection lists the chargebacks in `chargebackIds` (`provider_id, id`); chargebacks of unknown
 * orders are listed here. Excludes charges being or already returned and loans being cancelled, unless their party
 * refused, which is then shown.
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

/** Each run without a list looks for a later run with it separately; a join would read all runs of all days. */
const missingLists: RawBuilder<ExceptionRow> = sql`
  select 'list_unavailable' as kind, r.provider_id, party as subject, null::uuid as order_id, min(r.at) as since,
    jsonb_build_object('party', party, 'since', min(r.day)) as facts
  from reconciliation_runs r cross join lateral jsonb_array_elements_text(r.unavailable) as missing (party)
  where r.unavailable <> '[]'::jsonb and (select true from reconciliation_runs later where later.provider_id = r.provider_id
    and later.day > r.day and not later.unavailable @> to_jsonb(party) limit 1) is null
  group by r.provider_id, party having count(*) > 1`;

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
