-- What the card processor has paid into our bank account, for which movements, and what it has kept as its fee. The version before asks
-- for none, and reads ledger rows without an order as it reads any other.
create table card_settlements (
  provider_id uuid not null references providers (id),
  -- The processor's own.
  id text not null,
  -- What came into the account; the fees that were kept, and the VAT on them. Each may be negative.
  amount bigint not null,
  fee bigint not null,
  fee_vat bigint not null,
  -- In the provider's time.
  paid_at timestamptz not null,
  booked_at timestamptz not null,
  primary key (provider_id, id)
);
create index card_settlements_by_time on card_settlements (provider_id, paid_at);

create table card_settlement_lines (
  provider_id uuid not null,
  settlement_id text not null,
  -- The processor's id of the movement.
  id text not null,
  kind text not null,
  -- The id of the attempt, payment or movement for which the service asked, or the processor's own.
  source text not null,
  order_id uuid,
  amount bigint not null,
  fee bigint not null,
  fee_vat bigint not null,
  primary key (provider_id, settlement_id, id),
  foreign key (provider_id, settlement_id) references card_settlements (provider_id, id),
  constraint card_settlement_lines_kind check (kind in ('charge', 'return', 'chargeback', 'chargeback_reversal', 'fee')),
  constraint card_settlement_lines_amount check (amount >= 0 and (kind <> 'fee' or amount = 0))
);
create index card_settlement_lines_of_source on card_settlement_lines (provider_id, source);
create index card_settlement_lines_of_order on card_settlement_lines (provider_id, order_id);

-- A settlement is of many orders at once; every other row belongs to one.
-- squawk-ignore ban-drop-not-null
alter table ledger_transfers alter column order_id drop not null;
alter table ledger_transfers add constraint ledger_transfers_order
  check (order_id is not null or 'card_settled' in (debit, credit)) not valid;
