import * as z from "zod";

/** One thing that happened to a purchase, in the order in which the clinic learned of it. */
export const happeningSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("order_created"), orderHash: z.string(), reference: z.string() }),
  z.object({ kind: z.literal("order_refused"), message: z.string() }),
  z.object({ kind: z.literal("widget_token_minted"), expiresAt: z.string() }),
  z.object({
    kind: z.literal("webhook_received"),
    eventId: z.string(),
    event: z.string(),
    sequence: z.number(),
    status: z.string(),
  }),
  z.object({ kind: z.literal("webhook_refused"), reason: z.string() }),
  z.object({ kind: z.literal("receipt_submitted"), expenseId: z.string(), status: z.string(), created: z.boolean() }),
  z.object({ kind: z.literal("receipt_refused"), message: z.string() }),
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

/** A purchase as the page shows it: derived from what happened, never stored by itself. */
export interface Purchase extends PurchaseStart {
  readonly orderHash: string | null;
  readonly orderStatus: string | null;
  readonly paid: boolean;
  readonly receiptStatus: string | null;
  /** The charge of the deferred part, as the service last told it. */
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
    collection: null,
    timeline: [],
  };
}

function lastSequence(purchase: Purchase): number {
  return purchase.timeline.reduce(
    (last, { happening }) => (happening.kind === "webhook_received" ? Math.max(last, happening.sequence) : last),
    0,
  );
}

/** What a purchase is after one more thing has happened. Webhooks may come late or twice: the highest sequence counts. */
export function happen(purchase: Purchase, at: string, happening: Happening): Purchase {
  const next = { ...purchase, timeline: [...purchase.timeline, { at, happening }] };
  switch (happening.kind) {
    case "order_created":
      return { ...next, orderHash: happening.orderHash, orderStatus: "pending" };
    case "webhook_received":
      return {
        ...next,
        paid: purchase.paid || happening.event === "order.paid",
        orderStatus: happening.sequence >= lastSequence(purchase) ? happening.status : purchase.orderStatus,
      };
    case "receipt_submitted":
      return { ...next, receiptStatus: happening.status };
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

/** True when the webhook with this id was taken in before: a repeat is acknowledged and changes nothing. */
export function hasSeenEvent(purchase: Purchase, eventId: string): boolean {
  return purchase.timeline.some(
    ({ happening }) => happening.kind === "webhook_received" && happening.eventId === eventId,
  );
}

/** The mandatory receipt is due once the order is paid, until it has been submitted (interface, section 1.4). */
export function owesReceipt(purchase: Purchase): boolean {
  return purchase.paid && purchase.receiptStatus === null;
}
