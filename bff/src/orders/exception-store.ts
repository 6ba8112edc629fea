import { type RawBuilder, sql } from "kysely";
import { TAX_DOCUMENT_HOURS_MAX, UNKNOWN_OUTCOME_HOURS_MAX } from "../contract/terms.ts";
import type { ExceptionQuery, ExceptionRow } from "../platform/exceptions.ts";
import { unansweredRemovals } from "./card-removals/card-removal-store.ts";
import { differingBalances } from "./ledger/closing-store.ts";
import { unansweredCards } from "./saved-cards/saved-card-store.ts";
import { missingDocuments } from "./tax-documents/tax-document-store.ts";

/**
 * Queries for money that could not be returned to a card, for payments and refunds whose outcome is still unknown, and for balances
 * that differ from their rows.
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

const unknownPayments: RawBuilder<ExceptionRow> = sql`
  select 'outcome_unknown' as kind, provider_id, id::text as subject, order_id, started_at as since,
    jsonb_build_object('of', 'payment') as facts
  from payment_attempts where ended_at is null and inquiries > 0 and return_taken_at is null`;

const unknownRefunds: RawBuilder<ExceptionRow> = sql`
  select 'outcome_unknown' as kind, r.provider_id, r.id::text as subject, r.order_id, r.created_at as since,
    jsonb_build_object('of', 'refund') as facts
  from order_refunds r where r.status = 'processing' and not exists (select from refund_movements m
    where m.provider_id = r.provider_id and m.order_id = r.order_id and m.refund_id = r.id
      and m.status = 'pending' and m.return_taken_at is not null)`;

/** Returns that the card processor has taken, since when it should have told their end. */
const takenReturns: RawBuilder<ExceptionRow> = sql`
  select 'outcome_unknown' as kind, provider_id, refund_id::text as subject, order_id, return_ends_by as since,
    jsonb_build_object('of', 'refund', 'taken_at', return_taken_at) as facts
  from refund_movements where status = 'pending' and return_taken_at is not null
  union all
  select 'outcome_unknown', provider_id, id::text, order_id, return_ends_by,
    jsonb_build_object('of', 'payment', 'taken_at', return_taken_at)
  from payment_attempts where ended_at is null and return_taken_at is not null`;
