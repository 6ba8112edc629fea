import * as z from "zod";

/** One event of a purchase. Events are in the order in which the clinic received them. */
export const happeningSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("order_created"), orderHash: z.string(), reference: z.string() }),
  z.object({ kind: z.literal("order_refused"), message: z.string() }),
  z.object({ kind: z.literal("order_unanswered"), message: z.string() }),
  z.object({ kind: z.literal("widget_token_minted"), expiresAt: z.string() }),
  z.object({ kind: z.literal("checkout_mailed"), to: z.string() }),
  z.object({ kind: z.literal("widget_token_refused"), message: z.string() }),
  z.object({
    kind: z.literal("webhook_received"),
    eventId: z.string(),
    event: z.string(),
    sequence: z.number(),
    status: z.string(),
  }),
  z.object({ kind: z.literal("webhook_refused"), reason: z.string() }),
  z.object({ kind: z.literal("receipt_submitted"), expenseId: z.string(), status: z.string(), created: z.boolean() }),
  z.object({ kind: z.literal("order_read"), status: z.string() }),
  z.object({ kind: z.literal("receipt_refused"), message: z.string() }),
  z.object({ kind: z.literal("receipt_unanswered"), message: z.string() }),
  z.object({ kind: z.literal("claim_changed"), status: z.string() }),
  z.object({
    kind: z.literal("collection_changed"),
    status: z.string(),
    reason: z.string().nullable(),
    dueAt: z.string().nullable(),
  }),
  z.object({ kind: z.literal("refund_asked"), amountClp: z.number(), status: z.string() }),
  z.object({ kind: z.literal("refund_refused"), message: z.string() }),
  z.object({ kind: z.literal("refund_unanswered"), message: z.string() }),
  z.object({ kind: z.literal("days_passed"), days: z.number() }),
  z.object({ kind: z.literal("insurer_decided"), outcome: z.string() }),
]);
export type Happening = z.infer<typeof happeningSchema>;

export const purchaseStartSchema = z.object({
  id: z.uuid(),
  serviceId: z.string(),
  /** The amount at the front desk, which replaces a service's price. */
  amountClp: z.int().optional(),
  rut: z.string(),
  firstName: z.string(),
  lastName: z.string(),
  email: z.string(),
  phone: z.string(),
  reference: z.string(),
  startedAt: z.string(),
});
export type PurchaseStart = z.infer<typeof purchaseStartSchema>;

export const journalEntrySchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("started"), purchase: purchaseStartSchema }),
  z.object({ type: z.literal("happened"), purchaseId: z.string(), at: z.string(), happening: happeningSchema }),
]);
export type JournalEntry = z.infer<typeof journalEntrySchema>;

export interface Collection {
  readonly status: string;
  readonly reason: string | null;
  readonly dueAt: string | null;
}

/** A purchase as the page shows it; derived from its events and never stored. */
export interface Purchase extends PurchaseStart {
  readonly orderHash: string | null;
  readonly orderStatus: string | null;
  readonly paid: boolean;
  readonly receiptStatus: string | null;
  /** Whether the service has refused the receipt itself, so that sending the same one again would fail too. */
  readonly isReceiptRefused: boolean;
  /** The charge of the deferred part, as the service last returned it. */
  readonly collection: Collection | null;
  readonly timeline: readonly { readonly at: string; readonly happening: Happening }[];
}

export function startPurchase(start: PurchaseStart): Purchase {
  return {
    ...start,
    orderHash: null,
    orderStatus: null,
    paid: false,
    receiptStatus: null,
    isReceiptRefused: false,
    collection: null,
    timeline: [],
  };
}

/** The statuses that an order can have only after it was paid. */
const WAS_PAID: readonly string[] = ["paid", "partially_refunded", "refunded"];

/** The statuses in their sequence. An order never goes back. */
const ORDER_WAY: readonly string[] = ["pending", "partially_paid", "paid", "partially_refunded", "refunded"];

/** The later of two statuses, so that a webhook that arrives after the order was read does not revert it. */
function laterOf(known: string | null, reported: string): string {
  const isBehind = ORDER_WAY.includes(reported) && ORDER_WAY.indexOf(reported) < ORDER_WAY.indexOf(known ?? "");
  return isBehind && known !== null ? known : reported;
}

function lastSequence(purchase: Purchase): number {
  return purchase.timeline.reduce(
    (last, { happening }) => (happening.kind === "webhook_received" ? Math.max(last, happening.sequence) : last),
    0,
  );
}

/** The purchase after one more event. Webhooks may arrive late or twice, so the highest sequence wins. */
export function happen(purchase: Purchase, at: string, happening: Happening): Purchase {
  const next = { ...purchase, timeline: [...purchase.timeline, { at, happening }] };
  switch (happening.kind) {
    case "order_created":
      return { ...next, orderHash: happening.orderHash, orderStatus: "pending" };
    case "webhook_received":
      return {
        ...next,
        paid: purchase.paid || happening.event === "order.paid",
        orderStatus:
          happening.sequence >= lastSequence(purchase)
            ? laterOf(purchase.orderStatus, happening.status)
            : purchase.orderStatus,
      };
    case "order_read":
      return {
        ...next,
        paid: purchase.paid || WAS_PAID.includes(happening.status),
        orderStatus: laterOf(purchase.orderStatus, happening.status),
      };
    case "receipt_submitted":
      return { ...next, receiptStatus: happening.status };
    case "receipt_refused":
      return { ...next, isReceiptRefused: true };
    case "claim_changed":
      return { ...next, receiptStatus: happening.status };
    case "collection_changed": {
      const { status, reason, dueAt } = happening;
      return { ...next, collection: { status, reason, dueAt } };
    }
    default:
      return next;
  }
}

/** Whether the webhook with this id was recorded before. A repeated one is acknowledged and changes nothing. */
export function hasSeenEvent(purchase: Purchase, eventId: string): boolean {
  return purchase.timeline.some(
    ({ happening }) => happening.kind === "webhook_received" && happening.eventId === eventId,
  );
}

/**
 * Whether the mandatory receipt is due: from the payment of the order until it is submitted. One that was refused for
 * good needs a person.
 */
export function owesReceipt(purchase: Purchase): boolean {
  return purchase.paid && purchase.receiptStatus === null && !purchase.isReceiptRefused;
}

/** How long an order without news is read: the lifetime of its longest token. */
const ASKED_ABOUT_MS = 30 * 24 * 60 * 60 * 1_000;

/** Whether the order may have been paid without a webhook about it. */
export function awaitsPayment({ orderHash, orderStatus, startedAt, timeline }: Purchase, now: Date): boolean {
  const lastAt = timeline.at(-1)?.at ?? startedAt;
  const isOpen = orderStatus === "pending" || orderStatus === "partially_paid";
  return orderHash !== null && isOpen && now.getTime() - Date.parse(lastAt) < ASKED_ABOUT_MS;
}
