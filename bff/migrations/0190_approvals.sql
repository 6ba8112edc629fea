-- What needs two people: who asked, for what exactly, and who approved or refused. The same person never does both. It takes the place
-- of resolution_approvals, which only the version before still uses.
create table approval_requests (
  id uuid primary key,
  act text not null,
  -- The exception, operator or provider that it is about.
  subject text not null,
  -- What exactly, as JSON with sorted names: the second person approves this and nothing else.
  request text not null,
  asked_by text not null,
  asked_at timestamptz not null,
  state text not null,
  ended_by text,
  ended_at timestamptz,
  constraint approval_requests_act check (act in (
    'exception.resolve', 'operator.add', 'operator.change_role', 'operator.reissue_token', 'provider.set_support_email',
    'credential.rotate'
  )),
  constraint approval_requests_state check (state in ('open', 'approved', 'refused')),
  constraint approval_requests_ended check (
    (state = 'open') = (ended_by is null) and (state = 'open') = (ended_at is null)
  ),
  constraint approval_requests_two_people check (state <> 'approved' or ended_by <> asked_by),
  -- For rows that exist by an approval.
  constraint approval_requests_id_act_state_key unique (id, act, state)
);
create unique index approval_requests_open on approval_requests (act, subject, request) where state = 'open';
create index approval_requests_of_subject on approval_requests (subject, act);

-- What each operator has given away alone. `total` includes what they gave away in the 24 hours before.
create table solo_amounts (
  id uuid primary key,
  actor text not null,
  amount bigint not null,
  total bigint not null,
  at timestamptz not null,
  constraint solo_amounts_limit check (amount > 0 and total >= amount and total < 300000)
);
create index solo_amounts_of_actor on solo_amounts (actor, at);

-- A job is weighed before its first item: `gives` is what an item would give away, null until it is weighed; `needs_two`, null until
-- all are weighed, whether the job as a whole gives away too much for one person.
alter table resolution_jobs add column needs_two boolean;
alter table resolution_job_items add column gives bigint;
