-- The last key that each outside party was heard to seal with, so that a checkout goes on while the party is away, also in a
-- process that was started since. Public keys.
create table sealing_keys (
  party text primary key,
  key jsonb not null,
  heard_at timestamptz not null
);
