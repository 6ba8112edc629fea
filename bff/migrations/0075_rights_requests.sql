-- What a patient asks of a person by the data law: to correct something, to stop a use, to block their data for a while, to
-- look again at a refused credit. `about` is the field or the order; what they wrote goes with their data.
create table rights_requests (
  id uuid primary key,
  provider_id uuid not null references providers (id),
  beneficiary_id uuid not null references beneficiaries (id),
  kind text not null,
  about text not null,
  words text not null,
  state text not null,
  asked_at timestamptz not null,
  answered_at timestamptz,
  answer text,
  constraint rights_requests_kind check (kind in ('rectification', 'opposition', 'blocking', 'credit_review')),
  constraint rights_requests_state check (state in ('open', 'granted', 'refused')),
  constraint rights_requests_answered check ((state = 'open') = (answered_at is null) and (answered_at is null) = (answer is null))
);
create unique index rights_requests_one_open on rights_requests (beneficiary_id, kind, about) where state = 'open';
create index rights_requests_open on rights_requests (provider_id, asked_at) where state = 'open';

-- Since when the patient's data is blocked: no claim is filed and no later charge is made by itself.
alter table beneficiaries add column blocked_at timestamptz;
