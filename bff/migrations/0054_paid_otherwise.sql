-- What a patient has paid of the deferred part in another way than by card: all that was due, once for an order. An operator
-- says how it is known (`evidence`, without personal data).
create table payments_otherwise (
  provider_id uuid not null,
  order_id uuid not null,
  id uuid not null,
  amount bigint not null,
  -- What of the amount is commission; the rest is price.
  commission bigint not null,
  -- What refunds have claimed of it, and what of that is commission: it is owed to the patient by bank transfer.
  return_accepted bigint not null default 0,
  commission_return_accepted bigint not null default 0,
  evidence text not null,
  booked_by text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (provider_id, order_id),
  foreign key (provider_id, order_id) references orders (provider_id, id),
  constraint payments_otherwise_amount check (amount > 0 and commission between 0 and amount),
  constraint payments_otherwise_returns check (return_accepted between 0 and amount
    and commission_return_accepted between 0 and least(commission, return_accepted)),
  constraint payments_otherwise_evidence check (length(trim(evidence)) between 1 and 200)
);

-- A refund of it is a bank transfer that comes from no charge. The previous version reads such a movement as it reads the others
-- of its kind, and writes none.
alter table refund_movements
  drop constraint refund_movements_kind,
  add constraint refund_movements_kind check (kind in ('loan_reduction', 'card_return', 'loss_recovery', 'bank_transfer')
    and (kind <> 'loan_reduction' or payment_id is null)
    and (payment_id is null) <= (kind in ('loan_reduction', 'bank_transfer')));

-- When the deferred part was written off: nothing of it is charged any more, no commission either.
alter table orders
  add column deferred_written_off_at timestamptz,
  add constraint orders_written_off_after_failure check ((deferred_failed_at is null) <= (deferred_written_off_at is null));
update orders o set deferred_written_off_at = c.updated_at
from collections c
where c.provider_id = o.provider_id and c.order_id = o.id and c.failure = 'written_off' and o.deferred_failed_at is not null;
