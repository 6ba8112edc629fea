-- Concurrently: the operators' list of exceptions is read every minute by each process, and read whole tables for what few of
-- their rows have. Each of these holds nothing but those rows. The version before runs beside them, and is quicker for them.
create index concurrently if not exists orders_given_back on orders (state, provider_id, id)
  where state in ('refunded', 'partially_refunded');
create index concurrently if not exists payment_attempts_for_people on payment_attempts (provider_id, order_id)
  where attention is not null;
create index concurrently if not exists order_refunds_for_people on order_refunds (provider_id, order_id)
  where status in ('processing', 'failed');
create index concurrently if not exists refund_movements_owed on refund_movements (provider_id, order_id)
  where kind = 'bank_transfer' and status = 'done' and transferred_at is null;
create index concurrently if not exists saved_cards_under_way on saved_cards (provider_id, order_id)
  where state in ('saving', 'removing');
create index concurrently if not exists expenses_held on expenses (provider_id, order_id)
  where status = 'held' and order_id is not null;
create index concurrently if not exists expenses_unread on expenses (provider_id, updated_at)
  where order_id is not null and unread_fields <> '{}'::jsonb;
create index concurrently if not exists payouts_refused on payouts (provider_id, payee_id, day)
  where state = 'refused';
create index concurrently if not exists reconciliation_runs_without_lists on reconciliation_runs (provider_id, day)
  where unavailable <> '[]'::jsonb;
-- Those that were given up for good wait for nobody, and become many. The version before reads by collections_for_people, which stays.
create index concurrently if not exists collections_open_for_people on collections (provider_id, updated_at)
  where state in ('failed', 'stopped') and failure <> 'written_off';
