-- Whose registration a notice is sent to or about, so that what waits or could not be delivered goes with an erasure; null:
-- it is about an order alone.
alter table notices add column beneficiary_id uuid;
create index notices_of_beneficiary on notices (beneficiary_id)
  where beneficiary_id is not null and coalesce(sealed_email, sealed_message) is not null;
