-- A transfer that the service asked for, and its parts: Fintoc moves a limited amount at once.

create table transfers (
  -- The transferId of the protocol.
  id text primary key,
  provider_id text not null,
  idempotency_key text not null,
  reference text not null,
  amount bigint not null,
  account_ending text not null,
  -- The account at Fintoc; deleted once every part was paid or refused.
  counterparty jsonb,
  -- The provider's time and real time.
  at timestamptz not null,
  begun_at timestamptz not null,
  constraint transfers_amount check (amount > 0)
);

create index transfers_by_provider on transfers (provider_id, at, id);
create index transfers_by_begun_at on transfers (begun_at);

create table parts (
  transfer_id text not null references transfers,
  part integer not null,
  amount bigint not null,
  -- Another try of a failed part has another name at Fintoc.
  attempt integer not null default 0,
  state text not null default 'planned',
  fintoc_id text unique,
  -- Why it failed or came back, in the protocol's words.
  reason text,
  changed_at timestamptz not null,
  paid_at timestamptz,
  -- The operator who paid it in another way, and how.
  settled_by text,
  settled_because text,
  primary key (transfer_id, part),
  constraint parts_amount check (amount between 1 and 7000000),
  constraint parts_state check (state in ('planned', 'pending', 'paid', 'failed', 'returned')),
  constraint parts_reason check ((state in ('failed', 'returned')) = (reason is not null)),
  constraint parts_paid check ((state in ('paid', 'returned')) = (paid_at is not null)),
  constraint parts_settled check ((settled_by is null) = (settled_because is null))
);

create index parts_open on parts (changed_at) where state in ('planned', 'pending', 'failed');
create index parts_by_paid_at on parts (paid_at) where state = 'paid';
