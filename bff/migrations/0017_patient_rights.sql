-- What the data law gives a patient: to see what is kept, to withdraw, to have erased what no law keeps.

-- One request to erase. It waits while something is still owed; what may go at once is gone at once.
create table erasures (
  beneficiary_id uuid primary key references beneficiaries (id),
  provider_id uuid not null,
  -- `patient`, or `operator:<name>`
  actor text not null,
  state text not null,
  requested_at timestamptz not null,
  done_at timestamptz,
  constraint erasures_state check (state in ('waiting', 'done')),
  constraint erasures_done_whole check ((state = 'done') = (done_at is not null))
);

-- A patient's link to their data that was asked for, so that of a hundred at once one is sent.
create table data_links (
  beneficiary_id uuid primary key references beneficiaries (id),
  sent_at timestamptz not null
);

-- A patient sees every order under their RUT.
create index orders_customer on orders (customer_rut);
-- What ended tokens still hold of a person is forgotten.
create index widget_tokens_not_forgotten on widget_tokens (expires_at)
  where rut is not null or user_data <> '{}'::jsonb or provider_data is not null;
