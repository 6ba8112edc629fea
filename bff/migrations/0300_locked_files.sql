-- A PDF that needs a password to open does not count as a document until its clinic sends it without one. The version before neither
-- reads nor writes it.
alter table expense_files add column is_locked boolean not null default false;
