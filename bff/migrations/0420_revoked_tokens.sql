-- When a partner revoked the token; null for any other. The version before neither reads nor writes it.
alter table widget_tokens add column revoked_at timestamptz;
