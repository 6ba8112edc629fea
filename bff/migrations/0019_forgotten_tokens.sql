-- Tokens end by being used too, and what they hold of a person is forgotten from then on.
drop index widget_tokens_not_forgotten;
create index widget_tokens_not_forgotten on widget_tokens (coalesce(used_at, expires_at))
  where rut is not null or user_data <> '{}'::jsonb or provider_data is not null;
create index recoveries_by_age on recoveries (created_at);
