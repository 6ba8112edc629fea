-- Keys of the keyring that have made new values, from now on, and are not retired: no process starts without them. The version
-- before starts without any key, and writes none down.
alter table deployment add column required_keys text[] not null default '{}';
