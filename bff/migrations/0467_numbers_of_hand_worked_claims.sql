-- Concurrently: one claim has a number at an isapre. The version before writes no `insurer`, so that it never meets this.
create unique index concurrently if not exists hand_worked_claims_number_at_insurer
  on hand_worked_claims (provider_id, insurer, insurer_claim_id);
