-- What the clinics are owed, and what they were paid (decisions, section 8). Amounts are pesos, moments in the provider's time.

-- What is agreed with a provider. Without a row nothing is kept of what it is owed, and it cannot be paid.
create table payout_terms (
  provider_id uuid primary key,
  -- Of the total less refunds.
  fee_basis_points int not null,
  -- Where the provider's own payouts go, sealed; null: not told yet. Centres have accounts of their own.
  sealed_bank_account text,
  updated_at timestamptz not null,
  constraint payout_terms_fee check (fee_basis_points between 0 and 10000)
);

-- Who is paid: a provider, or one of its centres. The row is locked by whoever makes a payout.
create table payees (
  provider_id uuid not null,
  -- The centre's id, or the provider's own.
  id uuid not null,
  kind text not null,
  primary key (provider_id, id),
  constraint payees_kind check (kind in ('provider', 'center') and (kind = 'center' or id = provider_id))
);

-- Every order that was paid, to whom its price is owed, and the fee agreed at that time.
create table payable_orders (
  provider_id uuid not null,
  order_id uuid not null,
  payee_id uuid not null,
  fee_basis_points int not null,
  -- When money of it last moved that is in no payout yet; null: everything is in payouts.
  moved_at timestamptz,
  primary key (provider_id, order_id),
  foreign key (provider_id, order_id) references orders (provider_id, id),
  foreign key (provider_id, payee_id) references payees (provider_id, id),
  constraint payable_orders_fee check (fee_basis_points between 0 and 10000)
);
create index payable_orders_moved on payable_orders (provider_id, payee_id, moved_at) where moved_at is not null;

create table payouts (
  provider_id uuid not null,
  id uuid not null,
  payee_id uuid not null,
  -- The day of the run, in America/Santiago.
  day date not null,
  amount bigint not null,
  state text not null,
  -- The account as it was then, sealed, so that every repeat of the transfer is the same; and a keyed hash of it.
  sealed_bank_account text not null,
  account_hash text not null,
  transfer_id text,
  refusal text,
  -- Inquiries about the transfer, whose answer was lost.
  inquiries int not null default 0,
  created_at timestamptz not null,
  settled_at timestamptz,
  primary key (provider_id, id),
  foreign key (provider_id, payee_id) references payees (provider_id, id),
  -- One payout per payee and day, however often the run is begun.
  constraint payouts_one_a_day unique (provider_id, payee_id, day),
  constraint payouts_amount check (amount > 0),
  constraint payouts_state check (state in ('sending', 'paid', 'refused')),
  constraint payouts_settled check ((settled_at is not null) = (state <> 'sending')),
  constraint payouts_paid check ((transfer_id is not null) = (state = 'paid')),
  constraint payouts_refused check ((refusal is not null) = (state = 'refused'))
);
create unique index payouts_one_under_way on payouts (provider_id, payee_id) where state = 'sending';

-- What of a payout belongs to which order. Negative where a refund came after the order had been paid out.
create table payout_items (
  provider_id uuid not null,
  payout_id uuid not null,
  order_id uuid not null,
  -- What the payee gets, and what is kept.
  net bigint not null,
  fee bigint not null,
  primary key (provider_id, payout_id, order_id),
  foreign key (provider_id, payout_id) references payouts (provider_id, id),
  foreign key (provider_id, order_id) references payable_orders (provider_id, order_id),
  constraint payout_items_not_empty check (net <> 0 or fee <> 0)
);
create index payout_items_of_order on payout_items (provider_id, order_id);
