import { claimView, type FilingFacts, lackingOf } from "../claims/filing-facts.ts";
import { type CollectionFacts, publishedCollection } from "../collection/collection.ts";
import { clp, subtractClp } from "../contract/vocabulary/clp.ts";
import { vatIn } from "../contract/vocabulary/commission-tax.ts";
import type { WebhookEvent, WebhookEventKind } from "../contract/webhook-events.ts";
import type { OrderRecord, PaymentRecord } from "../orders/order-record.ts";
import { partnerOrder, type RelatedParts } from "../orders/order-view.ts";
import { expenseExample, failedOrder, orderOfStatus, unrefundedOrder, waitingCollection } from "./order-example.ts";

/** An event, with the order and its other parts as they are after it. */
interface Happened {
  readonly order: OrderRecord;
  readonly related: RelatedParts;
  /** Default: when the order last changed. */
  readonly at?: Date;
  readonly sequence: number;
  readonly about?: Partial<Pick<WebhookEvent, "failure" | "refund_id" | "chargeback">>;
}

const { paid } = orderOfStatus;

/* Times of the events after the payment. */
const accessMissingAt = new Date("2026-11-20T15:31:00.000Z");
const filedAt = new Date("2026-11-20T16:02:10.000Z");
const heldAt = new Date("2026-11-20T18:30:00.000Z");
const blockedAt = new Date("2026-11-22T16:02:10.000Z");
const receiptMissingAt = new Date("2026-11-23T13:00:00.000Z");
const resolvedAt = new Date("2026-11-25T16:02:10.000Z");
const chargedAt = new Date("2026-11-25T16:02:14.000Z");
const triedAgainAt = new Date("2026-11-27T16:02:14.000Z");
const disputedAt = new Date("2026-11-27T12:00:00.000Z");
const disputeClosedAt = new Date("2026-12-03T15:00:00.000Z");

/* Events of the order's status, and of its refunds and its missing receipt, do not include the claim. */
const unpaid: RelatedParts = { expense: null, collection: null };
const uncollected: RelatedParts = { expense: null, collection: waitingCollection };

type ClaimFacts = Partial<Pick<FilingFacts, "documents" | "rejectionCode" | "hasAccess">> & {
  readonly state: NonNullable<FilingFacts["claim"]>["state"];
  readonly isBlocked?: boolean;
};

/** The related parts in an event about the claim, the later charge or a chargeback. */
function withClaim(
  expense: NonNullable<FilingFacts["expense"]>,
  { state, isBlocked = false, documents = [], rejectionCode = null, hasAccess = true }: ClaimFacts,
  collection: RelatedParts["collection"] = waitingCollection,
): RelatedParts {
  const wasFiled = state !== "access_missing" && state !== "held";
  const claim = { state, isBlocked, wasFiled };
  const facts = { order: "paid", expense, claim, documents, rejectionCode, hasAccess, isWithdrawn: false } as const;
  return {
    expense: { id: expenseExample.id, status: expense },
    claim: claimView(facts),
    missing_step: lackingOf(facts)?.access === true ? "insurer_access" : null,
    collection,
  };
}

const filed = (collection: RelatedParts["collection"] = waitingCollection) =>
  withClaim("filed", { state: "filed" }, collection);

/** An approved claim, which makes the later charge due. */
const approved = (state: CollectionFacts["state"], dueAt: Date | null) =>
  withClaim("approved", { state: "approved" }, publishedCollection({ state, dueAt, trigger: { reason: "approved" } }));

const commission = clp(2_800);
const [firstPayment] = paid.payments as readonly [PaymentRecord];

function laterPayment(changes: Pick<PaymentRecord, "status" | "declineReason">): PaymentRecord {
  const id = "1f9c6b52-7d08-4e3a-b5f4-c2a90e6d7813";
  const amount = clp(paid.deferred + commission);
  return { ...firstPayment, ...changes, id, kind: "deferred", amount, commission, createdAt: chargedAt };
}

function triedWith(payment: PaymentRecord): OrderRecord {
  return { ...paid, payments: [firstPayment, payment], updatedAt: payment.createdAt };
}

