-- Concurrently: a provider registers a URL once. The version before writes no `url_hash`, so that it never meets this.
create unique index concurrently if not exists webhook_endpoints_url on webhook_endpoints (provider_id, url_hash)
  where deleted_at is null;
