-- The card processor may take a return and tell days later how it ended, and may say why it refuses one. `…taken_at`: when it said
-- that it has taken it; `…ends_by`: until when it is to tell the end. The version before reads neither: to it the outcome of such a
-- return is unknown, and it asks about it every hour.
alter table refund_movements
  add column return_taken_at timestamptz,
  add column return_ends_by timestamptz,
  add column return_refusal text,
  add constraint refund_movements_taken check ((return_taken_at is null) = (return_ends_by is null)) not valid,
  add constraint refund_movements_refusal check (return_refusal in ('too_old', 'disputed')) not valid;
alter table payment_attempts
  add column return_taken_at timestamptz,
  add column return_ends_by timestamptz,
  add column return_refusal text,
  add constraint payment_attempts_taken check ((return_taken_at is null) = (return_ends_by is null)) not valid,
  add constraint payment_attempts_refusal check (return_refusal in ('too_old', 'disputed')) not valid;
alter table charge_returns
  add column taken_at timestamptz,
  add column ends_by timestamptz,
  add column refusal text,
  add constraint charge_returns_taken check ((taken_at is null) = (ends_by is null)) not valid,
  add constraint charge_returns_refusal check (refusal in ('too_old', 'disputed')) not valid;

-- Which of the card's limits an issuer has declined a charge for, if it says so; the version before tells the reason alone.
alter table order_payments
  add column decline_limit text,
  add constraint order_payments_decline_limit check (decline_limit in ('amount', 'uses')) not valid;
alter table collection_attempts
  add column decline_limit text,
  add constraint collection_attempts_decline_limit check (decline_limit in ('amount', 'uses')) not valid;
