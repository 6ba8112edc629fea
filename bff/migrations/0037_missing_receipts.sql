-- Paid orders whose receipt the clinic had not sent when it was due. An operator sees those that still have no expense.
create table missing_receipts (
  provider_id uuid not null,
  order_id uuid not null,
  -- In the provider's time.
  noticed_at timestamptz not null,
  primary key (provider_id, order_id),
  foreign key (provider_id, order_id) references orders (provider_id, id)
);

-- Orders that were paid before this version: their patients are reminded as well of what keeps the claim from being filed.
insert into timers (kind, key, provider_id, due_at, payload)
  select 'claims.remind_unfiled', c.order_id::text, c.provider_id,
    c.paid_at + interval '3 days' - p.clock_offset_ms * interval '1 millisecond',
    jsonb_build_object('order_id', c.order_id)
  from collections c join providers p on p.id = c.provider_id
  where c.state in ('scheduled', 'processing') and not exists (
    select 1 from claims f where f.provider_id = c.provider_id and f.order_id = c.order_id and f.filed_at is not null);
