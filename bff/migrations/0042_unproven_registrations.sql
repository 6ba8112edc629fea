-- A registration that nobody proved is worth nothing against a patient. It stands in a domain of its own, its visit's, where
-- no look-up by RUT finds it, until a code to its mailbox or the national registry proves it. The version before finds and
-- changes none of them. Registrations from before are taken as proven.
alter table beneficiaries
  -- Until when it may still be proved: the end of its widget token. Null: it is proven.
  add column proof_until timestamptz,
  -- By what it was proved; null: before this was kept.
  add column proved_by text,
  add constraint beneficiaries_proved_by check (proved_by in ('code', 'registry')),
  add constraint beneficiaries_unproven_apart check ((proof_until is null) = (tenant not like 'visit:%'));
create index beneficiaries_unproven on beneficiaries (provider_id, rut) where proof_until is not null;
create index beneficiaries_proof_until on beneficiaries (proof_until) where proof_until is not null;
