-- Lets a provider register a URL once. `url_hash` is the hash of the URL's normal form. It is null for endpoints of before, some of
-- which have one URL twice, and for those that the version before registers: the next file's unique index holds only the others.
alter table webhook_endpoints add column url_hash text;
alter table webhook_endpoints
  add constraint webhook_endpoints_url_hash check (url_hash ~ '^[0-9a-f]{64}$') not valid;
