-- What the message with a known patient's code says that it pays: the clinic, the order's total, what is charged at once, and the saved
-- card, if it pays with one. The code counts only while all of that holds. A code of the version before says none of it, and does not count.
alter table recognitions
  -- The saved card that the patient asked for; null: the one that the service chooses.
  add column asked_card uuid,
  add column clinic text,
  add column total bigint,
  add column today bigint,
  add column card_id uuid,
  add column card_last4 text,
  add constraint recognitions_terms check (num_nulls(clinic, total, today) in (0, 3)) not valid,
  add constraint recognitions_card check ((card_id is null) = (card_last4 is null)) not valid;
alter table recognitions validate constraint recognitions_terms;
alter table recognitions validate constraint recognitions_card;
