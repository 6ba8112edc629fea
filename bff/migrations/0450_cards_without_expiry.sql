-- Some processors do not report when a card expires: the two columns are then empty together.
-- squawk-ignore ban-drop-not-null
alter table saved_cards alter column exp_month drop not null, alter column exp_year drop not null;
alter table saved_cards add constraint saved_cards_expiry check ((exp_month is null) = (exp_year is null)) not valid;
