-- How a provider's commission is taxed, and by whom its tax documents are issued. Providers and orders from before keep the
-- commission without VAT that their books have; the operator sets the regime (`aapd provider change`).
-- The columns are new and have a default, so that no row could break the checks (`not valid`): the tables are not read through for them.
alter table providers
  add column commission_tax jsonb not null default '{"regime": "interest"}',
  add constraint providers_commission_tax check (
    commission_tax ->> 'regime' = 'interest'
    or (commission_tax ->> 'regime' = 'taxed_service'
      and commission_tax #>> '{issuer,name}' is not null and commission_tax #>> '{issuer,rut}' is not null)) not valid;

-- An order keeps the regime and the issuer that its patient was shown.
alter table orders
  add column commission_tax jsonb not null default '{"regime": "interest"}',
  add constraint orders_commission_tax check (
    commission_tax ->> 'regime' = 'interest'
    or (commission_tax ->> 'regime' = 'taxed_service'
      and commission_tax #>> '{issuer,name}' is not null and commission_tax #>> '{issuer,rut}' is not null)) not valid;

-- The tax documents that are due, in the order in which they became so. A row is written with the ledger rows of its commission;
-- its timer has it issued, and asks after an answer that was lost.
create table tax_documents (
  provider_id uuid not null,
  order_id uuid not null,
  -- Counts per order.
  number int not null,
  kind text not null,
  -- The payment that took the commission, or the movement of a refund that gave it back.
  source_id uuid not null,
  -- The payment whose boleta a nota de crédito corrects.
  corrects uuid,
  net bigint not null,
  vat bigint not null,
  -- The provider's time, as all that follows.
  due_at timestamptz not null,
  -- When it was first asked for, for all that is known.
  called_at timestamptz,
  -- How often it was refused, and why the last time. Each try has a key of its own.
  refusals int not null default 0,
  refusal text,
  issued_at timestamptz,
  issued_number text,
  url text,
  inquiries int not null default 0,
  primary key (provider_id, order_id, number),
  foreign key (provider_id, order_id) references orders (provider_id, id),
  constraint tax_documents_once unique (provider_id, order_id, source_id),
  constraint tax_documents_kind check (kind in ('boleta', 'credit_note')),
  constraint tax_documents_corrects check ((kind = 'credit_note') = (corrects is not null)),
  constraint tax_documents_amount check (net >= 0 and vat >= 0 and net + vat > 0),
  constraint tax_documents_issued check ((issued_at is null) = (issued_number is null) and (issued_at is null) = (url is null))
);
create index tax_documents_waiting on tax_documents (provider_id, order_id) where issued_at is null;

-- The documents that the sandbox has issued, numbered as the tax authority numbers them: by issuer and kind, without a gap.
create table sandbox_tax_documents (
  id uuid primary key,
  provider_id uuid not null,
  idempotency_key text not null,
  kind text not null,
  issuer_rut text not null,
  number bigint not null,
  corrects text,
  net bigint not null,
  vat bigint not null,
  at timestamptz not null,
  constraint sandbox_tax_documents_number unique (provider_id, issuer_rut, kind, number),
  constraint sandbox_tax_documents_kind check (kind in ('boleta', 'credit_note'))
);
create table sandbox_tax_numbers (
  provider_id uuid not null,
  issuer_rut text not null,
  kind text not null,
  last bigint not null,
  primary key (provider_id, issuer_rut, kind)
);
