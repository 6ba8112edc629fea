import { type RawBuilder, sql } from "kysely";
import type { Database } from "../src/platform/database/transaction.ts";

/** The orders of a year, and the providers that own them. */
export interface ManyOrders {
  readonly providerIds: readonly string[];
  /** The total for all providers. */
  readonly count: number;
  readonly now: Date;
}

/** The days over which the orders are spread; the last one is paid now. */
const DAYS = 365;

/**
 * Writes the rows of many orders by SQL alone, so that a million take minutes. They are paid one after the other over a
 * year, collected 45 days later, paid out on the next day, claimed and mostly approved. One in a hundred is refunded,
 * one in a hundred in part, one in twenty was never paid, and of 5,000 a few wait for an operator. Statistics are
 * gathered at the end.
 */
export async function writeManyOrders(db: Database, many: ManyOrders): Promise<void> {
  for (const statement of [...people(many), ...orders(many), ...collections(many), ...claims(many), ...payouts(many)])
    await statement.execute(db);
  for (const statement of [...ledger(many), ...rest(many)]) await statement.execute(db);
  await sql`analyze`.execute(db);
}

/** One row per order as `o`: its number, provider, id, time of payment, age and outcome. */
function lives({ providerIds, count, now }: ManyOrders): RawBuilder<unknown> {
  return sql`(
    select n, (${providerIds}::uuid[])[1 + n / 7 % ${providerIds.length}::int] as provider_id, md5('order ' || n)::uuid as id,
      md5('payment ' || n)::uuid as payment_id, md5('later ' || n)::uuid as later_id, md5('person ' || n % 1000)::uuid as person_id,
      ${now}::timestamptz - (${count}::int - n) * (${DAYS}::int * interval '1 day' / ${count}::int) as at,
      (${count}::int - n) * ${DAYS}::float / ${count}::int as age,
      case when n % 100 = 0 then 'refunded' when n % 100 = 1 then 'partially_refunded' when n % 20 = 2 then 'expired'
        else 'paid' end as state
    from generate_series(0, ${count - 1}::int) as n) as o`;
}

const card = sql`jsonb_build_object('id', 'card-' || n, 'brand', 'visa', 'last4', '6623', 'expMonth', 12, 'expYear', 2030,
  'holderName', 'CAMILA ROJAS', 'kind', 'credit')`;
const isPaid = sql`o.state <> 'expired'`;
const isCollected = sql`o.state in ('paid', 'partially_refunded') and o.age > 45`;
/** Selects one of this many orders, without refunded and unpaid ones. */
const oneOf = (orders: number, which: number) => sql`n % ${orders}::int = ${which}::int`;

function people({ now }: ManyOrders): RawBuilder<unknown>[] {
  return [
    sql`insert into users (id, tenant, email, email_key, created_at)
      select md5('user')::uuid, 'many', 'camila@example.com', 'camila@example.com', ${now}`,
    sql`insert into beneficiaries (id, tenant, rut, user_id, provider_id, first_name, last_name, phone_number, insurer, created_at, updated_at)
      select md5('person ' || n)::uuid, 'many', (40100000 + n) || '-1', md5('user')::uuid, md5('user')::uuid, 'Camila', 'Rojas',
        '+56912345678', 'colmena', ${now}, ${now} from generate_series(0, 999) as n`,
  ];
}

