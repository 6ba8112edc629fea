-- What the daily reconciliation found (decisions, section 8). Moments are in the provider's time.

create table reconciliation_runs (
  provider_id uuid not null,
  -- In America/Santiago.
  day date not null,
  at timestamptz not null,
  differences int not null,
  -- Parties whose lists could not be had.
  unavailable jsonb not null,
  primary key (provider_id, day)
);

-- Each difference once, for as long as it is there.
create table reconciliation_differences (
  provider_id uuid not null,
  kind text not null,
  reference text not null,
  party text not null,
  order_id uuid,
  expected bigint,
  found bigint,
  -- Of the line that has no counterpart.
  at timestamptz not null,
  first_seen_at timestamptz not null,
  last_seen_at timestamptz not null,
  -- When it was looked for and not found any more.
  gone_at timestamptz,
  primary key (provider_id, kind, reference)
);
create index reconciliation_differences_open on reconciliation_differences (provider_id, first_seen_at) where gone_at is null;

-- The books of a period.
create index ledger_transfers_by_time on ledger_transfers (provider_id, at);
create index orders_by_change on orders (provider_id, updated_at);
