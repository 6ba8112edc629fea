-- A plan is one provider's: in production all providers serve the same patients, and one could cancel or read another's.
-- Stop: the version before sets a plan by the patient alone.
alter table subscriptions drop constraint subscriptions_pkey;
alter table subscriptions add primary key (beneficiary_id, provider_id);
