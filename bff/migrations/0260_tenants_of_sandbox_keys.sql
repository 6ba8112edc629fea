-- Tenants that a holder of sandbox keys makes end with the holder's keys.
alter table sandbox_keys
  -- Null: the tenant was made for a proof of work itself.
  add column holder_id uuid references sandbox_keys (provider_id),
  alter column challenge drop not null,
  add constraint sandbox_keys_challenge_or_holder check ((challenge is null) <> (holder_id is null)) not valid;
alter table sandbox_keys validate constraint sandbox_keys_challenge_or_holder;
create index sandbox_keys_holder_id_idx on sandbox_keys (holder_id);