function orders(many: ManyOrders): RawBuilder<unknown>[] {
  const of = lives(many);
  return [
    sql`insert into orders (provider_id, id, environment, reference, state, total, first_part, deferred_part, commission_basis_points,
        customer_rut, customer_first_name, customer_last_name, customer_email, customer_phone, card, loan_id, paid_at,
        refund_accepted, refunded, deferred_cancelled, deferred_collected, created_by, created_at, updated_at)
      select provider_id, id, 'production', 'r' || n, state, 40000, 12000, 28000, 700, (40100000 + n % 1000) || '-1', 'Camila', 'Rojas',
        'camila' || n || '@example.com', '+56912345678', ${card}, 'loan-' || n, case when ${isPaid} then at end,
        case state when 'refunded' then 40000 when 'partially_refunded' then 8000 else 0 end,
        case state when 'refunded' then 40000 when 'partially_refunded' then 8000 else 0 end,
        case state when 'refunded' then 28000 when 'partially_refunded' then 8000 else 0 end,
        case when ${isCollected} then case state when 'paid' then 28000 else 20000 end else 0 end,
        provider_id, at - interval '5 minutes', at from ${of}`,
    sql`insert into order_payments (provider_id, order_id, id, number, kind, status, amount, return_accepted, returned, card, charge_id, created_at, updated_at)
      select provider_id, id, payment_id, 1, 'first', 'captured', 12000, case state when 'refunded' then 12000 else 0 end,
        case state when 'refunded' then 12000 else 0 end, ${card}, 'charge-' || n, at, at from ${of} where ${isPaid}`,
    sql`insert into order_payments (provider_id, order_id, id, number, kind, status, amount, commission, card, charge_id, created_at, updated_at)
      select provider_id, id, later_id, 2, 'deferred', 'captured', 30000, 2000, ${card}, 'later-' || n, at + interval '45 days',
        at + interval '45 days' from ${of} where ${isCollected}`,
    sql`insert into payment_attempts (provider_id, order_id, id, state, capture_first, loan_id, charge_id, ending, quote, attention, inquiries,
        started_at, updated_at, ended_at)
      select provider_id, id, payment_id, case when ${oneOf(5_000, 3)} then 'capturing' when ${oneOf(5_000, 4)} then 'failed' else 'succeeded' end,
        false, 'loan-' || n, 'charge-' || n, case when ${oneOf(5_000, 4)} then '{}'::jsonb end, '{}',
        case when ${oneOf(5_000, 4)} then 'return_refused' end, case when ${oneOf(5_000, 3)} then 4 else 0 end, at, at,
        case when ${oneOf(5_000, 3)} then null else at end
      from ${of} where ${isPaid}`,
    sql`insert into order_refunds (provider_id, order_id, id, number, amount, whole_rest, status, allocated, created_by, created_at, updated_at)
      select provider_id, id, md5('refund ' || n)::uuid, 1, case state when 'refunded' then 40000 else 8000 end, state = 'refunded',
        case when ${oneOf(5_000, 101)} then 'failed' when ${oneOf(5_000, 201)} then 'processing' else 'succeeded' end, true, provider_id, at, at
      from ${of} where state in ('refunded', 'partially_refunded')`,
    sql`insert into refund_movements (provider_id, order_id, refund_id, id, position, kind, amount, commission, status, updated_at)
      select provider_id, id, md5('refund ' || n)::uuid, md5('movement ' || n)::uuid, 0,
        case when ${oneOf(5_000, 301)} then 'bank_transfer' else 'loan_reduction' end,
        case state when 'refunded' then 28000 else 8000 end, 0, 'done', at
      from ${of} where state in ('refunded', 'partially_refunded')`,
  ];
}

function collections(many: ManyOrders): RawBuilder<unknown>[] {
  const of = lives(many);
  return [
    sql`insert into collections (provider_id, order_id, state, paid_at, due_at, failure, announced_for, updated_at)
      select provider_id, id, c.state, at, case c.state when 'scheduled' then at + interval '45 days' end,
        case c.state when 'failed' then case when ${oneOf(5_000, 105)} then 'hard_decline' else 'written_off' end
          when 'stopped' then 'chargeback' end,
        ((at at time zone 'America/Santiago')::date + 45 + time '09:00') at time zone 'America/Santiago', at
      from ${of} cross join lateral (select case when o.state = 'refunded' then 'cancelled' when ${oneOf(200, 105)} then 'failed'
        when ${oneOf(5_000, 106)} then 'stopped' when o.age > 45 then 'collected' else 'scheduled' end as state) as c where ${isPaid}`,
    // Disables the triggers that require a mandate for each charge. The mandate existed when the charge was made.
    sql`alter table collection_attempts disable trigger user`,
    sql`insert into collection_attempts (provider_id, order_id, id, initiator, state, card_id, inquiries, started_at, settled_at)
      select provider_id, id, later_id, 'merchant', case when ${oneOf(5_000, 107)} then 'charging' else 'captured' end, 'card-' || n, 0,
        at + interval '45 days', case when ${oneOf(5_000, 107)} then null else at + interval '45 days' end
      from ${of} where ${isCollected}`,
    sql`alter table collection_attempts enable trigger user`,
    sql`insert into collection_triggers (provider_id, order_id, reason, evidence, at)
      select provider_id, id, 'day_45', '{}', at + interval '45 days' from ${of} where ${isCollected}`,
    sql`insert into chargebacks (provider_id, id, order_id, charge_id, amount, at, noted_at, released_at, lost_at)
      select provider_id, 'chargeback-' || n, id, 'charge-' || n, 12000, at, at, case when ${oneOf(5_000, 106)} then null else at end,
        case when ${oneOf(5_000, 106)} then null else at end
      from ${of} where ${isPaid} and ${oneOf(200, 106)}`,
    sql`insert into loan_reports (provider_id, order_id, number, loan_end, amount, ended_at, called_at, reported_at)
      select provider_id, id, 1, 'collected', 28000, at, at, case when ${oneOf(5_000, 108)} then null else at end
      from ${of} where ${isCollected}`,
    sql`insert into tax_documents (provider_id, order_id, number, kind, source_id, net, vat, due_at, issued_at, issued_number, url)
      select provider_id, id, 1, 'boleta', later_id, 1681, 319, at, case when w then null else at end,
        case when w then null else n::text end, case when w then null else 'https://dte.example/' || n end
      from ${of} cross join lateral (select ${oneOf(5_000, 109)} as w) as waits where ${isCollected}`,
  ];
}

