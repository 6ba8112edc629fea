-- What the lender is told of the end of a loan, in the order in which it became so. A row is written with what it tells of; its timer
-- tells the lender, and asks after an answer that was lost.
create table loan_reports (
  provider_id uuid not null,
  order_id uuid not null,
  -- Counts per order.
  number int not null,
  loan_end text not null,
  -- What was collected, is in arrears, was written off, or was refunded.
  amount bigint not null,
  -- The provider's time, as all that follows.
  ended_at timestamptz not null,
  -- When the lender was first told, for all that is known.
  called_at timestamptz,
  reported_at timestamptz,
  inquiries int not null default 0,
  primary key (provider_id, order_id, number),
  foreign key (provider_id, order_id) references orders (provider_id, id),
  constraint loan_reports_end check (loan_end in ('collected', 'in_arrears', 'written_off', 'refunded')),
  constraint loan_reports_amount check (amount > 0),
  constraint loan_reports_called_first check (reported_at is null or called_at is not null)
);
create index loan_reports_waiting on loan_reports (provider_id, order_id) where reported_at is null;

-- What the sandbox's financing provider was told last of a loan.
alter table sandbox_loans
  add column reported_end text,
  add column reported_amount bigint,
  add column reports int not null default 0;
