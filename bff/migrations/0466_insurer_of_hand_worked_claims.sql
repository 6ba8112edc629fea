-- Claim numbers are unique per isapre. Null for a claim that was filed before.
alter table hand_worked_claims add column insurer text;
alter table hand_worked_claims drop constraint hand_worked_claims_number;
