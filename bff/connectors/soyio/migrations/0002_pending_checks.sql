-- Checks that Soyio has begun and not answered yet. The person's data is not stored, only a keyed hash of it.

create table pending_checks (
  reference text primary key,
  -- Soyio's id of the check.
  check_id text not null,
  begun_at timestamptz not null
);
