-- Whether a provider's patients may be under age. The version before asks nobody's age, and treats everybody as grown up.
alter table providers add column takes_minors boolean not null default false;

-- The registry knows the document, and its holder is under age.
alter table identity_checks drop constraint identity_checks_outcome;
alter table identity_checks add constraint identity_checks_outcome
  check (outcome in ('asked', 'match', 'no_match', 'document_not_valid', 'under_age', 'unavailable')) not valid;
