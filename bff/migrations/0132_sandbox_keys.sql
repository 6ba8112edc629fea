-- Tenants of the sandbox whose keys were given to somebody without an account, for a proof of work.
create table sandbox_keys (
  provider_id uuid primary key references providers (id),
  -- Each challenge is good for one tenant.
  challenge text not null,
  -- Until then the keys live, unless an operator claims them.
  ends_at timestamptz not null,
  claimed_at timestamptz,
  created_at timestamptz not null,
  constraint sandbox_keys_challenge_key unique (challenge)
);
