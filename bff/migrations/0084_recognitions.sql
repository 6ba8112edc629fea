-- Codes by which a patient is recognised for one order. There is a row for whoever asks; only one that a code was sent for
-- names a patient. `number` counts the order's codes, so that of two requests at once one is refused.
create table recognitions (
  id uuid primary key,
  provider_id uuid not null,
  order_id uuid not null,
  number integer not null,
  beneficiary_id uuid references beneficiaries (id),
  code_hash text,
  tries integer not null default 0,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  verified_at timestamptz,
  constraint recognitions_number_key unique (provider_id, order_id, number),
  constraint recognitions_order foreign key (provider_id, order_id) references orders (provider_id, id),
  constraint recognitions_verified check (verified_at is null or (beneficiary_id is not null and code_hash is not null))
);
create index recognitions_beneficiary on recognitions (beneficiary_id, created_at) where beneficiary_id is not null;
create index recognitions_created on recognitions (created_at);
