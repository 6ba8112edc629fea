-- Claims that an operator files with the isapre and answers in the console, where no connector does. `filing_key` is the key of the
-- call that asked for it. `answer` is the isapre's, as the operator entered it.
create table hand_worked_claims (
  provider_id uuid not null,
  order_id uuid not null,
  filing_key text not null,
  queued_at timestamptz not null,
  lacking text,
  insurer_claim_id text,
  filed_at timestamptz,
  answer text not null default 'waiting',
  reimbursed bigint,
  answered_at timestamptz,
  reason text,
  primary key (provider_id, order_id),
  constraint hand_worked_claims_key unique (provider_id, filing_key),
  constraint hand_worked_claims_number unique (provider_id, insurer_claim_id),
  constraint hand_worked_claims_order foreign key (provider_id, order_id) references orders (provider_id, id),
  constraint hand_worked_claims_answer check (answer in ('waiting', 'approved', 'rejected')),
  constraint hand_worked_claims_filed check ((insurer_claim_id is null) = (filed_at is null)),
  constraint hand_worked_claims_answered check (answer = 'waiting' or (filed_at is not null and answered_at is not null))
);

-- When the insurer's gateway took the claim to file it later. The version before neither reads nor writes it.
alter table claims add column queued_at timestamptz;
