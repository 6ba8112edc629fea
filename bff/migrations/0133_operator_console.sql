-- What operators may do on the console's pages, and by which e-mail the sign-in service names them. Who has no row here was added
-- before: they may do everything, as in the command line, and sign in by a link.
create table operator_profiles (
  operator_id uuid primary key references operators (id),
  role text not null,
  -- In small letters.
  email text,
  constraint operator_profiles_email_key unique (email),
  constraint operator_profiles_role check (role in ('viewer', 'support', 'finance', 'operator'))
);

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
