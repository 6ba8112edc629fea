-- A message that the service asked for. One row per key, for ever: it is never sent twice.

create table messages (
  -- Our name of it at Meta.
  id text primary key,
  provider_id text not null,
  idempotency_key text not null,
  at timestamptz not null,
  begun_at timestamptz not null,
  -- planned: WhatsApp has not taken it. sending: it may have. by_sms: the fallback has to send it.
  state text not null default 'planned',
  -- Meta's id of it.
  wamid text unique,
  -- Number and text for the fallback; deleted once they are not needed any more.
  content jsonb,
  -- Why it was refused, in the protocol's words.
  reason text,
  changed_at timestamptz not null,
  constraint messages_state check
    (state in ('planned', 'sending', 'accepted', 'delivered', 'by_sms', 'sent_by_sms', 'refused')),
  constraint messages_reason check ((state = 'refused') = (reason is not null)),
  constraint messages_content check (state not in ('delivered', 'sent_by_sms', 'refused') or content is null)
);

create index messages_by_sms on messages (changed_at) where state = 'by_sms';
create index messages_with_content on messages (begun_at) where content is not null;
