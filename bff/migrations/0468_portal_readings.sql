-- What an operator read in an outside party's portal about a call whose outcome the party does not tell. It answers the inquiries
-- about that call from then on.
create table portal_readings (
  provider_id uuid not null,
  idempotency_key text not null,
  was_done boolean not null,
  amount bigint not null,
  -- The number of the movement in the portal; null if there is none.
  reference text,
  actor text not null,
  read_at timestamptz not null,
  primary key (provider_id, idempotency_key),
  constraint portal_readings_amount check (amount > 0),
  constraint portal_readings_reference check (was_done = (reference is not null))
);
