-- What an operator has looked at and put aside: a matter comes back when it happens again afterwards.
create table handled_matters (
  provider_id uuid not null,
  kind text not null,
  -- What it is about: an order, a claim, a payout, a difference.
  subject text not null,
  actor text not null,
  note text,
  -- The provider's time.
  handled_at timestamptz not null,
  primary key (provider_id, kind, subject),
  constraint handled_matters_note check (length(note) <= 200)
);
