-- Transfers that an operator makes in the bank's portal, from a file.

create table files (
  number integer generated always as identity primary key,
  written_by text not null,
  written_at timestamptz not null
);

create table transfers (
  -- The transferId of the protocol.
  id text primary key,
  provider_id text not null,
  idempotency_key text not null,
  reference text not null,
  amount bigint not null,
  account_ending text not null,
  -- The account, as JSON; deleted once the transfer was paid or refused.
  account jsonb,
  bank_code text not null,
  -- The provider's time and real time.
  at timestamptz not null,
  begun_at timestamptz not null,
  -- Each transfer is in one file, for ever.
  file integer references files,
  state text not null default 'open',
  reason text,
  paid_at timestamptz,
  returned_at timestamptz,
  decided_by text,
  constraint transfers_amount check (amount > 0),
  constraint transfers_state check (state in ('open', 'paid', 'refused', 'returned')),
  constraint transfers_reason check ((state in ('refused', 'returned')) = (reason is not null)),
  constraint transfers_paid check ((state in ('paid', 'returned')) = (paid_at is not null)),
  constraint transfers_returned check ((state = 'returned') = (returned_at is not null)),
  -- A transfer that is in no file can only be open or refused.
  constraint transfers_file check (file is not null or state in ('open', 'refused')),
  constraint transfers_decided check ((state = 'open') = (decided_by is null))
);

create index transfers_by_provider on transfers (provider_id, at, id);
create index transfers_without_file on transfers (begun_at, id) where file is null and state = 'open';
create index transfers_by_file on transfers (file, begun_at, id);
