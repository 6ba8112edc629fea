-- Transbank Oneclick Mall: enrolments, the cards made of them, charges, refunds, and imported files.

create table oneclick_users (
  id uuid primary key,
  username text not null unique,
  -- With it the mall can charge the card.
  tbk_user text not null,
  brand text not null,
  kind text not null,
  last4 text not null,
  authorisation_code text,
  enrolled_at timestamptz not null,
  -- When no order and no customer used it any more; Transbank is then asked to delete it.
  released_at timestamptz,
  constraint oneclick_users_last4 check (last4 ~ '^[0-9]{4}$')
);

create table enrolments (
  id uuid primary key,
  provider_id text not null,
  order_hash text not null,
  return_url text not null,
  -- The provider's time, and real time.
  expires_at timestamptz not null,
  closes_at timestamptz not null,
  state text not null,
  username text,
  -- Transbank's token of the last try, until its outcome is known.
  token text,
  returned_at timestamptz,
  finish_lease_until timestamptz,
  finish_tries integer not null default 0,
  card_id uuid,
  user_id uuid references oneclick_users,
  constraint enrolments_state
    check (state in ('open', 'started', 'finishing', 'enrolled', 'registered', 'declined', 'abandoned', 'lost'))
);

create index enrolments_lost on enrolments (closes_at) where state = 'lost';

-- A card of one order. Several may share one enrolment.
create table cards (
  id uuid primary key,
  provider_id text not null,
  order_hash text not null,
  user_id uuid not null references oneclick_users,
  registered_at timestamptz not null,
  removed_at timestamptz
);

create index cards_by_user on cards (user_id) where removed_at is null;

-- A card that a patient keeps for later orders.
create table kept_cards (
  id uuid primary key,
  customer text not null,
  user_id uuid not null references oneclick_users,
  kept_at timestamptz not null,
  forgotten_at timestamptz
);

create index kept_cards_by_user on kept_cards (user_id) where forgotten_at is null;
create index kept_cards_by_customer on kept_cards (customer) where forgotten_at is null;

create table charges (
  -- The mall's buy order.
  id text primary key,
  provider_id text not null,
  idempotency_key text not null,
  order_hash text not null,
  amount bigint not null,
  shop_code text not null,
  shop_buy_order text not null unique,
  authorisation_code text,
  -- VD debit, VP prepaid, VN credit without instalments, others with instalments; null if an operator settled it.
  payment_type text,
  -- The provider's time and real time.
  at timestamptz not null,
  charged_at timestamptz not null,
  constraint charges_amount check (amount > 0)
);

create index charges_by_provider on charges (provider_id, at, id);

create table returns (
  id text primary key,
  charge_id text not null references charges,
  provider_id text not null,
  idempotency_key text not null,
  amount bigint not null,
  authorisation_code text,
  at timestamptz not null,
  constraint returns_amount check (amount > 0)
);

create index returns_by_charge on returns (charge_id);
create index returns_by_provider on returns (provider_id, at, id);

-- Imported from what Transbank's portal shows.
create table chargebacks (
  id text primary key,
  charge_id text not null references charges,
  provider_id text not null,
  amount bigint not null,
  at timestamptz not null,
  constraint chargebacks_amount check (amount > 0)
);

create index chargebacks_by_provider on chargebacks (provider_id, at, id);

-- One deposit's lines of one provider.
create table settlements (
  deposit_id text not null,
  provider_id text not null,
  at timestamptz not null,
  amount bigint not null,
  lines jsonb not null,
  primary key (deposit_id, provider_id)
);

create index settlements_by_provider on settlements (provider_id, at, deposit_id);
