-- Every link to their data that a patient was sent in the last day, so that they are counted for each mailbox too.
alter table data_links drop constraint data_links_pkey;
alter table data_links add primary key (beneficiary_id, sent_at);
