-- The insurer's code of a rejected claim, which the clinic reads; the text in `reason` is the patient's alone. The version before
-- neither reads nor writes it. The column is new, so that no row could break the check (`not valid`).
alter table claims add column rejection_code text;
alter table claims
  add constraint claims_rejection_code check (rejection_code is null or (state = 'rejected' and rejection_code ~ '^[A-Za-z0-9._-]{1,64}$')) not valid;
