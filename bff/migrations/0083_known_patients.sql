-- Known patients: a patient may have a card kept for later orders, and be recognised by a code. It is off until a provider has it
-- set. The version before knows of none of it.
alter table providers add column known_patients boolean not null default false;

-- When the registry last matched the patient in a visit of their own mailbox, and when their address last changed.
alter table beneficiaries add column identity_matched_at timestamptz, add column contact_changed_at timestamptz;

-- A card that its patient has asked to keep, where and with which order. It is kept once that order is paid (`saving`), and the row
-- goes once the processor has forgotten the card (`removing`). `id` names the call to the processor.
create table saved_cards (
  id uuid primary key,
  beneficiary_id uuid not null references beneficiaries (id),
  provider_id uuid not null,
  order_id uuid not null,
  card_id text not null,
  stored_card_id text,
  brand text not null,
  last4 text not null,
  exp_month integer not null,
  exp_year integer not null,
  state text not null,
  inquiries integer not null default 0,
  asked_at timestamptz not null,
  changed_at timestamptz not null,
  saved_at timestamptz,
  constraint saved_cards_state check (state in ('asked', 'saving', 'saved', 'removing')),
  constraint saved_cards_stored check (state <> 'saved' or (stored_card_id is not null and saved_at is not null)),
  constraint saved_cards_order_key unique (provider_id, order_id),
  constraint saved_cards_order foreign key (provider_id, order_id) references orders (provider_id, id)
);
create index saved_cards_beneficiary on saved_cards (beneficiary_id);

-- The orders that a saved card was chosen for.
create table saved_card_uses (
  saved_card_id uuid not null references saved_cards (id) on delete cascade,
  provider_id uuid not null,
  order_id uuid not null,
  card_id text not null,
  used_at timestamptz not null,
  primary key (provider_id, order_id),
  constraint saved_card_uses_order foreign key (provider_id, order_id) references orders (provider_id, id)
);
create index saved_card_uses_card on saved_card_uses (saved_card_id);

-- What the sandbox's processor keeps for customers of the service.
create table sandbox_kept_cards (
  id text primary key,
  card_id text not null,
  customer text not null,
  kept_at timestamptz not null,
  forgotten_at timestamptz
);
create index sandbox_kept_cards_customer on sandbox_kept_cards (customer);
