-- What the mail with the code of a link to pay early says that the code charges, and to which card; null for other links and if nothing is
-- due. Nothing else is charged with it. The version before writes none of it; its codes charge nothing here.
alter table link_codes
  add column charge_amount bigint,
  add column charge_card_last4 text,
  add constraint link_codes_charge check ((charge_amount is null) = (charge_card_last4 is null) and charge_amount > 0) not valid;
