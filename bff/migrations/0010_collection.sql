-- The collection of the deferred part (interface, sections 1.2 and 8; decisions, section 8). Moments are in the provider's
-- time. Whoever needs both locks the order first and then its collection.

-- One for each order that was paid, by its key.
create table collections (
  provider_id uuid not null,
  order_id uuid not null,
  state text not null,
  paid_at timestamptz not null,
  -- When the next charge is due: without a trigger yet, 09:00 of day 45. Null when none is.
  due_at timestamptz,
  -- Another card than the one that paid, if the patient has given one.
  card jsonb,
  -- Tries before this moment do not count for the present series; null: there was no earlier one.
  series_from timestamptz,
  failure text,
  updated_at timestamptz not null,
  primary key (provider_id, order_id),
  foreign key (provider_id, order_id) references orders (provider_id, id),
  constraint collections_state check (state in ('scheduled', 'processing', 'collected', 'failed', 'stopped', 'cancelled')),
  constraint collections_due_when_scheduled check ((due_at is not null) = (state = 'scheduled')),
  constraint collections_failure check ((failure is not null) = (state in ('failed', 'stopped')))
);
create index collections_for_people on collections (provider_id, updated_at) where state in ('failed', 'stopped');
-- The daily look for collections that nothing wakes.
create index collections_scheduled on collections (provider_id, due_at) where state = 'scheduled';
create index collections_processing on collections (provider_id, updated_at) where state = 'processing';

-- What made a deferred part due, with what shows it. The first trigger wins, for ever: a second has no key to be under.
create table collection_triggers (
  provider_id uuid not null,
  order_id uuid not null,
  reason text not null,
  evidence jsonb not null,
  at timestamptz not null,
  primary key (provider_id, order_id),
  foreign key (provider_id, order_id) references collections (provider_id, order_id),
  constraint collection_triggers_reason check (reason in ('approved', 'access_blocked', 'day_45', 'paid_early'))
);

-- Every time that the deferred part was charged, written before the processor is called. `id` is the id of the attempt's
-- order_payments row and makes the call's idempotency key.
create table collection_attempts (
  provider_id uuid not null,
  order_id uuid not null,
  id uuid not null,
  -- `merchant`: by the mandate, when it was due; `patient`: because the patient asked for it.
  initiator text not null,
  state text not null,
  card_id text not null,
  decline_reason text,
  -- The card will never work again.
  hard boolean not null default false,
  -- Inquiries about the call, whose answer was lost.
  inquiries int not null default 0,
  started_at timestamptz not null,
  settled_at timestamptz,
  primary key (provider_id, order_id, id),
  foreign key (provider_id, order_id) references collections (provider_id, order_id),
  foreign key (provider_id, order_id, id) references order_payments (provider_id, order_id, id),
  constraint collection_attempts_initiator check (initiator in ('merchant', 'patient')),
  constraint collection_attempts_state check (state in ('charging', 'captured', 'declined')),
  constraint collection_attempts_declined check ((decline_reason is not null) = (state = 'declined')),
  constraint collection_attempts_hard check (not hard or state = 'declined'),
  constraint collection_attempts_settled check ((settled_at is not null) = (state <> 'charging'))
);
create unique index collection_attempts_one_open on collection_attempts (provider_id, order_id) where state = 'charging';
create unique index collection_attempts_captured_once on collection_attempts (provider_id, order_id) where state = 'captured';

-- Charges that patients' banks have taken back, as the processor tells it. `id` is the processor's.
create table chargebacks (
  provider_id uuid not null,
  id text not null,
  order_id uuid not null,
  charge_id text not null,
  amount bigint not null,
  at timestamptz not null,
  noted_at timestamptz not null,
  -- When a person let the collection go on.
  released_at timestamptz,
  primary key (provider_id, id),
  foreign key (provider_id, order_id) references orders (provider_id, id),
  constraint chargebacks_amount check (amount > 0)
);
create index chargebacks_open on chargebacks (provider_id, order_id) where released_at is null;
