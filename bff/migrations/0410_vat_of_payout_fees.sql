-- How the fee that is kept of payouts to clinics is taxed, and the VAT in it. Fees agreed on before have none.
alter table payout_terms
  add column fee_regime text not null default 'exempt',
  add constraint payout_terms_fee_regime check (fee_regime in ('taxed_service', 'exempt')) not valid;

alter table payable_orders
  add column fee_regime text not null default 'exempt',
  add constraint payable_orders_fee_regime check (fee_regime in ('taxed_service', 'exempt')) not valid;

-- A part of the fee; negative where a refund takes it back.
alter table payout_items
  add column fee_vat bigint not null default 0,
  add constraint payout_items_fee_vat check (fee_vat between least(fee, 0) and greatest(fee, 0)) not valid;
