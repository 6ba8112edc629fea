-- The accounts that each payee has been paid into, or is to be. Whoever holds a clinic's secrets can give another account; nothing
-- is paid into it before two operators have confirmed it.
create table payee_accounts (
  provider_id uuid not null,
  id uuid not null,
  payee_id uuid not null,
  sealed_bank_account text not null,
  noted_at timestamptz not null,
  -- Null: payouts wait.
  confirmed_at timestamptz,
  primary key (provider_id, id),
  foreign key (provider_id, payee_id) references payees (provider_id, id)
);
create unique index payee_accounts_one_waiting on payee_accounts (provider_id, payee_id) where confirmed_at is null;
create index payee_accounts_of_payee on payee_accounts (provider_id, payee_id);
-- Whoever was paid already is paid on.
insert into payee_accounts (provider_id, id, payee_id, sealed_bank_account, noted_at, confirmed_at)
select distinct on (provider_id, payee_id) provider_id, id, payee_id, sealed_bank_account, created_at, created_at
from payouts where state <> 'refused' order by provider_id, payee_id, day desc;
