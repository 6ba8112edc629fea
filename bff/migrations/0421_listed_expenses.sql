-- Concurrently: a provider lists its expenses, newest first. The version before ignores it.
create index concurrently if not exists expenses_listed on expenses (provider_id, created_at, id);
