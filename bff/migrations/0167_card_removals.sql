-- Cards that the processor holds for an order and that nothing can be charged to any more: it is asked to remove each, once. Written
-- down before it is called; `id` is made of the order and the card, and makes the call's idempotency key. The version before asks
-- for no removal.
create table card_removals (
  provider_id uuid not null,
  order_id uuid not null,
  id uuid not null,
  state text not null,
  -- The processor's id of the card; null once it is removed, because it names nothing then.
  card_id text,
  inquiries int not null default 0,
  asked_at timestamptz not null,
  removed_at timestamptz,
  primary key (provider_id, order_id, id),
  foreign key (provider_id, order_id) references orders (provider_id, id),
  constraint card_removals_state check (state in ('removing', 'removed')),
  constraint card_removals_card check ((card_id is null) = (state = 'removed')),
  constraint card_removals_removed check ((removed_at is not null) = (state = 'removed'))
);
create index card_removals_under_way on card_removals (provider_id, order_id) where state = 'removing';

-- The sandbox's processor: a card that was removed is charged no more, and its charges are given back as before.
alter table sandbox_cards add column removed_at timestamptz;
