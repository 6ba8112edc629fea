import { type RawBuilder, sql } from "kysely";
import { TAX_DOCUMENT_HOURS_MAX, UNKNOWN_OUTCOME_HOURS_MAX } from "../contract/terms.ts";
import { clp } from "../contract/vocabulary/clp.ts";
import type { OrderId } from "../contract/vocabulary/identifiers.ts";
import type { LegalTextName } from "../contract/vocabulary/legal-text.ts";
import type { Database, Transaction } from "../platform/database/transaction.ts";
import type { Exception, ExceptionQuery, ExceptionRow, UnknownCall } from "../platform/exceptions.ts";
import { otherConnector } from "../platform/party-connector-store.ts";
import { type ErasedPatient, ofTenant } from "../platform/personal-data.ts";
import type { TimelineOrder, TimelineRow, TimerName } from "../platform/timeline.ts";
import { REMOVE_CARD_TIMER } from "./card-removals.ts";
import { unansweredRemovals } from "./cards/card-removal-store.ts";
import { differingBalances } from "./ledger/closing-store.ts";
import { EXPIRE_ORDER_TIMER } from "./lifecycle/expire-order.ts";
import { DETAIL_NAMES } from "./order-store.ts";
import { ISSUE_DOCUMENT_TIMER } from "./owe-document.ts";
import { SETTLE_PAYMENT_TIMER } from "./payments/payment-attempt.ts";
import { SETTLE_REFUND_TIMER } from "./refunds/run-refund.ts";
import { CARD_ATTEMPT_TIMERS } from "./run-card-attempt.ts";
import { unansweredCards } from "./saved-cards/saved-card-store.ts";
import { SETTLE_SAVED_CARD_TIMER } from "./saved-cards.ts";
import { isAddressedTo } from "./search/order-search-store.ts";
import { missingDocuments, readUnknownDocument } from "./tax-documents/tax-document-store.ts";

/**
 * Exceptions of orders: money that a card did not take back, unresolved payments and refunds, and differing balances.
 */
export function orderExceptionQueries(): readonly ExceptionQuery[] {
  return [
    { rows: stuckPayments },
    { rows: failedRefunds },
    { rows: owedTransfers },
    { rows: unknownPayments, afterHours: UNKNOWN_OUTCOME_HOURS_MAX },
    { rows: unknownRefunds, afterHours: UNKNOWN_OUTCOME_HOURS_MAX },
    { rows: takenReturns, afterHours: UNKNOWN_OUTCOME_HOURS_MAX },
    { rows: unansweredCards, afterHours: UNKNOWN_OUTCOME_HOURS_MAX },
    { rows: unansweredRemovals, afterHours: UNKNOWN_OUTCOME_HOURS_MAX },
    { rows: missingDocuments, afterHours: TAX_DOCUMENT_HOURS_MAX },
    { rows: differingBalances },
  ];
}

/** The states of a payment attempt whose call goes to the lender. */
const LENDER_STATES = sql`state in ('authorising_loan', 'loan_under_review', 'confirming_loan', 'cancelling_loan')`;

const stuckPayments: RawBuilder<ExceptionRow> = sql`
  select 'money_not_returned' as kind, a.provider_id, a.id::text as subject, a.order_id, a.updated_at as since,
    jsonb_strip_nulls(jsonb_build_object('why', a.attention, 'amount', p.amount, 'refused_because', a.return_refusal)) as facts
  from payment_attempts a join order_payments p on p.provider_id = a.provider_id and p.order_id = a.order_id and p.id = a.id
  where a.attention is not null`;

const failedRefunds: RawBuilder<ExceptionRow> = sql`
  select 'money_not_returned' as kind, r.provider_id, r.id::text as subject, r.order_id, r.updated_at as since,
    jsonb_build_object('why', case when m.done > 0 then 'refund_failed_in_part' else 'refund_failed' end,
      'amount', r.amount - m.done, 'given_back', nullif(m.done, 0))
      || jsonb_strip_nulls(jsonb_build_object('refused_because', m.refusal)) as facts
  from order_refunds r
  cross join lateral (select coalesce(sum(amount) filter (where status = 'done'), 0) as done, max(return_refusal) as refusal
    from refund_movements where provider_id = r.provider_id and order_id = r.order_id and refund_id = r.id) m
  where r.status = 'failed'`;

