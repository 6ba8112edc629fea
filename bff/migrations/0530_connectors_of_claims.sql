-- Which connector took the filing of a claim, or the request for a tax document, as `0510_connectors_of_calls.sql` records it for calls
-- that move money. Null: not sent yet, or stored by an earlier version. The version before ignores the columns.
alter table claims add column connector text;
alter table tax_documents add column connector text;
