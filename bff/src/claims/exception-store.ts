import { type RawBuilder, sql } from "kysely";
import { CLAIM_WAITING_DAYS_MAX, UNKNOWN_OUTCOME_HOURS_MAX } from "../contract/terms.ts";
import type { ExceptionQuery, ExceptionRow } from "../platform/exceptions.ts";

/**
 * Exceptions about claims: those that wait too long or do not end, and those of orders refunded in full or in part.
 * `refundedOrders` selects `provider_id, id, updated_at`, `partlyRefundedOrders` `refunded` beside them.
 */
export function claimExceptionQueries(
  refundedOrders: RawBuilder<unknown>,
  partlyRefundedOrders: RawBuilder<unknown>,
): readonly ExceptionQuery[] {
  return [
    { rows: waitingClaims, afterHours: CLAIM_WAITING_DAYS_MAX * 24 },
    { rows: waitingExpenses(refundedOrders), afterHours: CLAIM_WAITING_DAYS_MAX * 24 },
    { rows: missingReceipts(refundedOrders) },
    { rows: claimsOfRefundedOrders(refundedOrders) },
    { rows: claimsOfPartlyRefundedOrders(partlyRefundedOrders) },
    { rows: unreadTotals },
    { rows: unknownFilings, afterHours: UNKNOWN_OUTCOME_HOURS_MAX },
  ];
}

/** Each state has an index of its own. */
const waitingClaims: RawBuilder<ExceptionRow> = sql`
  select 'claim_held' as kind, provider_id, id::text as subject, order_id, updated_at as since,
    jsonb_build_object('reason', reason) as facts
  from claims where state = 'held'
  union all
  select 'claim_without_access', provider_id, id::text, order_id, updated_at, jsonb_build_object('reason', reason)
  from claims where state = 'access_missing'`;

/** Expenses that lack a document by our own rules; they have no claim yet. */
function waitingExpenses(refundedOrders: RawBuilder<unknown>): RawBuilder<ExceptionRow> {
  return sql`
    select 'claim_held' as kind, e.provider_id, e.id::text as subject, e.order_id, e.updated_at as since,
      jsonb_build_object('reason', 'documents_missing') as facts
    from expenses e
    where e.status = 'held' and e.order_id is not null
      and not exists (select from (${refundedOrders}) as o where o.provider_id = e.provider_id and o.id = e.order_id)
      and not exists (select from claims c where c.provider_id = e.provider_id and c.order_id = e.order_id)`;
}

function missingReceipts(refundedOrders: RawBuilder<unknown>): RawBuilder<ExceptionRow> {
  return sql`
    select 'receipt_missing' as kind, m.provider_id, m.order_id::text as subject, m.order_id, m.noticed_at as since,
      '{}'::jsonb as facts
    from missing_receipts m
    where not exists (select from expenses e where e.provider_id = m.provider_id and e.order_id = m.order_id)
      and not exists (select from (${refundedOrders}) as o where o.provider_id = m.provider_id and o.id = m.order_id)`;
}

/** The insurer is told the order's total where the receipt's could not be read. That nothing was unread PostgreSQL can estimate. */
const unreadTotals: RawBuilder<ExceptionRow> = sql`
  select 'receipt_unread' as kind, provider_id, id::text as subject, order_id, updated_at as since,
    jsonb_build_object('unread_fields', unread_fields) as facts
  from expenses where order_id is not null and unread_fields <> '{}'::jsonb and unread_fields->>'total' is not null`;

function claimsOfRefundedOrders(refundedOrders: RawBuilder<unknown>): RawBuilder<ExceptionRow> {
  return sql`
    select 'claim_of_refunded_order' as kind, c.provider_id, c.id::text as subject, c.order_id, o.updated_at as since,
      jsonb_build_object('claim_state', c.state, 'insurer_claim_id', c.insurer_claim_id) as facts
    from claims c join (${refundedOrders}) as o on o.provider_id = c.provider_id and o.id = c.order_id
    where c.state in ('filing', 'filed', 'approved')`;
}

function claimsOfPartlyRefundedOrders(partlyRefundedOrders: RawBuilder<unknown>): RawBuilder<ExceptionRow> {
  return sql`
    select 'claim_of_partly_refunded_order' as kind, c.provider_id, c.id::text as subject, c.order_id,
      o.updated_at as since,
      jsonb_build_object('claim_state', c.state, 'insurer_claim_id', c.insurer_claim_id, 'refunded', o.refunded) as facts
    from claims c join (${partlyRefundedOrders}) as o on o.provider_id = c.provider_id and o.id = c.order_id
    where c.state in ('filing', 'filed', 'approved')`;
}

const unknownFilings: RawBuilder<ExceptionRow> = sql`
  select 'outcome_unknown' as kind, provider_id, id::text as subject, order_id, updated_at as since,
    jsonb_build_object('of', 'filing') as facts
  from claims where state = 'filing'`;
