-- What becomes of claims after they were filed (decisions, section 8).

-- Filed claims whose access is blocked, which another access opens again.
create index claims_filed_and_blocked on claims (beneficiary_id) where state = 'filed' and blocked_since is not null;
-- The daily look for claims that nobody asks about any more.
create index claims_filed on claims (provider_id, id) where state = 'filed';
-- What waits for a person: a document that is missing.
create index claims_held on claims (provider_id, updated_at) where state = 'held';
