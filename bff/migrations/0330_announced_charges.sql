-- A charge by the mandate is made on the day for which its patient was told of it, and takes no more than they were
-- told.
alter table collections
  add column announced_amount bigint,
  -- Null: by a process of the version before, which announces the charge of day 45 alone.
  add column announced_by text,
  -- When the patient was told; null until the notification is written.
  add column announced_at timestamptz,
  -- The charge that the patient was told of if access to the insurer stays blocked.
  add column blocked_announced_for timestamptz,
  add column blocked_announced_amount bigint,
  add column blocked_announced_at timestamptz,
  add constraint collections_announced check (
    (announced_by is null or (announced_for is not null and announced_amount > 0))
    and (announced_by in ('approval', 'card_page', 'notification'))
    and (announced_at is null or announced_by is not null)
    -- A charge that its patient does not start is announced on an earlier day, but for an approval's.
    and (announced_at is null or announced_by <> 'notification'
      or (announced_at at time zone 'America/Santiago')::date < (announced_for at time zone 'America/Santiago')::date)
  ) not valid,
  add constraint collections_blocked_announced check (
    (blocked_announced_for is null) = (blocked_announced_amount is null)
    and (blocked_announced_for is null) = (blocked_announced_at is null)
    and blocked_announced_amount > 0
    and (blocked_announced_at at time zone 'America/Santiago')::date
      < (blocked_announced_for at time zone 'America/Santiago')::date
  ) not valid;

-- What the page showed of the charge that follows when the patient gave the card: with it, that charge needs no
-- announcement.
alter table card_authentications add column shown_charge jsonb;

-- A charge that is due and was told of by the version before: with the approval, the blocked access, or the try that
-- was declined.
update collections c set announced_for = c.due_at
  where c.state = 'scheduled' and exists (
    select from collection_triggers t where t.provider_id = c.provider_id and t.order_id = c.order_id);

-- No charge by the mandate begins before its announcement, whatever a process believes; one of the version before is
-- stopped too.
create function refuse_charge_without_announcement() returns trigger language plpgsql as $$
begin
  if new.initiator = 'merchant' and exists (select from collections c
    where c.provider_id = new.provider_id and c.order_id = new.order_id
      and c.announced_by is not null and (c.announced_at is null or c.announced_for > new.started_at
        or (c.announced_for at time zone 'America/Santiago')::date
          <> (new.started_at at time zone 'America/Santiago')::date)) then
    raise exception 'the patient was not told of a charge on this day' using errcode = 'restrict_violation';
  end if;
  return new;
end
$$;
create trigger collection_attempts_are_announced before insert on collection_attempts
  for each row execute function refuse_charge_without_announcement();
