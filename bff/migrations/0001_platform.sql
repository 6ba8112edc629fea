-- What every feature stands on: the event log, the timers, idempotency, rate limits and the audit trail.
-- No statement here or elsewhere uses now(), random() or gen_random_uuid(): time and ids come in as parameters, so that
-- a moved or simulated clock is the only clock.

-- Everything that happened, in the transaction in which it happened.
create table events (
  id uuid primary key,
  provider_id uuid not null,
  order_id uuid,
  kind text not null,
  -- Counts per order; null where the event has no order.
  sequence int,
  payload jsonb not null,
  created_at timestamptz not null,
  -- The place in the provider's log, given when the log is next read: a number taken at the insert would let a reader
  -- pass over an event whose transaction commits late.
  position bigint,
  constraint events_sequence_positive check (sequence > 0)
);
create unique index events_order_sequence_key on events (order_id, sequence) where order_id is not null and sequence is not null;
create unique index events_provider_position_key on events (provider_id, position) where position is not null;
create index events_provider_unplaced on events (provider_id, created_at) where position is null;

-- What must still be done, and when. A timer that was done stays a while, so that its key cannot be scheduled again.
create table timers (
  kind text not null,
  key text not null,
  provider_id uuid not null,
  -- Real time, whatever the provider's own clock says.
  due_at timestamptz not null,
  lease_id uuid,
  lease_until timestamptz,
  -- How often it was begun.
  attempts int not null default 0,
  payload jsonb not null,
  done_at timestamptz,
  primary key (kind, key),
  constraint timers_lease_whole check ((lease_id is null) = (lease_until is null)),
  constraint timers_attempts_not_negative check (attempts >= 0)
);
-- Workers ask for each kind separately, earliest first, so that they read what is due and nothing of what is to come.
create index timers_due on timers (kind, due_at) where done_at is null;
-- The sandbox's clock moves one provider's timers.
create index timers_provider_open on timers (provider_id, due_at) where done_at is null;
-- Old timers are removed by age.
create index timers_done on timers (done_at) where done_at is not null;

-- Answers that are given again to the same Idempotency-Key.
create table idempotency_keys (
  provider_id uuid not null,
  method text not null,
  path text not null,
  key text not null,
  body_hash text not null,
  -- While the first request runs: who runs it, and until when that is believed.
  lease_id uuid,
  lease_until timestamptz,
  -- Afterwards: the answer. The body is sealed, because it may hold personal data.
  status int,
  body_sealed text,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  primary key (provider_id, method, path, key),
  constraint idempotency_keys_running_or_answered check (
    (lease_id is not null and lease_until is not null and status is null and body_sealed is null)
    or (lease_id is null and lease_until is null and status is not null and body_sealed is not null)
  )
);
create index idempotency_keys_expiry on idempotency_keys (expires_at);

-- Counters of requests, one row for each limit and key, shared by all processes.
create table rate_limits (
  key text primary key,
  window_ends_at timestamptz not null,
  points int not null
);
create index rate_limits_expiry on rate_limits (window_ends_at);

-- Who changed what: one row for every change by a person or a credential.
create table audit_log (
  id uuid primary key,
  provider_id uuid,
  -- A person's name in the operator's command line, or the kind of credential.
  actor text not null,
  credential_id uuid,
  act text not null,
  subject_kind text not null,
  subject_id text not null,
  details jsonb not null,
  at timestamptz not null
);
create index audit_log_provider_at on audit_log (provider_id, at);
create index audit_log_subject on audit_log (subject_kind, subject_id, at);
