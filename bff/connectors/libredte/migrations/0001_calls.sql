-- Every call of the service, with its answer, for ever. A connector's first migration is a copy of this file.

create table connector_calls (
  operation text not null,
  provider_id text not null,
  idempotency_key text not null,
  input_sha256 text not null,
  -- The provider's time, as the service sent it.
  called_at timestamptz not null,
  -- Real time, at the commit before anything was sent to the party.
  begun_at timestamptz not null,
  -- The request to the party, so that another process can find out its outcome.
  plan jsonb,
  answer jsonb,
  answered_at timestamptz,
  -- The operator who settled an unknown outcome, and what the party's portal showed.
  settled_by text,
  settled_because text,
  primary key (operation, provider_id, idempotency_key),
  constraint connector_calls_answered check ((answer is null) = (answered_at is null)),
  constraint connector_calls_settled check ((settled_by is null) = (settled_because is null))
);

create index connector_calls_unanswered on connector_calls (begun_at) where answer is null;

-- Inquiries that were answered with `not_found`: an earlier call of the same name has no effect if it arrives later.
create table connector_missed_calls (
  operation text not null,
  provider_id text not null,
  idempotency_key text not null,
  inquired_at timestamptz not null,
  primary key (operation, provider_id, idempotency_key)
);
