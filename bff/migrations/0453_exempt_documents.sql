-- Interest may have an issuer of exempt tax documents, which has a name and a RUT.
alter table providers add constraint providers_tax_issuer check (
  commission_tax -> 'issuer' is null
  or (commission_tax #>> '{issuer,name}' is not null and commission_tax #>> '{issuer,rut}' is not null)) not valid;
alter table orders add constraint orders_tax_issuer check (
  commission_tax -> 'issuer' is null
  or (commission_tax #>> '{issuer,name}' is not null and commission_tax #>> '{issuer,rut}' is not null)) not valid;

-- The exempt amount of a sandbox's document, which then has neither net amount nor VAT.
alter table sandbox_tax_documents add column exempt bigint not null default 0;
alter table sandbox_tax_documents add constraint sandbox_tax_documents_exempt
  check (exempt = 0 or (exempt > 0 and net = 0 and vat = 0)) not valid;
