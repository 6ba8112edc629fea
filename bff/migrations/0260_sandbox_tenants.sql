-- Tenants that a holder of sandbox keys made. They end with the holder's keys.
create table sandbox_tenants (
  provider_id uuid primary key references providers (id),
  -- The tenant that was made for a proof of work, also where one of its own tenants made this one.
  holder_id uuid not null references sandbox_keys (provider_id),
  created_at timestamptz not null
);
create index sandbox_tenants_holder_id_idx on sandbox_tenants (holder_id);
