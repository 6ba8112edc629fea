import * as z from "zod/mini";
import { orderSchema, orderStatusSchema, timestampSchema } from "./orders.ts";

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
  /** With `order.refund_failed`: which of the order's refunds. */
  refund_id: z.optional(z.string()),
  data: z.object({ order: orderSchema }),
});
export type WebhookEvent = z.infer<typeof webhookEventSchema>;
