import type { Facts } from "./facts.ts";

/** One line of an end. */
export type EndLine = string;

/**
 * The end state of a life, without irrelevant differences: ids, keys, times, and the sequence of independent actions.
 * Orders are named by their clinics' references.
 */
export function endOf(facts: Facts): EndLine[] {
  const named = new Map(facts.orders.map(({ id, reference }) => [id, reference]));
  const order = (id: string | null) => (id === null ? "-" : (named.get(id) ?? "another's"));
  const eventOf = new Map(facts.events.map(({ id, order_id }) => [id, order(order_id)]));
  const refundOf = new Map(facts.order_refunds.map(({ id, order_id }) => [id, order(order_id)]));
  const lines = (what: string, values: readonly (readonly unknown[])[]) =>
    values.map((fields) => [what, ...fields.map(String)].join(" "));
  return [
    ...lines(
      "order",
      facts.orders.map((o) => [
        o.reference,
        o.state,
        o.total,
        o.refunded,
        o.deferred_cancelled,
        o.deferred_collected,
        o.event_sequence,
      ]),
    ),
    ...lines(
      "payment",
      facts.order_payments.map((p) => [order(p.order_id), p.kind, p.status, p.amount, p.returned]),
    ),
    ...lines(
      "attempt",
      facts.payment_attempts.map((a) => [order(a.order_id), a.state]),
    ),
    ...lines(
      "refund",
      facts.order_refunds.map((r) => [order(r.order_id), r.amount, r.status]),
    ),
    ...lines(
      "movement",
      facts.refund_movements.map((m) => [refundOf.get(m.refund_id), m.kind, m.commission, m.status]),
    ),
    ...lines(
      "event",
      facts.events.map((e) => [order(e.order_id), e.sequence, e.kind, e.status]),
    ),
    ...lines(
      "ledger",
      facts.ledger_transfers.map((t) => [order(t.order_id), t.debit, t.credit, t.amount, t.cause.split(":")[0]]),
    ),
    ...lines(
      "collection",
      facts.collections.map((c) => [order(c.order_id), c.state, c.failure, c.card_ending]),
    ),
    ...lines(
      "trigger",
      facts.collection_triggers.map((t) => [order(t.order_id), t.reason]),
    ),
    ...lines(
      "charge",
      facts.collection_attempts.map((a) => [order(a.order_id), a.initiator, a.state, a.decline_reason]),
    ),
    ...lines(
      "delivery",
      facts.webhook_deliveries.map((d) => [eventOf.get(d.event_id ?? "") ?? order(d.order_id), d.kind, d.status]),
    ),
    ...lines(
      "chargeback",
      facts.chargebacks.map((c) => [
        order(c.order_id),
        c.amount,
        c.released_at !== null,
        c.lost_at !== null,
        c.won_at !== null,
      ]),
    ),
    ...lines(
      "notice",
      facts.notices.map((n) => [order(n.order_id), n.kind, n.channel, n.state]),
    ),
    ...lines(
      "consent",
      facts.consents.map((c) => [order(c.order_id), c.purpose, c.withdrawn_at !== null]),
    ),
    ...lines(
      "expense",
      facts.expenses.map((e) => [order(e.order_id), e.status]),
    ),
    ...lines(
      "claim",
      facts.claims.map((c) => [order(c.order_id), c.state]),
    ),
    ...lines(
      "saved card",
      facts.saved_cards.map((c) => [order(c.order_id), c.state]),
    ),
    ...lines(
      "payout",
      facts.payouts.map((p) => [p.amount, p.state]),
    ),
    ...lines(
      "payout of",
      facts.payout_items.map((i) => [order(i.order_id), i.net, i.fee]),
    ),
    ...lines(
      "settled",
      facts.card_settlement_lines.map((l) => [l.kind, l.amount, l.fee, l.fee_vat]),
    ),
    ...lines(
      "at the processor",
      facts.sandbox_movements.map((m) => [order(m.order_hash), m.kind, m.amount, m.returned]),
    ),
    ...lines(
      "at the lender",
      facts.sandbox_loans.map((l) => [
        order(l.order_hash),
        l.amount,
        l.remaining,
        l.status,
        l.reported_end,
        l.reported_amount,
      ]),
    ),
    ...lines(
      "at the insurer",
      facts.sandbox_claims.map((c) => [order(c.order_hash)]),
    ),
    ...lines(
      "at the bank",
      facts.sandbox_bank_transfers.map((t) => [t.amount, t.account_ending]),
    ),
    ...lines(
      "tax document",
      facts.sandbox_tax_documents.map((d) => [d.kind, d.net, d.vat]),
    ),
    ...lines(
      "mail",
      facts.sandbox_notices.map((n) => [n.subject]),
    ),
  ].toSorted();
}

/** The lines that occur more often in one end than in the other, repeated as often as the counts differ. */
export function endsApart(
  one: readonly EndLine[],
  other: readonly EndLine[],
): { readonly only: EndLine[]; readonly lacking: EndLine[] } {
  const rest = [...other];
  const only = one.filter((line) => {
    const at = rest.indexOf(line);
    if (at < 0) return true;
    rest.splice(at, 1);
    return false;
  });
  return { only, lacking: rest };
}
