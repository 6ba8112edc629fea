-- Loans that the lender lists and the books do not have, which an operator has cancelled. No ledger row is made of them: nothing was
-- ever lent for an order of the books. The version before asks for none.
create table loan_cancellations (
  id uuid primary key,
  provider_id uuid not null references providers (id),
  -- The loan by the name that the reconciliation has for it, from when on the lender lists it, and how much is left of it.
  reference text not null,
  order_id uuid,
  amount bigint not null,
  listed_from timestamptz not null,
  state text not null default 'sending',
  inquiries integer not null default 0,
  requested_at timestamptz not null,
  ended_at timestamptz,
  constraint loan_cancellations_reference_key unique (provider_id, reference),
  constraint loan_cancellations_amount check (amount > 0),
  constraint loan_cancellations_state check (state in ('sending', 'cancelled', 'refused')),
  constraint loan_cancellations_ended check ((state = 'sending') = (ended_at is null))
);
