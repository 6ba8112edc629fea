-- For how long after the registry's match a provider's patients are recognised without their document. The version before
-- counts 180 days for everybody.
alter table providers add column identity_trusted_days integer not null default 180
  constraint providers_identity_trusted_days check (identity_trusted_days between 1 and 365);

-- Whether the order's identity stands on a recognition, not on an answer of the registry about this order. The version before
-- does not say so of the orders that it recognises meanwhile, whose patients are then not asked again.
alter table orders add column identity_recognised boolean not null default false;
-- The column is new, so that no row could break the check (`not valid`): the table is not read through for it.
alter table orders add constraint orders_identity_recognised
  check (not identity_recognised or identity_validated_at is not null) not valid;