const owedTransfers: RawBuilder<ExceptionRow> = sql`
  select 'transfer_owed' as kind, provider_id, id::text as subject, order_id, updated_at as since,
    jsonb_build_object('amount', amount + commission, 'commission', commission) as facts
  from refund_movements where kind = 'bank_transfer' and status = 'done' and transferred_at is null`;

/** The connector of the party that the attempt's next call goes to, if it is not the present one. */
const OTHER_CONNECTOR_OF_PAYMENT = otherConnector(
  sql`case when ${LENDER_STATES} then lender_connector else processor_connector end`,
  sql`case when ${LENDER_STATES} then 'financingProvider' else 'cardProcessor' end`,
);

/** The same of a refund's next movement. */
const OTHER_CONNECTOR_OF_REFUND = otherConnector(
  sql`case r.next_kind when 'loan_reduction' then r.lender_connector else r.processor_connector end`,
  sql`case r.next_kind when 'loan_reduction' then 'financingProvider' else 'cardProcessor' end`,
);

const unknownPayments: RawBuilder<ExceptionRow> = sql`
  select 'outcome_unknown' as kind, provider_id, id::text as subject, order_id, started_at as since,
    jsonb_strip_nulls(jsonb_build_object('of', 'payment', 'connector', elsewhere)) as facts
  from (select *, ${OTHER_CONNECTOR_OF_PAYMENT} as elsewhere from payment_attempts where ended_at is null) as a
  where return_taken_at is null and (inquiries > 0 or elsewhere is not null)`;

const unknownRefunds: RawBuilder<ExceptionRow> = sql`
  select 'outcome_unknown' as kind, r.provider_id, r.id::text as subject, r.order_id, r.created_at as since,
    jsonb_strip_nulls(jsonb_build_object('of', 'refund', 'connector', ${OTHER_CONNECTOR_OF_REFUND})) as facts
  from (select *, (select m.kind from refund_movements m where m.provider_id = o.provider_id and m.order_id = o.order_id
      and m.refund_id = o.id and m.status = 'pending' order by m.position limit 1) as next_kind
    from order_refunds o where o.status = 'processing') as r
  where not exists (select from refund_movements m
    where m.provider_id = r.provider_id and m.order_id = r.order_id and m.refund_id = r.id
      and m.status = 'pending' and m.return_taken_at is not null)`;

/** Returns that the card processor accepted, with the time by which it should have reported the result. */
const takenReturns: RawBuilder<ExceptionRow> = sql`
  select 'outcome_unknown' as kind, provider_id, subject, order_id,
    case when elsewhere is null then return_ends_by else return_taken_at end as since,
    jsonb_strip_nulls(jsonb_build_object('of', of, 'taken_at', return_taken_at, 'connector', elsewhere)) as facts
  from (
    select m.provider_id, m.refund_id::text as subject, m.order_id, 'refund' as of, m.return_taken_at, m.return_ends_by,
      ${otherConnector(sql`r.processor_connector`, "cardProcessor")} as elsewhere
    from refund_movements m
    join order_refunds r on r.provider_id = m.provider_id and r.order_id = m.order_id and r.id = m.refund_id
    where m.status = 'pending' and m.return_taken_at is not null
    union all
    select provider_id, id::text, order_id, 'payment', return_taken_at, return_ends_by,
      ${otherConnector(sql`processor_connector`, "cardProcessor")}
    from payment_attempts where ended_at is null and return_taken_at is not null
  ) as taken`;

/** The charge, return or tax document whose outcome is unknown; null if the call goes to the lender, or has ended. */
export async function readUnknownCall(
  tx: Transaction,
  { kind, providerId, subject, facts }: Exception,
): Promise<UnknownCall | null> {
  // Without `connector` the issuer's own list decides.
  if (kind === "tax_document_missing")
    return facts.connector === undefined ? null : readUnknownDocument(tx, { providerId, subject });
  const calls = unknownCalls({ providerId, id: subject })[String(facts.of)];
  if (calls === undefined) return null;
  const { rows } = await sql<{ key: string; amount: number; kind: string }>`${calls}`.execute(tx);
  const [call] = rows;
  if (call === undefined || call.kind === "loan_reduction") return null;
  return { idempotencyKey: call.key, amount: clp(call.amount) };
}

