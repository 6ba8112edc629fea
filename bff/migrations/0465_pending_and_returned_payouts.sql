-- A transfer that the bank has accepted and makes later is in state `sending`, with the moment and its announced end.
-- One that came back after it was paid is `refused` again, with the moment of its return and the bank's reason.
alter table payouts
  add column taken_at timestamptz,
  add column ends_by timestamptz,
  add column returned_at timestamptz,
  drop constraint payouts_paid,
  add constraint payouts_paid check (state <> 'paid' or transfer_id is not null) not valid,
  add constraint payouts_taken
    check ((taken_at is null) = (ends_by is null) and (taken_at is null or transfer_id is not null)) not valid,
  add constraint payouts_returned
    check (returned_at is null or (state = 'refused' and transfer_id is not null)) not valid;

alter table sandbox_bank_transfers add column returned_at timestamptz;
