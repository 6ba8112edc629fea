-- Links that the service sends to patients open their page only; what they are for asks for a one-time code.

-- One code that was sent for a link. Neither the code, nor the address, nor the RUT is here.
create table link_codes (
  id uuid primary key,
  provider_id uuid not null,
  widget_token_id uuid not null references widget_tokens (id),
  -- Keyed hash of tenant and RUT: codes for one patient keep their distance across links and providers.
  patient_hash text not null,
  code_hash text not null,
  state text not null,
  tries int not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  -- What the right answer opens, for a while: the hash of a value that only the page has.
  access_hash text,
  access_until timestamptz,
  constraint link_codes_state check (state in ('open', 'replaced', 'verified')),
  constraint link_codes_tries check (tries between 0 and 5),
  constraint link_codes_access_whole check (
    (state = 'verified') = (access_hash is not null) and (access_hash is null) = (access_until is null)
  )
);
create unique index link_codes_one_open on link_codes (widget_token_id) where state = 'open';
create index link_codes_by_time on link_codes (patient_hash, created_at);

-- Locked while a code is sent, so that of two requests at once the second meets the first's pause.
create table link_code_patients (patient_hash text primary key);