/** By `of` of the exception. Select `key, amount, kind`. */
function unknownCalls({ providerId, id }: { readonly providerId: string; readonly id: string }) {
  const calls: Readonly<Record<string, RawBuilder<unknown>>> = {
    payment: sql`
      select a.id || case a.state when 'capturing' then ':charge' else ':return' end as key, p.amount, p.kind
      from payment_attempts a
      join order_payments p on p.provider_id = a.provider_id and p.order_id = a.order_id and p.id = a.id
      where a.provider_id = ${providerId}::uuid and a.id = ${id}::uuid
        and a.state in ('capturing', 'returning_charge')`,
    collection: sql`
      select id || ':collection' as key, amount, kind from order_payments
      where provider_id = ${providerId}::uuid and id = ${id}::uuid and kind = 'deferred' and status = 'processing'`,
    refund: sql`
      select id || ':refund' as key, amount + commission as amount, kind from refund_movements
      where provider_id = ${providerId}::uuid and refund_id = ${id}::uuid and status = 'pending'
      order by position limit 1`,
  };
  return calls;
}

export function orderEntries({ providerId, orderId }: TimelineOrder): readonly RawBuilder<TimelineRow>[] {
  const ofOrder = sql`provider_id = ${providerId}::uuid and order_id = ${orderId}::uuid`;
  return [
    sql`
      select 'order.created' as what, created_at as at, null::text as subject, null::bigint as amount,
        '{}'::jsonb as facts
      from orders where provider_id = ${providerId}::uuid and id = ${orderId}::uuid`,
    sql`
      select 'identity.asked', asked_at, id::text, null::bigint, jsonb_build_object('outcome', outcome)
      from identity_checks where ${ofOrder}`,
    sql`
      select 'identity.validated', identity_validated_at, null::text, null::bigint, '{}'::jsonb
      from orders where provider_id = ${providerId}::uuid and id = ${orderId}::uuid
        and identity_validated_at is not null`,
    sql`
      select moment.what, moment.at, a.id::text, null::bigint, moment.facts
      from payment_attempts a
      join order_payments p on p.provider_id = a.provider_id and p.order_id = a.order_id and p.id = a.id
      cross join lateral (values
        ('payment.begun', a.started_at, jsonb_build_object('first_instalment', p.amount)),
        ('payment.return_taken', a.return_taken_at, jsonb_build_object('ends_by', a.return_ends_by)),
        ('payment.ended', a.ended_at, jsonb_strip_nulls(jsonb_build_object('state', a.state,
          'declined_because', p.decline_reason, 'beyond_limit_of', p.decline_limit, 'return_refused_because', a.return_refusal,
          'inquiries', nullif(a.inquiries, 0))))) as moment (what, at, facts)
      where a.provider_id = ${providerId}::uuid and a.order_id = ${orderId}::uuid and moment.at is not null`,
    sql`
      select 'card.charged', coalesce((select min(t.at) from ledger_transfers t where t.provider_id = p.provider_id
          and t.order_id = p.order_id and t.cause in ('capture:' || p.id, 'collection:' || p.id)), p.updated_at),
        p.id::text, null::bigint, jsonb_strip_nulls(jsonb_build_object('charge', p.charge_id, 'buy_order', p.buy_order,
          'store_code', p.store_code, 'authorisation_code', p.authorisation_code,
          'network_transaction', p.network_transaction_id, 'instalments', p.instalments,
          'card_authenticated_at', p.card ->> 'authenticatedAt'))
      from order_payments p where ${ofOrder} and p.charge_id is not null`,
    sql`
      select moment.what, moment.at, a.id::text, null::bigint, moment.facts
      from (select *, purpose in ('payment', 'card_change') as is_page from card_attempts) a cross join lateral (values
        (case when is_page then 'card_page.opened' else 'authentication.asked' end, a.started_at,
          jsonb_build_object('for', ${ATTEMPT_FOR})),
        (case when is_page then 'card_page.ended' else 'authentication.ended' end, a.ended_at,
          jsonb_strip_nulls(jsonb_build_object('state', a.state, 'declined_because', a.decline_reason,
            'inquiries', nullif(a.inquiries, 0))))) as moment (what, at, facts)
      where ${ofOrder} and moment.at is not null`,
    sql`
      select moment.what, moment.at, r.id::text, null::bigint, '{}'::jsonb
      from card_removals r cross join lateral (values
        ('card_removal.asked', r.asked_at), ('card_removal.ended', r.removed_at)) as moment (what, at)
      where ${ofOrder} and moment.at is not null`,
    sql`
      select 'refund.asked', created_at, id::text, null::bigint, jsonb_build_object('of', amount)
      from order_refunds where ${ofOrder}`,
    sql`
      select moment.what, moment.at, m.id::text, null::bigint, moment.facts
      from refund_movements m cross join lateral (values
        ('refund.moved', case when m.status <> 'pending' then m.updated_at end,
          jsonb_strip_nulls(jsonb_build_object('kind', m.kind, 'status', m.status, 'of', m.amount, 'commission', m.commission,
            'return', m.return_id, 'buy_order', m.buy_order, 'store_code', m.store_code,
            'authorisation_code', m.authorisation_code, 'refused_because', m.return_refusal))),
        ('refund.return_taken', m.return_taken_at,
          jsonb_build_object('of', m.amount, 'commission', m.commission, 'ends_by', m.return_ends_by)),
        ('refund.transferred', m.transferred_at, '{}'::jsonb)) as moment (what, at, facts)
      where ${ofOrder} and moment.at is not null`,
    sql`
      select 'refund.ended', updated_at, id::text, null::bigint, jsonb_build_object('status', status)
      from order_refunds where ${ofOrder} and status <> 'processing'`,
    sql`
      select moment.what, moment.at, c.id::text, null::bigint, '{}'::jsonb
      from saved_cards c cross join lateral (values
        ('saved_card.asked', c.asked_at), ('saved_card.saved', c.saved_at)) as moment (what, at)
      where ${ofOrder} and moment.at is not null`,
    sql`
      select 'saved_card.used', used_at, saved_card_id::text, null::bigint, '{}'::jsonb
      from saved_card_uses where ${ofOrder}`,
  ];
}

