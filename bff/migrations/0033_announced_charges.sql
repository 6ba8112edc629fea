-- The charge of day 45 is not made before the day for which its patient was told of it.
alter table collections
  -- That day and hour; null: the patient was not told. One that the version before tells of while it still runs is charged
  -- three days later.
  add column announced_for timestamptz;

update collections c
  set announced_for =
    ((c.paid_at at time zone 'America/Santiago')::date + 45 + time '09:00') at time zone 'America/Santiago'
  where c.state in ('scheduled', 'processing', 'stopped', 'failed') and exists (
    select 1 from notices n where n.provider_id = c.provider_id and n.cause = 'charge_announced:' || c.order_id);
