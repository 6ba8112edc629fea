-- Partners and what they prove themselves with (interface, sections 1.6 and 5).

create table providers (
  id uuid primary key,
  environment text not null,
  name text not null,
  rut text not null,
  active boolean not null,
  scopes text[] not null,
  logo_url text,
  appearance jsonb not null,
  support_email text not null,
  support_phone text,
  -- Of the deferred part, VAT included. There is no default: each provider has agreed to one.
  commission_basis_points int not null,
  capture_first boolean not null,
  -- Null: unpaid orders stay.
  unpaid_order_expiry_minutes int,
  -- How far this provider's clock is ahead of real time; only the sandbox moves it.
  clock_offset_ms bigint not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint providers_environment check (environment in ('staging', 'production')),
  constraint providers_commission check (commission_basis_points between 0 and 10000),
  constraint providers_unpaid_order_expiry check (unpaid_order_expiry_minutes > 0),
  constraint providers_clock check (clock_offset_ms >= 0 and (environment = 'staging' or clock_offset_ms = 0))
);
create index providers_environment_rut on providers (environment, rut);

-- Pages that may frame the widget and call the public endpoints.
create table provider_origins (
  provider_id uuid not null references providers (id),
  origin text not null,
  -- Keeps the order in which they were given.
  position int not null,
  primary key (provider_id, origin)
);
create index provider_origins_origin on provider_origins (origin);

-- Several of a kind may live at once, so that rotation overlaps.
create table credentials (
  id uuid primary key,
  provider_id uuid not null references providers (id),
  kind text not null,
  -- client_id and public_key are public: the value itself. client_secret and secret_key: a keyed hash of it.
  lookup text,
  -- webhook_secret signs, so that it must be had again: sealed.
  sealed text,
  -- The value's last characters, so that people can tell secrets apart.
  hint text not null,
  created_at timestamptz not null,
  -- Null: lives until it is rotated.
  ends_at timestamptz,
  constraint credentials_kind check (kind in ('client_secret', 'client_id', 'public_key', 'webhook_secret', 'secret_key')),
  constraint credentials_lookup_or_sealed check (
    (kind = 'webhook_secret' and sealed is not null and lookup is null)
    or (kind <> 'webhook_secret' and lookup is not null and sealed is null)
  )
);
create unique index credentials_kind_lookup_key on credentials (kind, lookup);
create index credentials_provider on credentials (provider_id, kind);
