-- One table for whatever may send a patient to a page of the processor or of the card's issuer: the registrations of
-- cards, and the authentications of cards after the payment. The version before reads and writes it through two views
-- that have its tables' names. Authentications are few, and are copied; registrations stay where they are.
lock table card_registrations, card_authentications in access exclusive mode;
alter table card_registrations rename to card_attempts;
alter table card_attempts
  -- The new card, kept only while its issuer is asked.
  add column card jsonb,
  -- What the issuer is asked about.
  add column amount bigint,
  add column shown_charge jsonb,
  add column authentication_id text,
  add column network_transaction_id text;

-- `new_card`: the authentication of a card for what is still to be charged. `pay_early`: of a charge that the patient
-- starts.
alter table card_attempts
  drop constraint card_registrations_purpose,
  drop constraint card_registrations_state,
  drop constraint card_registrations_page,
  drop constraint card_registrations_expiry,
  drop constraint card_registrations_ended,
  add constraint card_attempts_purpose check (purpose in ('payment', 'card_change', 'new_card', 'pay_early')) not valid,
  add constraint card_attempts_state check (state in ('registering', 'at_page', 'registered', 'abandoned',
    'expires_too_soon', 'authenticating', 'challenged', 'proven', 'declined', 'dropped')) not valid,
  add constraint card_attempts_state_of_purpose check (state in ('declined', 'dropped')
    or (purpose in ('new_card', 'pay_early')) = (state in ('authenticating', 'challenged', 'proven'))) not valid,
  add constraint card_attempts_page check ((page_url is not null) = (state in ('at_page', 'challenged'))) not valid,
  add constraint card_attempts_expiry check (page_expires_at is not null or state not in ('at_page', 'challenged')) not valid,
  add constraint card_attempts_ended
    check ((ended_at is null) = (state in ('registering', 'at_page', 'authenticating', 'challenged'))) not valid,
  add constraint card_attempts_authenticated
    check (purpose not in ('new_card', 'pay_early') or (card_id is not null and amount >= 0)) not valid,
  add constraint card_attempts_new_card check ((card is not null) = (purpose = 'new_card' and ended_at is null)) not valid,
  add constraint card_attempts_network_transaction check (network_transaction_id is null
    or (length(network_transaction_id) between 1 and 64 and state = 'proven')) not valid;

insert into card_attempts (provider_id, order_id, id, purpose, number, state, card_id, card, amount, widget_token_id,
    authentication_id, page_url, page_expires_at, decline_reason, inquiries, started_at, ended_at,
    network_transaction_id, shown_charge)
  select provider_id, order_id, id, case purpose when 'card_change' then 'new_card' else purpose end, number, state,
    card_id, card, amount, widget_token_id, authentication_id, challenge_url, challenge_expires_at, decline_reason,
    inquiries, started_at, ended_at, network_transaction_id, shown_charge
  from card_authentications;
drop table card_authentications;

create or replace function refuse_charge_without_authentication() returns trigger language plpgsql as $$
begin
  if (select not bool_or(a.state = 'proven') from card_attempts a where a.provider_id = new.provider_id
    and a.order_id = new.order_id and a.card_id = new.card_id and a.purpose = 'new_card') then
    raise exception 'the issuer of this card has not confirmed its patient' using errcode = 'restrict_violation';
  end if;
  return new;
end
$$;

-- For the version before; the release after this one drops them.
create view card_registrations as
  select provider_id, order_id, id, purpose, number, state, widget_token_id, given, page_url, page_expires_at, card_id,
    decline_reason, inquiries, started_at, ended_at
  from card_attempts where purpose in ('payment', 'card_change');
create view card_authentications as
  select provider_id, order_id, id, case purpose when 'new_card' then 'card_change' else purpose end as purpose, number,
    state, card_id, card, amount, widget_token_id, authentication_id, page_url as challenge_url,
    page_expires_at as challenge_expires_at, decline_reason, inquiries, started_at, ended_at, network_transaction_id,
    shown_charge
  from card_attempts where purpose in ('new_card', 'pay_early');
create function insert_card_authentication() returns trigger language plpgsql as $$
begin
  new.inquiries := coalesce(new.inquiries, 0);
  insert into card_attempts (provider_id, order_id, id, purpose, number, state, card_id, card, amount, widget_token_id,
      authentication_id, page_url, page_expires_at, decline_reason, inquiries, started_at, ended_at,
      network_transaction_id, shown_charge)
    values (new.provider_id, new.order_id, new.id,
      case new.purpose when 'card_change' then 'new_card' else new.purpose end, new.number, new.state, new.card_id,
      new.card, new.amount, new.widget_token_id, new.authentication_id, new.challenge_url, new.challenge_expires_at,
      new.decline_reason, new.inquiries, new.started_at, new.ended_at, new.network_transaction_id, new.shown_charge);
  return new;
end
$$;
create trigger card_authentications_insert instead of insert on card_authentications
  for each row execute function insert_card_authentication();
