-- Keys of the keyring that nothing needs any more: a process may start without them. The version before starts without any key.
alter table deployment add column retired_keys text[] not null default '{}';
