-- A charge of the deferred part that never arrived may not be made any more: something was refunded or charged back meanwhile,
-- the patient has given another card, it is night. Then its attempt ends as one that was not made.
alter table collection_attempts
  -- When its call was last made anew, having never arrived; null: it was made once, when it began.
  add column called_at timestamptz,
  drop constraint collection_attempts_state,
  add constraint collection_attempts_state check (state in ('charging', 'captured', 'declined', 'not_made'));

-- Calls of which a party of the sandbox has said that they never arrived, and when it was asked: what was sent before that has
-- no effect any more.
create table sandbox_missed_calls (
  provider_id text not null,
  party text not null,
  operation text not null,
  idempotency_key text not null,
  asked_at timestamptz not null,
  primary key (provider_id, party, operation, idempotency_key)
);