function claims(many: ManyOrders): RawBuilder<unknown>[] {
  const of = lives(many);
  return [
    sql`insert into expenses (provider_id, id, beneficiary_id, order_id, status, total, subtypes, created_at, updated_at, unread_fields)
      select provider_id, md5('expense ' || n)::uuid, person_id, id,
        case when ${oneOf(5_000, 110)} then 'held' else 'approved' end, 40000, '{}', at, at,
        case when ${oneOf(200, 111)} then '{"total": "not_found"}'::jsonb else '{}'::jsonb end
      from ${of} where ${isPaid} and not (${oneOf(5_000, 112)})`,
    sql`insert into claims (provider_id, id, order_id, expense_id, beneficiary_id, state, attempt, inquiries, insurer_claim_id, created_at,
        updated_at, filed_at, reimbursed)
      select provider_id, md5('claim ' || n)::uuid, id, md5('expense ' || n)::uuid, person_id, c.state, 1, 0, 'claim-' || n, at, at, at, 20000
      from ${of} cross join lateral (select case when ${oneOf(5_000, 113)} then 'held' when ${oneOf(5_000, 114)} then 'access_missing'
        when ${oneOf(5_000, 115)} then 'filing' when o.age < 7 then 'filed' when ${oneOf(10, 7)} then 'rejected' else 'approved' end as state) as c
      where ${isPaid} and not (${oneOf(5_000, 110)} or ${oneOf(5_000, 112)})`,
    sql`insert into missing_receipts (provider_id, order_id, noticed_at)
      select provider_id, id, at + interval '3 days' from ${of} where ${isPaid} and o.age > 3 and ${oneOf(50, 12)}`,
    // Exceptions that resolved by themselves were never dismissed. Those with an unreadable total were.
    sql`insert into handled_matters (provider_id, kind, subject, actor, handled_at)
      select provider_id, 'receipt_unread', md5('expense ' || n)::uuid::text, 'operator:many', at + interval '1 day'
      from ${of} where ${isPaid} and ${oneOf(200, 111)} and o.age > 7`,
  ];
}

function payouts(many: ManyOrders): RawBuilder<unknown>[] {
  const of = lives(many);
  const day = sql`(o.at at time zone 'America/Santiago')::date`;
  const payoutId = sql`md5('payout ' || o.provider_id || ${day})::uuid`;
  const providers = sql`unnest(${many.providerIds}::uuid[]) as given (provider_id)`;
  const center = sql`md5('center ' || provider_id)::uuid`;
  return [
    sql`insert into payees (provider_id, id, kind) select provider_id, provider_id, 'provider' from ${providers}
      union all select provider_id, ${center}, 'center' from ${providers}`,
    sql`insert into payable_orders (provider_id, order_id, payee_id, fee_basis_points, moved_at)
      select provider_id, id, provider_id, 300, case when age <= 1 then at end from ${of} where ${isPaid}`,
    sql`insert into payouts (provider_id, id, payee_id, day, amount, state, sealed_bank_account, account_hash, transfer_id, created_at, settled_at)
      select provider_id, ${payoutId}, provider_id, ${day} + 1, 38800 * count(*), 'paid', 'sealed', 'hash', 'transfer', max(at), max(at)
      from ${of} where ${isPaid} and age > 1 group by provider_id, ${day}`,
    // A payee whose bank refused some payouts and accepted the next.
    sql`insert into payouts (provider_id, id, payee_id, day, amount, state, sealed_bank_account, account_hash, transfer_id, refusal, created_at, settled_at)
      select provider_id, md5('center ' || provider_id || ago)::uuid, ${center}, (${many.now}::timestamptz - ago * interval '1 day')::date, 1000,
        case when w then 'refused' else 'paid' end, 'sealed', 'hash', case when w then null else 'transfer' end,
        case when w then 'account_closed' end, ${many.now}, ${many.now}
      from ${providers}, generate_series(1, ${DAYS}::int) as ago cross join lateral (select ago % 40 = 0 as w) as refusal`,
    sql`insert into payout_items (provider_id, payout_id, order_id, net, fee)
      select provider_id, ${payoutId}, id, ${owed} - fee, fee
      from ${of} cross join lateral (select ${owed} * 3 / 100 as fee) as f where ${isPaid} and age > 1 and ${owed} > 0`,
  ];
}

/** The amount owed to the clinic for a paid order. */
const owed = sql`(case o.state when 'refunded' then 0 when 'partially_refunded' then 32000 else 40000 end)`;