const vat = vatIn(paid.commissionTax, commission);
const later = laterPayment({ status: "captured", declineReason: null });
const collected: OrderRecord = {
  ...triedWith(later),
  deferredCollected: paid.deferred,
  taxDocuments: [
    { kind: "boleta", sourceId: later.id, net: subtractClp(commission, vat), vat, dueAt: chargedAt, issued: null },
  ],
};
const givenUp: OrderRecord = {
  ...triedWith(laterPayment({ status: "declined", declineReason: "card_lost_or_stolen" })),
  deferredFailedAt: chargedAt,
};

/** While a chargeback waits for an operator, nothing is collected. */
const stopped = filed(publishedCollection({ state: "stopped", dueAt: null, trigger: null }));

const happened: Readonly<Record<WebhookEventKind, Happened>> = {
  "order.paid": { order: paid, related: unpaid, sequence: 1 },
  "order.partially_paid": { order: orderOfStatus.partially_paid, related: unpaid, sequence: 1 },
  "order.refunded": { order: orderOfStatus.partially_refunded, related: uncollected, sequence: 2 },
  "order.failed": {
    order: failedOrder,
    related: unpaid,
    sequence: 1,
    about: { failure: { code: "credit_declined", message: "The financing provider refused the credit." } },
  },
  "order.cancelled": { order: orderOfStatus.cancelled, related: unpaid, sequence: 1 },
  "order.changed": { order: paid, related: unpaid, sequence: 1 },
  "order.receipt_missing": { order: paid, related: uncollected, at: receiptMissingAt, sequence: 2 },
  "order.refund_failed": {
    order: unrefundedOrder,
    related: uncollected,
    sequence: 2,
    about: { refund_id: unrefundedOrder.refunds[0]?.id },
  },
  "claim.filed": { order: paid, related: filed(), at: filedAt, sequence: 2 },
  "claim.held": {
    order: paid,
    related: withClaim("held", { state: "held", documents: ["medical_order"] }),
    at: heldAt,
    sequence: 2,
  },
  "claim.approved": { order: paid, related: approved("scheduled", resolvedAt), at: resolvedAt, sequence: 3 },
  "claim.rejected": {
    order: paid,
    related: withClaim("rejected", { state: "rejected", rejectionCode: "not_covered" }),
    at: resolvedAt,
    sequence: 3,
  },
  "access.missing": {
    order: paid,
    related: withClaim("received", { state: "access_missing", hasAccess: false }),
    at: accessMissingAt,
    sequence: 2,
  },
  "access.blocked": {
    order: paid,
    related: withClaim("access_blocked", { state: "filed", isBlocked: true }),
    at: blockedAt,
    sequence: 3,
  },
  "collection.collected": { order: collected, related: approved("collected", null), sequence: 4 },
  "collection.declined": {
    order: triedWith(laterPayment({ status: "declined", declineReason: "insufficient_funds" })),
    related: approved("scheduled", triedAgainAt),
    sequence: 4,
  },
  "collection.failed": { order: givenUp, related: approved("failed", null), sequence: 5 },
  "chargeback.opened": {
    order: paid,
    related: stopped,
    at: disputedAt,
    sequence: 3,
    about: { chargeback: { amount: paid.first, outcome: null } },
  },
  "chargeback.closed": {
    order: paid,
    related: stopped,
    at: disputeClosedAt,
    sequence: 4,
    about: { chargeback: { amount: paid.first, outcome: "lost" } },
  },
};

/** The body of a webhook of each kind. */
export function webhookExample(kind: WebhookEventKind): Record<string, unknown> {
  const { order: record, related, at = record.updatedAt, sequence, about } = happened[kind];
  const order = partnerOrder(record, related, at);
  return {
    event_id: "0190c7a2-4d2e-7b1a-9c35-6f1f3a2b8d44",
    event: kind,
    created_at: at.toISOString(),
    sequence,
    reference: order.reference,
    order_hash: order.hash,
    status: order.status,
    ...about,
    data: { order },
  };
}
