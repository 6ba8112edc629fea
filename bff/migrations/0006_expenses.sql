-- Expenses (interface, section 2.3), their files, and the claims made of them.

create table expenses (
  provider_id uuid not null,
  id uuid not null,
  beneficiary_id uuid not null references beneficiaries (id),
  -- The order's hash; null: a plain expense, of which no claim is ever made.
  order_id uuid,
  status text not null,
  name text,
  service_date date,
  receipt_id text,
  receipt_rut text,
  doctor_rut text,
  total bigint,
  subtypes text[] not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (provider_id, id),
  constraint expenses_status check (
    status in ('received', 'waiting_order', 'filed', 'approved', 'rejected', 'held', 'access_blocked')
  ),
  constraint expenses_plain_is_received check (order_id is not null or status = 'received'),
  constraint expenses_total check (total between 0 and 999999999)
);
-- A submission that is repeated reuses the expense (interface, section 4.2).
create unique index expenses_one_per_order on expenses (provider_id, order_id) where order_id is not null;
-- The free trial counts them.
create index expenses_beneficiary on expenses (beneficiary_id);

create table expense_files (
  provider_id uuid not null,
  expense_id uuid not null,
  -- The first is the receipt.
  position int not null,
  name text not null,
  type text not null,
  bytes int not null,
  sha256 text not null,
  -- Where the encrypted content is in the file storage.
  storage_name text not null,
  created_at timestamptz not null,
  primary key (provider_id, expense_id, position),
  foreign key (provider_id, expense_id) references expenses (provider_id, id),
  constraint expense_files_once unique (provider_id, expense_id, sha256),
  constraint expense_files_storage_name_key unique (storage_name),
  constraint expense_files_position check (position between 1 and 5),
  constraint expense_files_bytes check (bytes between 1 and 2097152),
  constraint expense_files_type check (type in ('application/pdf', 'image/jpeg', 'image/png'))
);

-- Claims of reimbursement: at most one for each order, and for each expense.
create table claims (
  provider_id uuid not null,
  id uuid not null,
  order_id uuid not null,
  expense_id uuid not null,
  beneficiary_id uuid not null references beneficiaries (id),
  state text not null,
  -- Counts the calls that file it; each has an idempotency key of its own, made from this.
  attempt int not null,
  -- Inquiries about the call under way, whose answer was lost.
  inquiries int not null,
  -- What the insurer calls it.
  insurer_claim_id text,
  -- Why it waits or was rejected.
  reason text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  filed_at timestamptz,
  -- Since when access to the insurer has been blocked without a break.
  blocked_since timestamptz,
  reimbursed bigint,
  primary key (provider_id, id),
  foreign key (provider_id, expense_id) references expenses (provider_id, id),
  constraint claims_order_key unique (provider_id, order_id),
  constraint claims_expense_key unique (provider_id, expense_id),
  constraint claims_state check (
    state in ('ready', 'filing', 'filed', 'approved', 'rejected', 'held', 'access_missing', 'access_blocked', 'stopped')
  ),
  constraint claims_attempt check (attempt >= 0 and (state <> 'filing' or attempt > 0)),
  constraint claims_filed_whole check (
    state not in ('filed', 'approved', 'rejected') or (insurer_claim_id is not null and filed_at is not null)
  ),
  constraint claims_blocked_whole check (state <> 'access_blocked' or blocked_since is not null)
);
-- Claims that wait for the patient's access to the insurer.
create index claims_without_access on claims (beneficiary_id) where state in ('filing', 'access_missing', 'access_blocked');