/** The authentication of a new card appears as part of a card change. */
const ATTEMPT_FOR = sql`case purpose when 'new_card' then 'card_change' else purpose end`;

/** The ledger rows of an order, and the tax documents of the commission in them. */
export function ledgerEntries({ providerId, orderId }: TimelineOrder): readonly RawBuilder<TimelineRow>[] {
  const ofOrder = sql`provider_id = ${providerId}::uuid and order_id = ${orderId}::uuid`;
  return [
    sql`
      select 'ledger.booked' as what, at, cause as subject, amount,
        jsonb_build_object('debit', debit, 'credit', credit) as facts
      from ledger_transfers where ${ofOrder}`,
    sql`
      select 'tax_document.issued', issued_at, source_id::text, null::bigint,
        jsonb_build_object('kind', kind, 'net', net, 'vat', vat, 'number', issued_number)
      from tax_documents where ${ofOrder} and issued_at is not null`,
  ];
}

export function orderWaits({ providerId, orderId }: TimelineOrder): readonly RawBuilder<TimelineRow>[] {
  const ofOrder = sql`provider_id = ${providerId}::uuid and order_id = ${orderId}::uuid`;
  return [
    sql`
      select 'waits.patient' as what, updated_at as at, null::text as subject, null::bigint as amount,
        jsonb_build_object('state', state) as facts
      from orders where provider_id = ${providerId}::uuid and id = ${orderId}::uuid
        and state in ('awaiting_payment', 'payment_failed')`,
    sql`
      select 'waits.payment', updated_at, id::text, null::bigint,
        jsonb_build_object('state', state, 'inquiries', inquiries)
      from payment_attempts where ${ofOrder} and ended_at is null`,
    sql`
      select 'waits.card_page', started_at, id::text, null::bigint,
        jsonb_build_object('for', purpose, 'state', state, 'inquiries', inquiries)
      from card_attempts where ${ofOrder} and ended_at is null and purpose in ('payment', 'card_change')`,
    sql`
      select 'waits.authentication', started_at, id::text, null::bigint,
        jsonb_build_object('for', ${ATTEMPT_FOR}, 'inquiries', inquiries)
      from card_attempts where ${ofOrder} and ended_at is null and purpose in ('new_card', 'pay_early')`,
    sql`
      select 'waits.card_removal', asked_at, id::text, null::bigint, jsonb_build_object('inquiries', inquiries)
      from card_removals where ${ofOrder} and state = 'removing'`,
    sql`
      select 'waits.refund', created_at, id::text, null::bigint,
        jsonb_build_object('allocated', allocated, 'inquiries', inquiries)
      from order_refunds where ${ofOrder} and status = 'processing'`,
    sql`
      select 'waits.transfer', updated_at, id::text, null::bigint, jsonb_build_object('owed', amount + commission)
      from refund_movements where ${ofOrder} and kind = 'bank_transfer' and transferred_at is null`,
    sql`
      select 'waits.tax_document', due_at, source_id::text, null::bigint,
        jsonb_strip_nulls(jsonb_build_object('kind', kind, 'refusal', refusal, 'inquiries', inquiries))
      from tax_documents where ${ofOrder} and issued_at is null`,
  ];
}

