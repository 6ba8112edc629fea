-- The stamp tax on the loan that the accepted agreement named as part of the commission. 0 for payments of before, which
-- named none.
alter table payment_attempts
  add column stamp_tax bigint not null default 0,
  add constraint payment_attempts_stamp_tax check (stamp_tax >= 0) not valid;
