-- Orders and what hangs on them (interface, sections 2 to 4). `provider_id` leads every key, so that orders can be
-- distributed by provider. Amounts are pesos. `orders.provider_id` has no foreign key: it is the authenticated caller's
-- own, and the check would lock the provider's row once for every order.

create table orders (
  provider_id uuid not null,
  -- The order's hash, also called order_token.
  id uuid not null,
  environment text not null,
  reference text not null,
  state text not null,
  total bigint not null,
  first_part bigint not null,
  deferred_part bigint not null,
  -- As agreed when the order was made, VAT included.
  commission_basis_points int not null,
  center_id uuid,
  center_rut text,
  customer_rut text not null,
  customer_first_name text not null,
  customer_last_name text not null,
  customer_email text not null,
  customer_phone text not null,
  identity_validated_at timestamptz,
  -- What the card processor lets us keep of the card; never a number.
  card jsonb,
  loan_id text,
  paid_at timestamptz,
  -- What refunds have claimed, and what of it has been given back.
  refund_accepted bigint not null default 0,
  refunded bigint not null default 0,
  -- What of the deferred part can no longer be collected, and what has been or is being collected.
  deferred_cancelled bigint not null default 0,
  deferred_collected bigint not null default 0,
  -- When its collection was given up, for people to handle.
  deferred_failed_at timestamptz,
  -- The last event's number.
  event_sequence int not null default 0,
  created_by uuid not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (provider_id, id),
  constraint orders_reference_key unique (provider_id, environment, reference),
  constraint orders_environment check (environment in ('staging', 'production')),
  constraint orders_state check (state in ('awaiting_payment', 'paying', 'payment_failed', 'first_captured', 'paid',
    'partially_refunded', 'refunded', 'cancelled', 'expired', 'credit_refused')),
  constraint orders_total check (total between 0 and 999999999),
  constraint orders_parts_sum_to_total check (first_part >= 0 and deferred_part >= 0 and first_part + deferred_part = total),
  constraint orders_commission check (commission_basis_points between 0 and 10000),
  constraint orders_paid_at check ((paid_at is not null) = (state in ('paid', 'partially_refunded', 'refunded'))),
  constraint orders_refunded_within_total check (0 <= refunded and refunded <= refund_accepted and refund_accepted <= total),
  constraint orders_refunds_after_payment check (refund_accepted = 0 or paid_at is not null),
  constraint orders_refund_states check (
    case state when 'refunded' then refunded = total
      when 'partially_refunded' then refunded > 0 and refunded < total
      else refunded = 0 end),
  constraint orders_deferred_within_part check (
    deferred_cancelled >= 0 and deferred_collected >= 0 and deferred_cancelled + deferred_collected <= deferred_part)
);

-- One row for each time that a card was asked for money: the first instalment, and later the deferred part.
create table order_payments (
  provider_id uuid not null,
  order_id uuid not null,
  id uuid not null,
  -- Counts per order: moments may be equal.
  number int not null,
  kind text not null,
  status text not null,
  amount bigint not null,
  -- What of the amount is commission; the rest is price.
  commission bigint not null default 0,
  -- What refunds have claimed of it, what of that is commission, and what has gone back to the card.
  return_accepted bigint not null default 0,
  commission_return_accepted bigint not null default 0,
  returned bigint not null default 0,
  card jsonb not null,
  charge_id text,
  decline_reason text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (provider_id, order_id, id),
  foreign key (provider_id, order_id) references orders (provider_id, id),
  constraint order_payments_number unique (provider_id, order_id, number),
  constraint order_payments_kind check (kind in ('first', 'deferred')),
  constraint order_payments_status check (status in ('processing', 'captured', 'declined', 'failed', 'undone')),
  constraint order_payments_amount check (amount > 0 and commission between 0 and amount),
  constraint order_payments_returned_within_captured check (
    0 <= returned and returned <= return_accepted and return_accepted <= amount
    and commission_return_accepted between 0 and least(commission, return_accepted)),
  constraint order_payments_returns_need_a_charge check (return_accepted = 0 or charge_id is not null),
  constraint order_payments_captured check (status not in ('captured', 'undone') or charge_id is not null)
);
-- Of two payments at once one is made, and each part is captured once.
create unique index order_payments_one_at_a_time on order_payments (provider_id, order_id) where status = 'processing';
create unique index order_payments_captured_once on order_payments (provider_id, order_id, kind) where status = 'captured';

-- The way of one first payment through the outside parties. The state is written before the call that it names is made,
-- and the call's idempotency key is made from `id`, which is also the id of the attempt's order_payments row.
create table payment_attempts (
  provider_id uuid not null,
  order_id uuid not null,
  id uuid not null,
  state text not null,
  capture_first boolean not null,
  loan_id text,
  authentication_id text,
  challenge_url text,
  challenge_expires_at timestamptz,
  charge_id text,
  -- How the attempt ends: set with the last state, or before what must be undone first.
  ending jsonb,
  -- The offer as the patient accepted it.
  quote jsonb not null,
  -- Of the request's Idempotency-Key.
  key_hash text,
  -- Why a person must look at it: money that could not be given back.
  attention text,
  -- Inquiries since the last progress.
  inquiries int not null default 0,
  -- Who works on it, and until when (real time) that is believed.
  lease_id uuid,
  lease_until timestamptz,
  started_at timestamptz not null,
  updated_at timestamptz not null,
  ended_at timestamptz,
  primary key (provider_id, order_id, id),
  foreign key (provider_id, order_id, id) references order_payments (provider_id, order_id, id),
  constraint payment_attempts_state check (state in ('authorising_loan', 'loan_under_review', 'authenticating', 'challenged',
    'capturing', 'confirming_loan', 'cancelling_loan', 'returning_charge', 'succeeded', 'declined', 'failed')),
  constraint payment_attempts_ended check ((ended_at is not null) = (state in ('succeeded', 'declined', 'failed'))),
  constraint payment_attempts_ending check (state not in ('cancelling_loan', 'returning_charge', 'declined', 'failed') or ending is not null),
  constraint payment_attempts_lease_whole check ((lease_id is null) = (lease_until is null))
);
create unique index payment_attempts_one_open on payment_attempts (provider_id, order_id) where ended_at is null;
create unique index payment_attempts_key on payment_attempts (provider_id, order_id, key_hash) where key_hash is not null;

