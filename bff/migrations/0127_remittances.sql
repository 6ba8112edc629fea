-- The lender is paid what was collected for it, by the machine that pays the clinics. The version before knows no such payee: it
-- leaves these rows alone.
alter table payees drop constraint payees_kind;
alter table payees add constraint payees_kind
  check (kind in ('provider', 'center', 'lender') and (kind <> 'provider' or id = provider_id)) not valid;

-- Where the lender of a provider's patients is paid. Without a row nothing is remitted: it is settled in another way.
create table lender_accounts (
  provider_id uuid primary key references providers (id),
  sealed_bank_account text not null,
  updated_at timestamptz not null
);

-- Every order of which a part was collected for the lender.
create table collected_orders (
  provider_id uuid not null,
  order_id uuid not null,
  payee_id uuid not null,
  -- When something of it was last collected that is in no remittance yet; null: everything is in remittances.
  moved_at timestamptz,
  primary key (provider_id, order_id),
  foreign key (provider_id, order_id) references orders (provider_id, id),
  foreign key (provider_id, payee_id) references payees (provider_id, id)
);
create index collected_orders_moved on collected_orders (provider_id, payee_id, moved_at) where moved_at is not null;
