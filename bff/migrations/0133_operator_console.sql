-- Who may do what on the console's pages. Everybody who is there uses the command line, and may do everything.
alter table operators
  add column role text not null default 'operator',
  -- By which the sign-in service names them, in small letters; null: they sign in by a link of the command line.
  add column email text;
alter table operators alter column token_hash drop not null;
alter table operators add constraint operators_role check (role in ('viewer', 'support', 'finance', 'operator')) not valid;
alter table operators validate constraint operators_role;
alter table operators add constraint operators_email_key unique (email);

-- Links to sign in that were used: each works once.
create table operator_links_used (
  link_id uuid primary key,
  used_at timestamptz not null
);

-- Who is signed in. The token is in a cookie of theirs alone.
create table operator_sessions (
  id uuid primary key,
  operator_id uuid not null references operators (id),
  token_hash text not null,
  began_at timestamptz not null,
  seen_at timestamptz not null,
  ends_at timestamptz not null,
  ended_at timestamptz,
  constraint operator_sessions_token_hash_key unique (token_hash)
);

-- Exceptions that are resolved together, in the background.
create table resolution_jobs (
  id uuid primary key,
  resolution text not null,
  note text,
  actor text not null,
  begun_at timestamptz not null,
  ended_at timestamptz
);
create table resolution_job_items (
  job_id uuid not null references resolution_jobs (id),
  position integer not null,
  exception text not null,
  state text not null default 'waiting',
  outcome text,
  primary key (job_id, position),
  constraint resolution_job_items_state check (state in ('waiting', 'done', 'second_operator', 'refused')),
  constraint resolution_job_items_outcome check ((state = 'waiting') = (outcome is null))
);
