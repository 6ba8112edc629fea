-- E-mail addresses beyond ASCII. Databases fold other letters than ASCII's each in its own way, so a key is only asked to
-- have no ASCII letter in upper case; all keys of before are such.
alter table users
  drop constraint users_email_key_lower,
  add constraint users_email_key_lower check (email_key = lower(email_key collate "C"));

alter table notices
  -- Why a mail was refused, where the cause is known: the mail server cannot carry an address beyond ASCII.
  add column refusal text,
  add constraint notices_refusal check (refusal in ('no_smtputf8'));
