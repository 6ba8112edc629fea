-- What the card processor's own records call a charge and a return of it: with these an operator finds them in the processor's portal,
-- and the network's name of the charge is told again with a later one. Each is null where the processor has none. The version before
-- neither reads nor writes them. The columns are new, so that no row could break the checks (`not valid`).
alter table order_payments
  add column buy_order text,
  add column store_code text,
  add column authorisation_code text,
  add column instalments int,
  add column network_transaction_id text;
alter table order_payments
  add constraint order_payments_buy_order check (length(buy_order) between 1 and 64) not valid,
  add constraint order_payments_store_code check (length(store_code) between 1 and 32) not valid,
  add constraint order_payments_authorisation_code check (length(authorisation_code) between 1 and 12) not valid,
  add constraint order_payments_instalments check (instalments between 0 and 99) not valid,
  add constraint order_payments_network_transaction check (length(network_transaction_id) between 1 and 64) not valid,
  add constraint order_payments_voucher_of_a_charge check (charge_id is not null
    or coalesce(buy_order, store_code, authorisation_code, instalments::text, network_transaction_id) is null) not valid;

alter table refund_movements
  add column buy_order text,
  add column store_code text,
  add column authorisation_code text;
alter table refund_movements
  add constraint refund_movements_buy_order check (length(buy_order) between 1 and 64) not valid,
  add constraint refund_movements_store_code check (length(store_code) between 1 and 32) not valid,
  add constraint refund_movements_authorisation_code check (length(authorisation_code) between 1 and 12) not valid,
  add constraint refund_movements_voucher_of_a_return check (return_id is not null
    or coalesce(buy_order, store_code, authorisation_code) is null) not valid;

-- The network's name of the asking with which the patient gave the mandate for a card that replaced another.
alter table card_authentications add column network_transaction_id text;
alter table card_authentications
  add constraint card_authentications_network_transaction check (length(network_transaction_id) between 1 and 64
    and (network_transaction_id is null or state = 'proven')) not valid;

-- What a charge under the mandate names of the network's; null for one that the patient makes, and where none was told.
alter table collection_attempts add column initial_network_transaction_id text;
alter table collection_attempts
  add constraint collection_attempts_initial_network_transaction check (length(initial_network_transaction_id) between 1 and 64
    and (initial_network_transaction_id is null or initiator = 'merchant')) not valid;
