-- What the patient's bank has taken back of a charge and not given back, what of that is lost for good, and what of the loss
-- refunds have claimed: the patient has it already, so that it does not go to the card again.
alter table order_payments
  add column disputed bigint not null default 0,
  add column lost bigint not null default 0,
  add column recovery_accepted bigint not null default 0,
  add constraint order_payments_lost_of_disputed check (0 <= lost and lost <= disputed),
  add constraint order_payments_recovered_of_lost check (recovery_accepted between 0 and least(lost, return_accepted));

update order_payments p set disputed = c.disputed, lost = c.lost
from (
  select provider_id, order_id, charge_id, sum(amount) as disputed, coalesce(sum(amount) filter (where lost_at is not null), 0) as lost
  from chargebacks where won_at is null group by provider_id, order_id, charge_id
) as c
where p.provider_id = c.provider_id and p.order_id = c.order_id and p.charge_id = c.charge_id;

-- Two more sources of a refund. Neither needs a call, so that both are written as done: the previous version leaves them alone.
alter table refund_movements
  drop constraint refund_movements_kind,
  add constraint refund_movements_kind check (kind in ('loan_reduction', 'card_return', 'loss_recovery', 'bank_transfer')
    and (kind = 'loan_reduction') = (payment_id is null));
-- When an operator has made the transfer that a movement owes to the patient.
alter table refund_movements
  add column transferred_at timestamptz,
  add constraint refund_movements_transferred check (transferred_at is null or kind = 'bank_transfer');
