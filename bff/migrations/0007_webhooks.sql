-- Where partners receive events, what was sent to them, and how each attempt went (interface, section 6.1).

create table webhook_endpoints (
  id uuid primary key,
  provider_id uuid not null references providers (id),
  url text not null,
  -- Kinds of event that it asks for.
  kinds text[] not null,
  -- Whom to tell when it fails for days; null: the provider's own address.
  notify_email text,
  -- While paused, deliveries wait.
  paused_at timestamptz,
  -- The first failure since the last success; null while it works.
  first_failed_at timestamptz,
  -- Since when it counts as failing and its owner has been told. It is never switched off.
  failing_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted_at timestamptz,
  constraint webhook_endpoints_kinds check (cardinality(kinds) > 0),
  constraint webhook_endpoints_failing check (failing_at is null or first_failed_at is not null)
);
create index webhook_endpoints_provider on webhook_endpoints (provider_id) where deleted_at is null;

-- A secret of one endpoint. Null: the provider's own, which signs for every endpoint that has none.
alter table credentials add column webhook_endpoint_id uuid references webhook_endpoints (id);
alter table credentials add constraint credentials_endpoint_secret
  check (webhook_endpoint_id is null or kind = 'webhook_secret');
create index credentials_webhook_endpoint on credentials (webhook_endpoint_id) where webhook_endpoint_id is not null;

-- One event for one endpoint.
create table webhook_deliveries (
  id uuid primary key,
  provider_id uuid not null,
  endpoint_id uuid not null references webhook_endpoints (id),
  -- The event in the log; null for a test event.
  event_id uuid,
  -- What the receiver knows it by, for ever.
  webhook_id uuid not null,
  kind text not null,
  order_id uuid,
  sequence int,
  -- queued: wants an attempt now. scheduled: a timer waits for the next one.
  status text not null,
  queued_at timestamptz not null,
  -- Set while an attempt runs, and what tells a later worker that one was begun and never ended.
  lease_id uuid,
  lease_until timestamptz,
  leased_at timestamptz,
  attempts int not null,
  -- Of the present round: what the schedule counts. A replay begins a new round.
  failures int not null,
  round int not null,
  attempted boolean not null,
  created_at timestamptz not null,
  ended_at timestamptz,
  constraint webhook_deliveries_once unique (endpoint_id, webhook_id),
  constraint webhook_deliveries_status check (status in ('queued', 'scheduled', 'delivered', 'exhausted', 'dropped')),
  constraint webhook_deliveries_lease_whole check (
    (lease_id is null) = (lease_until is null) and (lease_id is null) = (leased_at is null)
  ),
  constraint webhook_deliveries_failures check (failures between 0 and 6),
  constraint webhook_deliveries_ended check ((ended_at is not null) = (status in ('delivered', 'exhausted', 'dropped')))
);
create index webhook_deliveries_queue on webhook_deliveries (endpoint_id, queued_at, id) where status = 'queued';
-- What a later event of the same order waits for.
create index webhook_deliveries_first_attempts on webhook_deliveries (endpoint_id, order_id, sequence)
  where status = 'queued' and not attempted;
create index webhook_deliveries_list on webhook_deliveries (endpoint_id, created_at, id);
create index webhook_deliveries_event on webhook_deliveries (event_id);

create table webhook_attempts (
  delivery_id uuid not null references webhook_deliveries (id),
  number int not null,
  round int not null,
  started_at timestamptz not null,
  -- Null: the worker died on the way, and whether the receiver got it is unknown.
  ended_at timestamptz,
  outcome text not null,
  failure text,
  status int,
  -- The first bytes of the receiver's answer.
  answer text,
  primary key (delivery_id, number),
  constraint webhook_attempts_outcome check (
    (outcome = 'succeeded' and status between 200 and 299 and failure is null and ended_at is not null)
    or (outcome = 'failed' and failure is not null and ended_at is not null)
    or (outcome = 'interrupted' and ended_at is null and status is null and failure is null)
  ),
  constraint webhook_attempts_answer check (octet_length(answer) <= 16384)
);
