import * as z from "zod/mini";
import { orderSchema, orderStatusSchema, timestampSchema } from "./orders.ts";
import { clpSchema } from "./vocabulary/clp.ts";

/** Events of a paid order's claim. */
export const CLAIM_NEWS_KINDS = [
  "claim.filed",
  "claim.held",
  "claim.approved",
  "claim.rejected",
  "access.missing",
  "access.blocked",
] as const;

/** Events of an order after its payment, without a change of its status. Only for endpoints that subscribe to them. */
export const COURSE_KINDS = [
  ...CLAIM_NEWS_KINDS,
  "collection.collected",
  "collection.declined",
  "collection.failed",
  "chargeback.opened",
  "chargeback.closed",
] as const;
export type CourseKind = (typeof COURSE_KINDS)[number];

/** The events of an order that partners receive. */
export const webhookEventKindSchema = z.enum([
  "order.paid",
  "order.partially_paid",
  "order.refunded",
  "order.failed",
  "order.cancelled",
  "order.changed",
  "order.receipt_missing",
  "order.refund_failed",
  ...COURSE_KINDS,
]);
export type WebhookEventKind = z.infer<typeof webhookEventKindSchema>;

/** Body of a webhook. `sequence` counts the events of an order, so receivers can sort by it. */
export const webhookEventSchema = z.object({
  event_id: z.uuid(),
  event: webhookEventKindSchema,
  created_at: timestampSchema,
  sequence: z.int(),
  reference: z.string(),
  order_hash: z.string(),
  status: orderStatusSchema,
  failure: z.optional(z.object({ code: z.string(), message: z.string() })),
  /** With `order.refund_failed`: the id of the failed refund. */
  refund_id: z.optional(z.string()),
  /** With `chargeback.opened` and `chargeback.closed`; the outcome is null while it is open. */
  chargeback: z.optional(z.object({ amount: clpSchema, outcome: z.nullable(z.enum(["won", "lost"])) })),
  data: z.object({ order: orderSchema }),
});
export type WebhookEvent = z.infer<typeof webhookEventSchema>;
