-- Concurrently: the operators' list of exceptions is read every minute by each process, and would read every movement for the few
-- that the card processor has taken and not ended. The version before is no slower beside it.
create index concurrently if not exists refund_movements_taken on refund_movements (provider_id, order_id)
  where status = 'pending' and return_taken_at is not null;