function ledger(many: ManyOrders): RawBuilder<unknown>[] {
  const booked = (
    cause: string,
    sides: readonly [debit: string, credit: string],
    amount: number | RawBuilder<unknown>,
    days: number,
    where: RawBuilder<unknown>,
  ) => sql`
    insert into ledger_transfers (id, provider_id, order_id, debit, credit, amount, cause, at)
    select md5(${cause} || n)::uuid, provider_id, id, ${sides[0]}, ${sides[1]}, ${amount}::bigint, ${cause} || ':' || payment_id,
      at + ${days}::int * interval '1 day'
    from ${lives(many)} where ${isPaid} and ${where}`;
  const isPaidOut = sql`age > 1 and ${owed} > 0`;
  return [
    booked("capture", ["card_processor", "order"], 12_000, 0, sql`true`),
    booked("loan", ["financing_provider", "order"], 28_000, 0, sql`true`),
    booked("reduction", ["order", "financing_provider"], sql`40000 - ${owed}`, 0, sql`${owed} < 40000`),
    booked("payout", ["order", "bank"], sql`${owed} - ${owed} * 3 / 100`, 1, isPaidOut),
    booked("payout-fee", ["order", "payout_fee"], sql`${owed} * 3 / 100`, 1, isPaidOut),
    booked("collection", ["card_processor", "financing_provider"], 28_000, 45, isCollected),
    booked("commission", ["card_processor", "commission"], 1_960, 45, isCollected),
  ];
}

function rest(many: ManyOrders): RawBuilder<unknown>[] {
  const of = lives(many);
  const providers = sql`unnest(${many.providerIds}::uuid[]) as given (provider_id)`;
  return [
    sql`insert into notices (id, provider_id, cause, kind, state, created_at, settled_at, order_id)
      select md5('notice ' || n)::uuid, provider_id, 'paid:' || n, 'receipt', case when ${oneOf(5_000, 116)} then 'given_up' else 'sent' end,
        at, at, id from ${of} where ${isPaid}`,
    sql`insert into reconciliation_runs (provider_id, day, at, differences, unavailable)
      select provider_id, (${many.now}::timestamptz - ago * interval '1 day')::date, ${many.now}::timestamptz - ago * interval '1 day', 0,
        case when ago % 100 < 2 then '["bank"]'::jsonb else '[]'::jsonb end
      from ${providers}, generate_series(1, ${DAYS}::int) as ago`,
    sql`insert into reconciliation_differences (provider_id, kind, reference, party, expected, found, at, first_seen_at, last_seen_at, gone_at)
      select provider_id, 'charge_not_booked', 'charge-' || n, 'card_processor', null, 12000, at, at, at,
        case when ${oneOf(5_000, 117)} then null else at end
      from ${of} where ${oneOf(200, 117)}`,
    sql`insert into saved_cards (id, beneficiary_id, provider_id, order_id, card_id, stored_card_id, brand, last4, exp_month, exp_year, state,
        inquiries, asked_at, changed_at, saved_at)
      select md5('saved ' || n)::uuid, person_id, provider_id, id, 'card-' || n, 'stored-' || n, 'visa', '6623', 12, 2030,
        case when ${oneOf(5_000, 118)} then 'saving' else 'saved' end, case when ${oneOf(5_000, 118)} then 5 else 0 end, at, at, at
      from ${of} where ${oneOf(10, 8)}`,
    sql`insert into charge_returns (id, provider_id, reference, order_id, amount, charged_at, state, return_id, inquiries, requested_at, ended_at)
      select md5('return ' || n)::uuid, provider_id, 'charge-' || n, null, 12000, at, case when w then 'sending' else 'returned' end,
        case when w then null else 'return-' || n end, 5, at, case when w then null else at end
      from ${of} cross join lateral (select ${oneOf(5_000, 119)} as w) as waits where ${oneOf(200, 119)}`,
    sql`insert into loan_cancellations (id, provider_id, reference, order_id, amount, listed_from, state, inquiries, requested_at, ended_at)
      select md5('cancellation ' || n)::uuid, provider_id, 'loan-' || n, null, 28000, at, case when w then 'sending' else 'cancelled' end,
        5, at, case when w then null else at end
      from ${of} cross join lateral (select ${oneOf(5_000, 121)} as w) as waits where ${oneOf(200, 121)}`,
    sql`insert into rights_requests (id, provider_id, beneficiary_id, kind, about, words, state, asked_at, answered_at, answer)
      select md5('request ' || n)::uuid, provider_id, person_id, 'rectification', 'about ' || n, 'words', case when w then 'open' else 'granted' end,
        at, case when w then null else at end, case when w then null else 'done' end
      from ${of} cross join lateral (select ${oneOf(5_000, 120)} as w) as waits where ${oneOf(200, 120)}`,
  ];
}
