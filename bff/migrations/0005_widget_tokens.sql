-- Widget tokens (interface, section 2.2). Only a hash of the token is here, so that reading the table opens no widget.

create table widget_tokens (
  id uuid primary key,
  token_hash text not null,
  provider_id uuid not null,
  purpose text not null,
  -- Null where there is no order: then the end of the onboarding uses the token up.
  order_id uuid,
  -- Whom a token that the service made is for.
  beneficiary_id uuid,
  -- Who the patient is, as the minter says.
  rut text,
  user_data jsonb not null,
  provider_data jsonb,
  -- The one page that may frame it; null: all that the provider has registered.
  parent_origin text,
  locale text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  -- When its page was first read.
  shown_at timestamptz,
  used_at timestamptz,
  constraint widget_tokens_token_hash_key unique (token_hash),
  constraint widget_tokens_purpose check (
    purpose in ('checkout', 'onboarding', 'insurer_access', 'card_change', 'pay_early', 'my_data', 'objection')
  ),
  constraint widget_tokens_checkout_has_order check (purpose <> 'checkout' or order_id is not null),
  constraint widget_tokens_ends check (expires_at > created_at)
);
-- What an order's payment uses up.
create index widget_tokens_of_order on widget_tokens (provider_id, order_id) where order_id is not null;
-- Personal data in ended tokens is removed by age.
create index widget_tokens_by_end on widget_tokens (expires_at);
