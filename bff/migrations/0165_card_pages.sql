-- A processor may take cards on a page of its own. Whether a provider's patients use it, where the processor has one: the version
-- before does not read it, and goes on showing its own fields.
alter table providers add column card_page boolean not null default false;

-- One visit of that page: written down before the processor is called, so that a lost answer is inquired about and nobody is
-- registered twice; `id` makes the call's idempotency key. Nothing of a card but the processor's id of it is kept here.
create table card_registrations (
  provider_id uuid not null,
  order_id uuid not null,
  id uuid not null,
  -- `payment`: for an order that is to be paid. `card_change`: for what is still to be charged of a paid one.
  purpose text not null,
  -- Counts the pages of an order for one purpose.
  number int not null,
  -- `dropped`: the order takes no card any more, or the patient began anew with another link.
  state text not null,
  -- The link that is used up with a changed card; null where it is not by a link.
  widget_token_id uuid,
  -- The consents that the patient gave with the press, and from where; kept only until the page has ended.
  given jsonb,
  page_url text,
  page_expires_at timestamptz,
  card_id text,
  decline_reason text,
  inquiries int not null default 0,
  started_at timestamptz not null,
  ended_at timestamptz,
  primary key (provider_id, order_id, id),
  foreign key (provider_id, order_id) references orders (provider_id, id),
  constraint card_registrations_purpose check (purpose in ('payment', 'card_change')),
  constraint card_registrations_state check (state in
    ('registering', 'at_page', 'registered', 'declined', 'abandoned', 'expires_too_soon', 'dropped')),
  constraint card_registrations_given check (given is null or ended_at is null),
  constraint card_registrations_page check ((page_url is not null) = (state = 'at_page')),
  constraint card_registrations_expiry check (page_expires_at is not null or state <> 'at_page'),
  constraint card_registrations_card check (card_id is not null or state <> 'registered'),
  constraint card_registrations_declined check ((decline_reason is not null) = (state = 'declined')),
  constraint card_registrations_ended check ((ended_at is null) = (state in ('registering', 'at_page')))
);
create unique index card_registrations_number on card_registrations (provider_id, order_id, purpose, number);
create unique index card_registrations_one_open on card_registrations (provider_id, order_id, purpose)
  where state in ('registering', 'at_page');

-- The sandbox's processor: its page, on which a card is typed, or confirmed that was sealed before.
create table sandbox_card_registrations (
  id uuid primary key,
  provider_id uuid not null,
  order_hash uuid not null,
  return_url text not null,
  state text not null,
  -- What was sealed, without its number and security code; null where the card is typed on the page.
  sealed jsonb,
  card_id uuid,
  decline_reason text,
  expires_at timestamptz not null,
  page_expires_at timestamptz not null,
  created_at timestamptz not null,
  constraint sandbox_card_registrations_state check (state in ('pending', 'registered', 'declined', 'abandoned')),
  constraint sandbox_card_registrations_card check ((card_id is not null) = (state = 'registered')),
  constraint sandbox_card_registrations_declined check ((decline_reason is not null) = (state = 'declined'))
);
