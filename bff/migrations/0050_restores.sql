-- A database that was set back to an earlier moment. Until an operator has compared it with what the outside parties know,
-- no process claims a timer or a delivery in it, and no card is charged.
create table restores (
  id uuid primary key,
  -- The moment whose data the database holds.
  restored_to timestamptz not null,
  begun_at timestamptz not null,
  begun_by text not null,
  ended_at timestamptz,
  ended_by text,
  constraint restores_order check (restored_to <= begun_at and begun_at <= ended_at),
  constraint restores_ended check ((ended_at is null) = (ended_by is null))
);
create unique index restores_one_at_a_time on restores ((true)) where ended_at is null;
