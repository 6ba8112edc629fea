-- From which kept card the sandbox's processor has registered a card for an order; null: it was typed.
alter table sandbox_cards add column stored_card_id text references sandbox_kept_cards (id);