export function orderTimers({ providerId, orderId }: TimelineOrder): readonly RawBuilder<TimerName>[] {
  const ofOrder = sql`provider_id = ${providerId}::uuid and order_id = ${orderId}::uuid`;
  return [
    sql`select ${EXPIRE_ORDER_TIMER}::text as kind, ${orderId}::text as key`,
    sql`select ${SETTLE_PAYMENT_TIMER}, id::text from payment_attempts where ${ofOrder}`,
    sql`select ${SETTLE_REFUND_TIMER}, id::text from order_refunds where ${ofOrder}`,
    sql`select ${ISSUE_DOCUMENT_TIMER}, order_id::text || ':' || number::text from tax_documents where ${ofOrder}`,
    sql`
      select case purpose when 'payment' then ${CARD_ATTEMPT_TIMERS.payment}
        when 'card_change' then ${CARD_ATTEMPT_TIMERS.card_change} else ${CARD_ATTEMPT_TIMERS.new_card} end, id::text
      from card_attempts where ${ofOrder}`,
    sql`select ${REMOVE_CARD_TIMER}, id::text from card_removals where ${ofOrder}`,
    sql`select ${SETTLE_SAVED_CARD_TIMER}, id::text || ':' || state from saved_cards where ${ofOrder}`,
  ];
}

/** A refused credit, with the reasons that the law requires to be kept. */
export interface CreditRefusal {
  readonly reasons: readonly string[];
  readonly at: Date;
}

export interface PatientOrderKey {
  readonly providerId: string;
  readonly id: OrderId;
  readonly creditRefusal: CreditRefusal | null;
  /** The texts accepted with the payment; null if none were stored. */
  readonly agreement: readonly LegalTextName[] | null;
}

/**
 * Every order under a RUT, oldest first, with its credit refusal, if any. The refusal comes from the payment attempts,
 * because the order itself may have been cancelled afterwards.
 */
