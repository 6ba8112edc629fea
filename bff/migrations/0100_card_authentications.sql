-- What a card's issuer was asked after the order was paid: whether the patient is who replaces the card, or who pays the rest
-- early. Written down before the processor is called; `id` makes the call's idempotency key. The version before runs beside it: it
-- asks no issuer, and takes a card without a row for one that was not asked about.
create table card_authentications (
  provider_id uuid not null,
  order_id uuid not null,
  id uuid not null,
  purpose text not null,
  -- Counts the askings of an order for one purpose.
  number int not null,
  -- `dropped`: the patient began anew, or what was asked about had changed by the time of the answer.
  state text not null,
  card_id text not null,
  -- The new card, kept only while its issuer is asked.
  card jsonb,
  amount bigint not null,
  -- The link that is used up with the change; null where it is not by a link.
  widget_token_id uuid,
  authentication_id text,
  challenge_url text,
  challenge_expires_at timestamptz,
  decline_reason text,
  inquiries int not null default 0,
  started_at timestamptz not null,
  ended_at timestamptz,
  primary key (provider_id, order_id, id),
  foreign key (provider_id, order_id) references collections (provider_id, order_id),
  constraint card_authentications_purpose check (purpose in ('card_change', 'pay_early')),
  constraint card_authentications_state check (state in ('authenticating', 'challenged', 'proven', 'declined', 'dropped')),
  constraint card_authentications_amount check (amount >= 0),
  constraint card_authentications_card check ((card is not null) = (purpose = 'card_change' and ended_at is null)),
  constraint card_authentications_challenge check ((challenge_url is not null) = (state = 'challenged')),
  constraint card_authentications_expiry check ((challenge_expires_at is not null) or state <> 'challenged'),
  constraint card_authentications_declined check ((decline_reason is not null) = (state = 'declined')),
  constraint card_authentications_ended check ((ended_at is not null) = (state in ('proven', 'declined', 'dropped')))
);
create unique index card_authentications_number on card_authentications (provider_id, order_id, purpose, number);
create unique index card_authentications_one_open on card_authentications (provider_id, order_id, purpose)
  where state in ('authenticating', 'challenged');

-- The processor's name of the authentication that a charge carries: of the patient who pays now, or of the mandate for a card that
-- was given later.
alter table collection_attempts add column authentication_id text;

-- A card whose issuer asked and was not answered is charged by nobody, whatever a process believes.
create function refuse_charge_without_authentication() returns trigger language plpgsql as $$
begin
  if (select not bool_or(a.state = 'proven') from card_authentications a where a.provider_id = new.provider_id
    and a.order_id = new.order_id and a.card_id = new.card_id and a.purpose = 'card_change') then
    raise exception 'the issuer of this card has not confirmed its patient' using errcode = 'restrict_violation';
  end if;
  return new;
end
$$;
create trigger collection_attempts_need_an_authentication before insert on collection_attempts
  for each row execute function refuse_charge_without_authentication();

-- The sandbox's processor: a mandate is asked about before anything is charged, also where a refund claims all that is left.
alter table sandbox_authentications add column purpose text not null default 'payment';
alter table sandbox_authentications add constraint sandbox_authentications_purpose check (purpose in ('payment', 'mandate')) not valid;
alter table sandbox_authentications drop constraint sandbox_authentications_amount_check;
alter table sandbox_authentications add constraint sandbox_authentications_amount check (amount >= 0) not valid;
