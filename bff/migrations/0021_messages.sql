-- Notices go by message beside e-mail: one of each cause on each channel.
-- The constraint keeps its name, which the version before names when it writes a mail.

alter table notices
  add column channel text not null default 'email',
  -- Which order it is about; null: none.
  add column order_id uuid,
  -- As `sealed_email`, of a message.
  add column sealed_message text,
  add constraint notices_channel check (channel in ('email', 'message')),
  drop constraint notices_cause_key,
  add constraint notices_cause_key unique (provider_id, cause, channel),
  drop constraint notices_settled_whole,
  -- What could not be delivered may keep its text for a while, so that it can be sent again.
  add constraint notices_settled_whole check (
    (state = 'waiting') = (settled_at is null)
    and (state <> 'waiting' or coalesce(sealed_email, sealed_message) is not null)
    and (state <> 'sent' or (sealed_email is null and sealed_message is null))
    and (case channel when 'email' then sealed_message else sealed_email end) is null
  );

create index notices_undelivered on notices (provider_id, settled_at) where state in ('refused', 'given_up');

-- The telephones of the sandbox's patients.
create table sandbox_messages (
  id text primary key,
  provider_id text not null,
  message_id text not null,
  to_number text not null,
  body text not null,
  sent_at timestamptz not null,
  constraint sandbox_messages_once unique (provider_id, message_id)
);
create index sandbox_messages_by_time on sandbox_messages (provider_id, sent_at, id);
