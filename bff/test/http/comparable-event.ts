import type { WebhookEvent } from "../../src/contract/webhook-events.ts";

/** The fields that the guide's example of an event shares with the events of such orders: no ids, days or names. */
export function comparable({ event, sequence, status, failure, refund_id, data: { order } }: WebhookEvent) {
  const { installments, commission } = order.plan.data;
  return {
    event,
    sequence,
    status,
    failure,
    refund: order.refunds.findIndex(({ id }) => id === refund_id),
    total_amount: order.total_amount,
    paid_amount: order.paid_amount,
    pending_amount: order.pending_amount,
    captured_amount: order.captured_amount,
    refunded_amount: order.refunded_amount,
    readiness: order.readiness,
    installments: installments.map(({ number, amount, status: state }) => ({ number, amount, state })),
    commission,
    payments: order.payments.map(({ kind, status: state, amount, returned_amount, decline_reason }) => ({
      kind,
      state,
      amount,
      returned_amount,
      decline_reason,
    })),
    refunds: order.refunds.map(({ id: _id, created_at: _at, ...refund }) => refund),
    expense: order.expense?.status,
    claim: order.claim,
    missing_step: order.missing_step,
    collection: order.collection && { ...order.collection, due_at: order.collection.due_at !== null },
    tax_documents: order.tax_documents?.map(({ kind, amount, net, vat }) => ({ kind, amount, net, vat })),
  };
}
