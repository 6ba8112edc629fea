-- Whether the patient has removed the saved card that is paying the order: the card is taken off it should that payment be declined,
-- also where the processor has forgotten the saved card by then and its row is gone. The version before does not look: with it the
-- card stays on the order.
alter table orders add column card_removed boolean not null default false;
