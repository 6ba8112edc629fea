-- What the sandbox's outside parties remember. A real party would keep it elsewhere, so that nothing here refers to our
-- own tables, and providers are plain text. No card number and no security code ever gets here.

-- Key pairs with which browsers seal cards and portal passwords. The newest is published, older ones still open.
create table sandbox_sealing_keys (
  kid text primary key,
  party text not null,
  public_key jsonb not null,
  private_key jsonb not null,
  created_at timestamptz not null
);
create index sandbox_sealing_keys_newest on sandbox_sealing_keys (party, created_at desc, kid);

-- Every call that arrived, by its idempotency key, with its answer. `answer` is null only inside the transaction that
-- works on it; `answer_from` is when a slow party has an answer at all.
create table sandbox_calls (
  provider_id text not null,
  party text not null,
  operation text not null,
  idempotency_key text not null,
  input_sha256 text not null,
  answer jsonb,
  answer_from timestamptz not null,
  called_at timestamptz not null,
  primary key (provider_id, party, operation, idempotency_key)
);

-- Misbehaviour that a tenant asked for: the next calls of a method, in the order of `position`.
create table sandbox_faults (
  provider_id text not null,
  position int not null,
  party text not null,
  method text not null,
  kind text not null check (kind in ('slow', 'fail_before', 'fail_after', 'twice', 'kill_after')),
  remaining int not null check (remaining >= 0),
  primary key (provider_id, position)
);

create table sandbox_cards (
  id text primary key,
  provider_id text not null,
  order_hash text not null,
  brand text not null,
  last4 text not null check (last4 ~ '^[0-9]{4}$'),
  exp_month int not null,
  exp_year int not null,
  holder_name text not null,
  kind text not null check (kind in ('credit', 'debit', 'prepaid')),
  behaviour text not null,
  charges_captured int not null default 0,
  charges_declined int not null default 0,
  calls_lost int not null default 0,
  registered_at timestamptz not null
);

create table sandbox_authentications (
  id text primary key,
  provider_id text not null,
  card_id text not null references sandbox_cards (id),
  order_hash text not null,
  amount bigint not null check (amount > 0),
  return_url text not null,
  state text not null check (state in ('pending', 'authenticated', 'failed', 'abandoned')),
  expires_at timestamptz not null,
  page_expires_at timestamptz not null,
  created_at timestamptz not null
);

-- The processor's own list. `returned` counts what has gone back of a charge, and can never be more than the charge.
create table sandbox_movements (
  id text primary key,
  provider_id text not null,
  kind text not null check (kind in ('charge', 'return', 'chargeback')),
  charge_id text not null references sandbox_movements (id),
  card_id text not null references sandbox_cards (id),
  idempotency_key text not null,
  order_hash text not null,
  amount bigint not null check (amount > 0),
  returned bigint not null default 0,
  at timestamptz not null,
  constraint sandbox_movements_once unique (provider_id, kind, idempotency_key),
  constraint sandbox_movements_returned check (returned between 0 and amount)
);
create index sandbox_movements_by_time on sandbox_movements (provider_id, at, id);
create index sandbox_movements_by_order on sandbox_movements (provider_id, order_hash);

create table sandbox_loans (
  id text primary key,
  provider_id text not null,
  idempotency_key text not null,
  order_hash text not null,
  amount bigint not null check (amount > 0),
  remaining bigint not null,
  behaviour text not null,
  status text not null check (status in ('open', 'confirmed', 'refused', 'cancelled')),
  requested_at timestamptz not null,
  changed_at timestamptz not null,
  constraint sandbox_loans_remaining check (remaining between 0 and amount)
);
create index sandbox_loans_by_change on sandbox_loans (provider_id, changed_at, id);
create index sandbox_loans_by_request on sandbox_loans (provider_id, requested_at, id);

-- When a portal was first entered for a person, and with which access: what is down or blocked counts from then.
create table sandbox_portals (
  provider_id text not null,
  rut text not null,
  first_called_at timestamptz not null,
  first_access_sha256 text not null,
  primary key (provider_id, rut)
);

create table sandbox_claims (
  id text primary key,
  provider_id text not null,
  order_hash text,
  insurer text not null,
  total bigint,
  behaviour jsonb not null,
  documents int not null,
  access_sha256 text not null,
  filed_at timestamptz not null,
  access_renewed_at timestamptz,
  blocked_from timestamptz,
  blocked_until timestamptz,
  verdict text check (verdict in ('approved', 'rejected')),
  verdict_at timestamptz,
  verdict_reimbursed bigint,
  verdict_reason text,
  constraint sandbox_claims_one_per_order unique (provider_id, order_hash)
);

-- The patients' mailbox.
create table sandbox_notices (
  id text primary key,
  provider_id text not null,
  message_id text not null,
  to_address text not null,
  subject text not null,
  text_body text not null,
  html_body text not null,
  sent_at timestamptz not null,
  constraint sandbox_notices_once unique (provider_id, message_id)
);
create index sandbox_notices_by_time on sandbox_notices (provider_id, sent_at, id);

-- Where a tenant's clock is being moved to: written down first, so that a move that died half-way is finished.
create table sandbox_clock_moves (
  provider_id text primary key,
  remaining_ms bigint not null check (remaining_ms >= 0),
  moved_ms bigint not null default 0,
  updated_at timestamptz not null
);