export async function selectPatientOrders(
  db: Database,
  { tenant, rut }: { readonly tenant: string; readonly rut: string },
): Promise<PatientOrderKey[]> {
  const rows = await db
    .selectFrom("orders as o")
    .leftJoin("payment_attempts as a", (join) =>
      join.onRef("a.provider_id", "=", "o.provider_id").onRef("a.order_id", "=", "o.id").on("a.state", "=", "failed"),
    )
    .select(["o.provider_id", "o.id", "a.ended_at"])
    .select(
      sql<readonly string[] | null>`case a.ending ->> 'as' when 'failed' then a.ending -> 'reasons' end`.as("reasons"),
    )
    .select(
      sql<LegalTextName[] | null>`(select s.agreement -> 'texts' from payment_attempts s
        where s.provider_id = o.provider_id and s.order_id = o.id and s.state = 'succeeded')`.as("agreement"),
    )
    .where("o.customer_rut", "=", sql<never>`${rut}`)
    .where(ofTenant("o.provider_id", tenant))
    .orderBy("o.created_at")
    .orderBy("o.id")
    .execute();
  return rows.map(({ provider_id, id, reasons, ended_at: at, agreement }) => ({
    providerId: provider_id,
    id: id as OrderId,
    creditRefusal: at === null || reasons === null ? null : { reasons, at },
    agreement,
  }));
}

/** An order whose personal data was erased. */
interface EmptiedOrder {
  readonly providerId: string;
  readonly id: string;
}

/**
 * Overwrites the holder's name and the card's id, which is also the mandate to charge it. Brand and last digits
 * identify no person and stay.
 */
const ERASED_CARD = JSON.stringify({ id: "", holderName: "" });

const NO_DETAILS = sql.join(DETAIL_NAMES.map((name) => sql`${sql.ref(name)} = null`));

/** True if an attempt to pay the order ended with a refused credit, whatever happened to the order later. */
const CREDIT_REFUSED = sql<boolean>`exists (select 1 from payment_attempts a
  where a.provider_id = orders.provider_id and a.order_id = orders.id and a.state = 'failed')`;

const NO_MONEY_MOVED = sql<boolean>`not exists (select 1
  from order_payments p where p.provider_id = orders.provider_id and p.order_id = orders.id
    and p.status in ('processing', 'captured', 'undone'))`;

/**
 * Erases the customer, the card, the details and the shown texts of orders that were cancelled or expired unpaid,
 * also after a declined card.
 */
export async function emptyUnpaidOrders(
  tx: Transaction,
  { tenant, rut, addressedTo }: ErasedPatient,
): Promise<EmptiedOrder[]> {
  const { rows } = await sql<EmptiedOrder>`
    with emptied as (
      update orders set customer_rut = '', customer_first_name = '', customer_last_name = '', customer_email = '',
        customer_phone = '', card = null, ${NO_DETAILS}
      where customer_rut = ${rut} and state in ('cancelled', 'expired') and ${ofTenant("provider_id", tenant)}
        and ${isAddressedTo(addressedTo)} and ${NO_MONEY_MOVED} and not ${CREDIT_REFUSED}
      returning provider_id, id
    ), emptied_cards as (
      update order_payments p set card = p.card || ${ERASED_CARD}::jsonb
      from emptied where p.provider_id = emptied.provider_id and p.order_id = emptied.id
    ), forgotten_agreements as (
      update payment_attempts a set agreement = null
      from emptied where a.provider_id = emptied.provider_id and a.order_id = emptied.id
    )
    select provider_id as "providerId", id from emptied
  `.execute(tx);
  return rows;
}

/** Erases the telephone, the card, the details and the shown texts of orders whose credit was refused. */
export async function sampleRefusedCredits(
  tx: Transaction,
  { tenant, rut, addressedTo }: ErasedPatient,
): Promise<EmptiedOrder[]> {
  const { rows } = await sql<EmptiedOrder>`
    with thinned as (
      update orders set customer_phone = '', card = null, ${NO_DETAILS}
      where customer_rut = ${rut} and ${ofTenant("provider_id", tenant)} and ${isAddressedTo(addressedTo)}
        and ${NO_MONEY_MOVED} and ${CREDIT_REFUSED}
      returning provider_id, id
    ), emptied_cards as (
      update order_payments p set card = p.card || ${ERASED_CARD}::jsonb
      from thinned where p.provider_id = thinned.provider_id and p.order_id = thinned.id
    ), forgotten_agreements as (
      update payment_attempts a set agreement = null
      from thinned where a.provider_id = thinned.provider_id and a.order_id = thinned.id
    )
    select provider_id as "providerId", id from thinned
  `.execute(tx);
  return rows;
}
