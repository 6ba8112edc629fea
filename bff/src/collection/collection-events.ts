import * as z from "zod/mini";
import { declineLimitSchema, declineReasonSchema } from "../contract/errors.ts";
import { timestampSchema } from "../contract/orders.ts";
import { clpSchema } from "../contract/vocabulary/clp.ts";
import type { Transaction } from "../platform/database/transaction.ts";
import { publishEvent } from "../platform/event-store.ts";
import type { Ids } from "../platform/ids.ts";
import type { PayloadsOf } from "../platform/outbox.ts";
import type { CollectionKey } from "./collection.ts";

/**
 * The step after a declined charge. `tried_again`: another try. `as_before`: the patient had requested this charge, so
 * the charge due before still applies. `given_up`: no further charge of this card. `paused`: none for now.
 */
const afterDeclineSchema = z.enum(["tried_again", "as_before", "given_up", "paused"]);
export type AfterDecline = z.output<typeof afterDeclineSchema>;

const declinedSchema = z.object({
  order_hash: z.string(),
  attempt_id: z.string(),
  amount: clpSchema,
  reason: declineReasonSchema,
  limit: z.optional(declineLimitSchema),
  // Optional, because an earlier version wrote neither this field nor the next.
  next: z.optional(afterDeclineSchema),
  due_at: z.optional(z.nullable(timestampSchema)),
  /** The time of the next try, only with `tried_again`. */
  next_try_at: z.nullable(timestampSchema),
});

const owedSchema = z.object({ order_hash: z.string(), amount: clpSchema, commission: clpSchema });

interface Ahead {
  readonly next: AfterDecline;
  /** When the next charge is due; null if none is. */
  readonly due_at: string | null;
}

function aheadOf({ next, due_at, next_try_at }: z.output<typeof declinedSchema>): Ahead {
  const dueAt = due_at ?? next_try_at;
  return { next: next ?? (dueAt === null ? "given_up" : "tried_again"), due_at: dueAt };
}

/** The events that collections publish. They contain no personal data. */
export const collectionEvents = {
  /** The charge of day 45 is coming. The patient is notified some days before. */
  "collection.announced": z.object({
    order_hash: z.string(),
    amount: clpSchema,
    commission: clpSchema,
    due_at: timestampSchema,
  }),
  "collection.captured": z.object({
    order_hash: z.string(),
    attempt_id: z.string(),
    amount: clpSchema,
    commission: clpSchema,
  }),
  /** The patient's bank has taken a charge back. */
  "collection.disputed": z.object({ order_hash: z.string(), chargeback_id: z.string(), amount: clpSchema }),
  /** The chargebacks of an order that were open are won or lost; `amount` is their sum. */
  "collection.dispute_closed": z.object({
    order_hash: z.string(),
    amount: clpSchema,
    outcome: z.enum(["won", "lost"]),
    /** The clinic bears the loss, so the patient is notified of a refund instead. */
    is_refunded: z.optional(z.boolean()),
  }),
  /** The patient has paid by another method than card, and an operator has booked it. */
  "collection.paid_otherwise": z.object({
    order_hash: z.string(),
    payment_id: z.string(),
    amount: clpSchema,
    commission: clpSchema,
  }),
  /** The rest was written off; `amount` is what a charge would have taken. */
  "collection.written_off": owedSchema,
  /**
   * The charge was given up, and the loan is in arrears. Published once until an operator, a new card or a payment
   * resumes the collection.
   */
  "collection.failed": z.object({ order_hash: z.string() }),
  /** The patient has revoked the mandate. The amount is still owed. */
  "collection.mandate_revoked": owedSchema,
  /**
   * The mandate is revoked, and the debt has become due, or is owed again after a failed refund. Nothing is charged.
   */
  "collection.due_without_mandate": z.extend(owedSchema, { is_refund_failed: z.optional(z.boolean()) }),
  "collection.declined": z.pipe(
    declinedSchema,
    z.transform((declined: z.output<typeof declinedSchema>) => ({ ...declined, ...aheadOf(declined) })),
  ),
} as const;

type CollectionEvents = PayloadsOf<typeof collectionEvents>;

declare module "../platform/outbox.ts" {
  interface EventMap extends PayloadsOf<typeof collectionEvents> {}
}

/** An event of one collection. */
export type CollectionEvent = {
  [Kind in keyof CollectionEvents]: { readonly kind: Kind; readonly payload: CollectionEvents[Kind] };
}[keyof CollectionEvents];

export async function publishCollectionEvent(
  tx: Transaction,
  ids: Ids,
  { providerId, orderId }: CollectionKey,
  event: CollectionEvent,
  at: Date,
): Promise<void> {
  await publishEvent(tx, { id: ids.uuid(), providerId, orderId, sequence: null, createdAt: at, ...event });
}
