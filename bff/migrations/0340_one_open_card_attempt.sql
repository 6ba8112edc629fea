-- Concurrently: an order has one open card attempt for each purpose. The version before has an index of its own for it.
create unique index concurrently if not exists card_attempts_one_open
  on card_registrations (provider_id, order_id, purpose) where ended_at is null;
