-- A receipt is never refused for an optional field that cannot be read: its text is kept as it came. Photos of phones and
-- electronic receipts are taken too; the version before knows no such file, and passes its type on.

alter table expenses add column unread_fields jsonb not null default '{}';

alter table expense_files drop constraint expense_files_type;
alter table expense_files add constraint expense_files_type check (
  type in ('application/pdf', 'image/jpeg', 'image/png', 'image/heic', 'image/webp', 'application/xml')
);
