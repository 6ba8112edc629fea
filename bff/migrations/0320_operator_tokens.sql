-- A token of the command line expires 90 days after it was made. Null for an operator whose token nobody was shown (staging's sign-in) and
-- where the version before adds one: 90 days after `added_at`.
alter table operators add column token_made_at timestamptz;
-- Operators who are there have 90 days from the last audited act: no statement reads the database's clock.
update operators set token_made_at = (select max(at) from audit_log) where made_by is not null;
