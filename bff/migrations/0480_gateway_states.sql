-- What each process last saw of each gateway, for the operators' console, which is another process. In real time. The version before
-- ignores it.
create table gateway_states (
  process_id uuid not null,
  party text not null,
  answered_at timestamptz,
  unanswered_at timestamptz,
  -- Since when this process makes no calls for requests, or for background work, because the gateway failed; null: it makes them.
  requests_stopped_at timestamptz,
  background_stopped_at timestamptz,
  seen_at timestamptz not null,
  primary key (process_id, party)
);
