-- The lines of the clinic's bill, as the partner gave them; they say what a patient is treated for. The version before neither writes
-- nor reads them.
alter table orders add column items jsonb;
