-- Identity checks of a recovery count by the order whose hash the visit has, or else by the patient alone: who knows just a RUT
-- uses nothing up of a checkout's.
alter table recovery_identity_checks add column order_id uuid;
