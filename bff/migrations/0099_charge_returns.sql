-- Charges that the card processor lists and the books do not have, which an operator has given back to the patient's card. No ledger
-- row is made of them: neither the charge nor its return was ever the service's money. The version before asks for none.
create table charge_returns (
  id uuid primary key,
  provider_id uuid not null references providers (id),
  -- The charge by the name that the reconciliation has for it, when it was made, and how much it took.
  reference text not null,
  order_id uuid,
  amount bigint not null,
  charged_at timestamptz not null,
  state text not null default 'sending',
  return_id text,
  inquiries integer not null default 0,
  requested_at timestamptz not null,
  ended_at timestamptz,
  constraint charge_returns_reference_key unique (provider_id, reference),
  constraint charge_returns_amount check (amount > 0),
  constraint charge_returns_state check (state in ('sending', 'returned', 'refused')),
  constraint charge_returns_ended check ((state = 'sending') = (ended_at is null)),
  constraint charge_returns_returned check ((state = 'returned') = (return_id is not null))
);
