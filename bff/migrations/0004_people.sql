-- People: who has an e-mail address (users), who is the patient (beneficiaries, by RUT), what they may do, and what they
-- were told. People are a domain of their own, keyed by `tenant`: in production one for all providers, in staging each
-- provider has people of its own.

create table users (
  id uuid primary key,
  tenant text not null,
  email text not null,
  -- The address in lower case: how it is compared.
  email_key text not null,
  created_at timestamptz not null,
  constraint users_tenant_email_key unique (tenant, email_key),
  constraint users_email_key_lower check (email_key = lower(email_key))
);

-- The RUT wins: one record for each, whoever registers it. One user may stand for several (a parent and children).
create table beneficiaries (
  id uuid primary key,
  tenant text not null,
  rut text not null,
  user_id uuid not null references users (id),
  -- Through whom the patient came.
  provider_id uuid not null,
  first_name text not null,
  last_name text not null,
  phone_number text not null,
  insurer text not null,
  -- The password of the insurer's portal, sealed in the browser for the insurer connector. It cannot be opened here.
  sealed_insurer_access text,
  insurer_access_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint beneficiaries_tenant_rut_key unique (tenant, rut),
  constraint beneficiaries_access_whole check ((sealed_insurer_access is null) = (insurer_access_at is null))
);
create index beneficiaries_user on beneficiaries (user_id);

-- The plan of a patient, where there is one; without one the free trial counts.
create table subscriptions (
  beneficiary_id uuid primary key references beneficiaries (id),
  plan text not null,
  status text not null,
  -- Who pays for it; a provider that does has set it itself.
  paid_by text not null,
  provider_id uuid not null,
  -- Null: without an end.
  valid_until timestamptz,
  updated_at timestamptz not null,
  constraint subscriptions_status check (status in ('active', 'cancelled')),
  constraint subscriptions_paid_by check (paid_by in ('patient', 'provider'))
);

-- Attempts to take a RUT back that is registered under another e-mail address, each with one code.
create table recoveries (
  id uuid primary key,
  beneficiary_id uuid not null references beneficiaries (id),
  provider_id uuid not null,
  -- The widget token that it is bound to.
  widget_token_id uuid not null,
  way text not null,
  -- Where the code goes: the registered address, or with `identity` the new one.
  email text not null,
  -- A keyed hash; the code itself is nowhere.
  code_hash text not null,
  state text not null,
  tries int not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  constraint recoveries_way check (way in ('email_code', 'identity')),
  constraint recoveries_state check (state in ('open', 'replaced', 'verified')),
  constraint recoveries_tries check (tries between 0 and 5)
);
create unique index recoveries_one_open on recoveries (beneficiary_id, widget_token_id) where state = 'open';
create index recoveries_by_time on recoveries (beneficiary_id, created_at);

-- Each question to the national registry about a recovery, with the answer. The serial is not kept.
create table recovery_identity_checks (
  id uuid primary key,
  beneficiary_id uuid not null references beneficiaries (id),
  -- 'asked' until the answer is there.
  outcome text not null,
  asked_at timestamptz not null,
  constraint recovery_identity_checks_outcome check (
    outcome in ('asked', 'match', 'no_match', 'document_not_valid', 'unavailable')
  )
);
create index recovery_identity_checks_by_time on recovery_identity_checks (beneficiary_id, asked_at);

-- A RUT that went to a new address: the old one is told and may object.
create table email_changes (
  id uuid primary key,
  beneficiary_id uuid not null references beneficiaries (id),
  provider_id uuid not null,
  old_user_id uuid not null references users (id),
  new_user_id uuid not null references users (id),
  -- The widget token in the link that the old address got.
  widget_token_id uuid not null,
  changed_at timestamptz not null,
  objection_until timestamptz not null,
  objected_at timestamptz,
  constraint email_changes_widget_token_key unique (widget_token_id)
);
create index email_changes_by_time on email_changes (beneficiary_id, changed_at);

-- What patients are told by e-mail: one row for each cause, for ever.
create table notices (
  id uuid primary key,
  provider_id uuid not null,
  -- Names what the patient is told about, so that nobody is told twice: `payment_receipt:<order>`.
  cause text not null,
  kind text not null,
  -- The address and the text, sealed; removed when the notice has gone out, or never will.
  sealed_email text,
  state text not null,
  -- After this (real time) it helps nobody any more (a code that has expired); null: it always does.
  useful_until timestamptz,
  created_at timestamptz not null,
  settled_at timestamptz,
  constraint notices_cause_key unique (provider_id, cause),
  constraint notices_state check (state in ('waiting', 'sent', 'refused', 'given_up')),
  constraint notices_settled_whole check (
    (state = 'waiting') = (sealed_email is not null) and (state = 'waiting') = (settled_at is null)
  )
);
