-- When a person has said that a chargeback was won; null: it was not. Until it is won or lost, nobody has said who bears it:
-- that its collection goes on (released_at) says nothing of that.
alter table chargebacks add column won_at timestamptz,
  add constraint chargebacks_one_end check (won_at is null or lost_at is null);
create index chargebacks_undecided on chargebacks (provider_id, order_id) where won_at is null and lost_at is null;
