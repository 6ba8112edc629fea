-- When a person has booked that a chargeback is lost; null: it is not.
alter table chargebacks add column lost_at timestamptz;
