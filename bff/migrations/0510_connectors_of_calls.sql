-- Which connector took a call that moves money. Only that connector knows the call's idempotency key, so only it is asked again. Null:
-- not sent yet, or stored by an earlier version. The version before ignores the columns.
alter table payment_attempts add column processor_connector text, add column lender_connector text;
alter table order_refunds add column processor_connector text, add column lender_connector text;
alter table collection_attempts add column connector text;
alter table payouts add column connector text;
alter table charge_returns add column connector text;
alter table loan_cancellations add column connector text;

-- The connector that each of these parties has now, for the operators' exceptions. Written by each process when it starts.
create table party_connectors (
  party text primary key,
  current_connector text not null
);
