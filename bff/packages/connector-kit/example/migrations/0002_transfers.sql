create table transfers (
  id text primary key,
  provider_id text not null,
  idempotency_key text not null,
  reference text not null,
  amount bigint not null,
  account_ending text not null,
  at timestamptz not null
);
