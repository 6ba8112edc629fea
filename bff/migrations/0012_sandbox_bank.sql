-- What the sandbox's bank remembers. A real bank would keep it elsewhere, so that nothing here refers to our own tables.
create table sandbox_bank_transfers (
  id text primary key,
  provider_id text not null,
  idempotency_key text not null,
  reference text not null,
  amount bigint not null check (amount > 0),
  account_ending text not null check (account_ending ~ '^[0-9]{4}$'),
  at timestamptz not null,
  constraint sandbox_bank_transfers_once unique (provider_id, idempotency_key)
);
create index sandbox_bank_transfers_by_time on sandbox_bank_transfers (provider_id, at, id);
