-- Who may use the operators' command line. A token is shown once, when the operator is added.
create table operators (
  id uuid primary key,
  name text not null,
  token_hash text not null,
  added_at timestamptz not null,
  ended_at timestamptz,
  constraint operators_name_key unique (name),
  constraint operators_token_hash_key unique (token_hash)
);

-- The first of two operators who are needed for a resolution. The second one must see the exception as the first did.
create table resolution_approvals (
  provider_id uuid not null,
  kind text not null,
  subject text not null,
  version text not null,
  resolution text not null,
  actor text not null,
  approved_at timestamptz not null,
  primary key (provider_id, kind, subject)
);

-- The audit trail is a chain: each row's hash holds the one before it, so that a row that was changed or removed shows. Rows join
-- the chain shortly after they were written, in the background, so that no request waits for another's.
alter table audit_log add column chain_number bigint, add column chain_hash text;
alter table audit_log add constraint audit_log_chain_number_key unique (chain_number);
create index audit_log_not_chained on audit_log (at, id) where chain_number is null;
