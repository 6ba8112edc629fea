-- What each account of a provider held when its days before a moment were closed, so that a balance is read as that and the rows since,
-- and not as the sum of all rows ever. A timer closes days; who books writes nothing here, unless a row belongs to a day that is closed.
-- Nothing is filled in here: a provider whose days were never closed has its rows summed as before, and the next daily run closes
-- them in pieces. The version before runs beside this one: the trigger is there for its rows too.
create table ledger_closings (
  provider_id uuid primary key,
  -- A moment by the provider's clock, which this does not include.
  closed_before timestamptz not null
);
create table ledger_balances (
  provider_id uuid not null references ledger_closings (provider_id),
  account text not null,
  -- Debits less credits.
  balance bigint not null,
  primary key (provider_id, account)
);
-- What the daily check found: the balance that is kept, and what the rows sum to. Nothing should ever stand here.
create table ledger_balance_differences (
  provider_id uuid not null,
  account text not null,
  kept bigint not null,
  booked bigint not null,
  -- By the provider's clock.
  found_at timestamptz not null,
  primary key (provider_id, account)
);

-- A row of a day that is closed is added to what is kept, in the transaction that books it. The lock is shared by all who book for a
-- provider, and taken alone by the one that closes its days: a row is either in the sum of the one that closes, or sees that its day is
-- closed. That needs each statement to see what was committed before it.
create function add_to_closed_days() returns trigger language plpgsql as $$
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'the ledger is written in transactions that are read committed' using errcode = 'restrict_violation';
  end if;
  perform pg_advisory_xact_lock_shared(7236131, hashtext(provider_id::text))
    from (select distinct provider_id from booked order by provider_id) as providers;
  insert into ledger_balances as kept (provider_id, account, balance)
    select side.provider_id, side.account, sum(side.amount)
    from (
      select provider_id, debit as account, amount, at from booked
      union all
      select provider_id, credit, -amount, at from booked
    ) as side
      join ledger_closings closing on closing.provider_id = side.provider_id and side.at < closing.closed_before
    group by side.provider_id, side.account order by side.provider_id, side.account
    on conflict (provider_id, account) do update set balance = kept.balance + excluded.balance;
  return null;
end
$$;
create trigger ledger_transfers_of_closed_days after insert on ledger_transfers
  referencing new table as booked for each statement execute function add_to_closed_days();
