-- An insurer's callback names its own claim.
create index claims_of_insurer on claims (provider_id, insurer_claim_id) where insurer_claim_id is not null;
