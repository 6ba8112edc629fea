-- Concurrently: operators see how many claims were filed today, and when the last one was. The version before ignores it.
create index concurrently if not exists claims_by_filing on claims (provider_id, filed_at) where filed_at is not null;
