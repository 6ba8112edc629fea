-- What the mail with the code of a link to pay early says that it charges, and to which card; null for other links, and where nothing was to
-- be charged. Nothing else is charged by that code. A code of the version before says none of it, and charges nothing.
alter table link_codes
  add column charge_amount bigint,
  add column charge_card_last4 text,
  add constraint link_codes_charge check ((charge_amount is null) = (charge_card_last4 is null)) not valid;
alter table link_codes validate constraint link_codes_charge;
