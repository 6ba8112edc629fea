-- Concurrently: a clinic lists its orders, newest first. The version before runs beside it.
create index concurrently if not exists orders_by_creation on orders (provider_id, created_at, id);
