-- What the message with a known patient's code says that the code pays: clinic, total, amount now and saved card. The code is valid only
-- while all of it holds. The version before writes none of it; its codes are not valid here.
alter table recognitions
  -- The saved card that the code was requested for; null: the service chooses.
  add column asked_card uuid,
  add column clinic text,
  add column total bigint,
  add column today bigint,
  -- Null: no saved card.
  add column card_id uuid,
  add column card_last4 text,
  add constraint recognitions_terms check (
    (clinic is null) = (total is null) and (clinic is null) = (today is null) and (today between 0 and total)
  ) not valid,
  add constraint recognitions_card check (
    (card_id is null) = (card_last4 is null) and (card_id is null or clinic is not null)
  ) not valid;
