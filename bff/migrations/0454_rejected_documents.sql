-- The number of a document that the tax authority rejected after it was issued. The next document replaces it.
alter table tax_documents add column rejected_number text;
alter table tax_documents add constraint tax_documents_rejected check (rejected_number is null or refusals > 0) not valid;
alter table sandbox_tax_documents add column rejected boolean not null default false;
