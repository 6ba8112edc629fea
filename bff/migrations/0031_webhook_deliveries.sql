-- Stop: the version before does not write what was accepted into the delivery, which would not be written down then. Deliveries
-- whose ids were not made of their endpoints and events have never been in a release.

-- The id of an event's delivery, made from whom it is for and what it is known by (a version-8 UUID): there is one for ever.
create function webhook_delivery_id(endpoint_id uuid, webhook_id uuid) returns uuid
language sql immutable parallel safe
return overlay(overlay(
  encode(substr(sha256((endpoint_id::text || webhook_id::text)::bytea), 1, 16), 'hex')
  placing '8' from 13) placing '8' from 17)::uuid;

-- So that the key itself allows one, and no second index has to be kept for it.
alter table webhook_deliveries
  drop constraint webhook_deliveries_once,
  add constraint webhook_deliveries_once
    check (kind = 'endpoint.test' or id = webhook_delivery_id(endpoint_id, webhook_id));

-- What a later event of the same order waits for. Looked up by the order: few deliveries are of one, and any number for an
-- endpoint.
drop index webhook_deliveries_first_attempts;
create index webhook_deliveries_first_attempts on webhook_deliveries (order_id, sequence)
  where status = 'queued' and not attempted;

-- Room on its page for the lease and for the end of every delivery.
alter table webhook_deliveries set (fillfactor = 50);

-- The attempt that was accepted is told by the delivery itself, whose last it is: most deliveries need no other row. A
-- replay puts it beside the others.
alter table webhook_deliveries
  add column accepted_started_at timestamptz,
  add column accepted_status int,
  -- The first bytes of the receiver's answer.
  add column accepted_answer text;
with accepted as (
  delete from webhook_attempts a using webhook_deliveries d
  where d.id = a.delivery_id and d.status = 'delivered' and a.number = d.attempts and a.outcome = 'succeeded'
  returning a.delivery_id, a.started_at, a.status, a.answer
)
update webhook_deliveries d
set accepted_started_at = a.started_at, accepted_status = a.status, accepted_answer = a.answer
from accepted a where a.delivery_id = d.id;
alter table webhook_deliveries
  add constraint webhook_deliveries_accepted check (
    case when status = 'delivered'
      then accepted_started_at is not null and accepted_status is not null and accepted_status between 200 and 299
      else accepted_started_at is null and accepted_status is null and accepted_answer is null
    end
  ),
  add constraint webhook_deliveries_answer check (octet_length(accepted_answer) <= 16384);

-- Every attempt that was made, wherever it is kept.
create view all_webhook_attempts as
select delivery_id, number, round, started_at, ended_at, outcome, failure, status, answer from webhook_attempts
union all
select id, attempts, round, accepted_started_at, ended_at, 'succeeded', null, accepted_status, accepted_answer
from webhook_deliveries where status = 'delivered';
