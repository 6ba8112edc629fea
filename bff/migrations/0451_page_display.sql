-- How a page of the processor or the issuer is opened: in a frame, or in its own window. Null is a frame.
alter table card_attempts add column page_display text;
alter table card_attempts add constraint card_attempts_page_display check (page_display in ('frame', 'window')) not valid;
alter table payment_attempts add column challenge_display text;
alter table payment_attempts
  add constraint payment_attempts_challenge_display check (challenge_display in ('frame', 'window')) not valid;
