-- Centres: the sub-clinics that a meta-provider has onboarded (interface, section 1.6).

create table centers (
  id uuid primary key,
  provider_id uuid not null,
  rut text not null,
  name text not null,
  email text not null,
  -- Where payouts go, sealed; null: not told yet.
  sealed_bank_account text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint centers_provider_rut_key unique (provider_id, rut)
);
