import { type RawBuilder, sql } from "kysely";
import type { TimelineOrder, TimelineRow, TimerName } from "../platform/timeline.ts";
import { CARD_PAGE_TIMERS } from "./card-pages/run-registration.ts";
import { REMOVE_CARD_TIMER } from "./card-removals/card-removals.ts";
import { EXPIRE_ORDER_TIMER } from "./expire-order.ts";
import { SETTLE_PAYMENT_TIMER } from "./payments/run-payment.ts";
import { SETTLE_REFUND_TIMER } from "./refunds/run-refund.ts";
import { SETTLE_SAVED_CARD_TIMER } from "./saved-cards/saved-cards.ts";
import { ISSUE_DOCUMENT_TIMER } from "./tax-documents/owe-document.ts";

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
          'network_transaction', p.network_transaction_id, 'instalments', p.instalments))
      from order_payments p where ${ofOrder} and p.charge_id is not null`,
    sql`
      select moment.what, moment.at, r.id::text, null::bigint, moment.facts
      from card_registrations r cross join lateral (values
        ('card_page.opened', r.started_at, jsonb_build_object('for', r.purpose)),
        ('card_page.ended', r.ended_at, jsonb_strip_nulls(jsonb_build_object('state', r.state,
          'declined_because', r.decline_reason, 'inquiries', nullif(r.inquiries, 0))))) as moment (what, at, facts)
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

/** The ledger's rows, and the tax documents of the commission in them. */
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
      from card_registrations where ${ofOrder} and ended_at is null`,
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
      select case purpose when 'payment' then ${CARD_PAGE_TIMERS.payment} else ${CARD_PAGE_TIMERS.card_change} end, id::text
      from card_registrations where ${ofOrder}`,
    sql`select ${REMOVE_CARD_TIMER}, id::text from card_removals where ${ofOrder}`,
    sql`select ${SETTLE_SAVED_CARD_TIMER}, id::text || ':' || state from saved_cards where ${ofOrder}`,
  ];
}
