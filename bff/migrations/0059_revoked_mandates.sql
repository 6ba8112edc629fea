-- The card (its processor's id) that may be charged no more, because the patient has revoked the mandate; another card is a new
-- mandate. The trigger stops a process of the version before too, which does not know of it: its charge waits.
alter table collections add column revoked_card_id text;
alter table collections add column revoked_at timestamptz;
alter table collections add constraint collections_revoked check ((revoked_card_id is null) = (revoked_at is null));

create function refuse_charge_without_mandate() returns trigger language plpgsql as $$
begin
  if exists (select from collections c where c.provider_id = new.provider_id and c.order_id = new.order_id
    and c.revoked_card_id = new.card_id) then
    raise exception 'the mandate to charge this card was revoked' using errcode = 'restrict_violation';
  end if;
  return new;
end
$$;
create trigger collection_attempts_need_a_mandate before insert on collection_attempts
  for each row execute function refuse_charge_without_mandate();
