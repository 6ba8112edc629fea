-- Concurrently: an operator searches the orders of an address, and reads everything that is kept about one order. Events without a
-- number and notices were read by nobody in this way. The version before runs beside them.
create index concurrently if not exists orders_customer_email on orders (lower(customer_email collate "C"));
create index concurrently if not exists events_order_unnumbered on events (order_id) where order_id is not null and sequence is null;
create index concurrently if not exists notices_of_order on notices (order_id) where order_id is not null;
