-- From which kept card the sandbox's processor has registered a card for an order; null: it was typed.
alter table sandbox_cards add column stored_card_id text;
alter table sandbox_cards add constraint sandbox_cards_stored_card
  foreign key (stored_card_id) references sandbox_kept_cards (id) not valid;
