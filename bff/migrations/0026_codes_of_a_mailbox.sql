-- Whose mailbox a code went to (null: nobody was registered under the RUT): what it opens ends where the record goes to another.
alter table link_codes add column user_id uuid;