create table order_refunds (
  provider_id uuid not null,
  order_id uuid not null,
  id uuid not null,
  number int not null,
  amount bigint not null,
  -- Was the amount left out, so that it is all that was left?
  whole_rest boolean not null,
  status text not null,
  -- False while a charge of the order is unresolved, so that it is not known yet where the money comes from.
  allocated boolean not null,
  reason text,
  refund_reference text,
  -- Of the request's Idempotency-Key: a repeat whose first answer was never kept must not refund twice.
  key_hash text,
  inquiries int not null default 0,
  lease_id uuid,
  lease_until timestamptz,
  created_by uuid not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (provider_id, order_id, id),
  foreign key (provider_id, order_id) references orders (provider_id, id),
  constraint order_refunds_number unique (provider_id, order_id, number),
  constraint order_refunds_amount check (amount > 0),
  constraint order_refunds_status check (status in ('processing', 'succeeded', 'failed')),
  constraint order_refunds_lease_whole check ((lease_id is null) = (lease_until is null))
);
create unique index order_refunds_reference on order_refunds (provider_id, order_id, refund_reference) where refund_reference is not null;
create unique index order_refunds_key on order_refunds (provider_id, order_id, key_hash) where key_hash is not null;

-- Where a refund's money comes from: less of the loan, or money back to a card. `id` makes the call's idempotency key.
create table refund_movements (
  provider_id uuid not null,
  order_id uuid not null,
  refund_id uuid not null,
  id uuid not null,
  position int not null,
  kind text not null,
  payment_id uuid,
  -- What of the refund it is, and what commission goes back with it.
  amount bigint not null,
  commission bigint not null,
  status text not null,
  return_id text,
  updated_at timestamptz not null,
  primary key (provider_id, order_id, refund_id, id),
  foreign key (provider_id, order_id, refund_id) references order_refunds (provider_id, order_id, id),
  foreign key (provider_id, order_id, payment_id) references order_payments (provider_id, order_id, id),
  constraint refund_movements_kind check (kind in ('loan_reduction', 'card_return') and (kind = 'card_return') = (payment_id is not null)),
  constraint refund_movements_amount check (amount >= 0 and commission >= 0 and amount + commission > 0),
  constraint refund_movements_status check (status in ('pending', 'done', 'refused', 'dropped'))
);

-- Each question to the national registry, with the answer. The serial itself is never kept.
create table identity_checks (
  id uuid primary key,
  provider_id uuid not null,
  order_id uuid not null,
  -- Keyed hashes. The RUT's says whose tries these are, across the person's orders.
  rut_hash text not null,
  serial_hash text not null,
  document_type text not null,
  -- 'asked' until the answer is there.
  outcome text not null,
  asked_at timestamptz not null,
  foreign key (provider_id, order_id) references orders (provider_id, id),
  constraint identity_checks_outcome check (outcome in ('asked', 'match', 'no_match', 'document_not_valid', 'unavailable'))
);
create index identity_checks_by_person on identity_checks (rut_hash, asked_at);

-- Every text that was ever accepted, exactly as it was shown.
create table consent_texts (
  sha256 text primary key,
  purpose text not null,
  text_version text not null,
  locale text not null,
  text text not null
);

create table consents (
  id uuid primary key,
  provider_id uuid not null,
  rut text not null,
  order_id uuid,
  step text not null,
  purpose text not null,
  text_sha256 text not null references consent_texts (sha256),
  -- Null where the page was not opened through the service.
  shown_at timestamptz,
  accepted_at timestamptz not null,
  ip text not null,
  user_agent text,
  embedding_origin text,
  withdrawn_at timestamptz
);
create index consents_of_person on consents (rut, provider_id, accepted_at);
create index consents_of_order on consents (provider_id, order_id) where order_id is not null;

-- Double entry: each row takes from one account and gives to another, so that the books balance by construction, and has
-- one cause, so that nothing is booked twice.
create table ledger_transfers (
  id uuid primary key,
  provider_id uuid not null,
  order_id uuid not null,
  debit text not null,
  credit text not null,
  amount bigint not null,
  cause text not null,
  at timestamptz not null,
  constraint ledger_transfers_cause_key unique (provider_id, cause),
  constraint ledger_transfers_amount check (amount > 0),
  constraint ledger_transfers_two_accounts check (debit <> credit)
);
create index ledger_transfers_of_order on ledger_transfers (provider_id, order_id);

-- Paid once, for ever (interface, section 6.1.5).
create unique index events_one_paid_per_order on events (order_id) where kind = 'order.paid';
