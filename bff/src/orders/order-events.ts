import * as z from "zod/mini";
import { type Order, orderStatusSchema } from "../contract/orders.ts";
import { clpSchema } from "../contract/vocabulary/clp.ts";
import type { Transaction } from "../platform/database/transaction.ts";
import { publishEvent } from "../platform/event-store.ts";
import type { Ids } from "../platform/ids.ts";
import type { PayloadsOf } from "../platform/outbox.ts";
import { type OrderEventKind, type OrderNewsKind, publishedStatus } from "./order.ts";
import type { OrderRecord } from "./order-record.ts";
import { takeSequence } from "./order-store.ts";
import { partnerOrder, type RelatedParts } from "./order-view.ts";

/** The amounts that subscribers compute with. */
const amountsSchema = z.object({ total_amount: clpSchema, refunded_amount: clpSchema });

/**
 * The order as partners saw it when the event happened. It is sent as stored, so only the fields that the service
 * itself reads are validated.
 */
const orderThenSchema = z.custom<Order>((order) => amountsSchema.safeParse(order).success);

const orderEventSchema = z.object({
  reference: z.string(),
  order_hash: z.string(),
  status: orderStatusSchema,
  failure: z.optional(z.object({ code: z.string(), message: z.string() })),
  /**
   * The refund of an `order.refunded` or `order.refund_failed`; optional because the previous version did not write it.
   */
  refund_id: z.optional(z.string()),
  chargeback: z.optional(z.object({ amount: clpSchema, outcome: z.nullable(z.enum(["won", "lost"])) })),
  order: orderThenSchema,
});

/** The events that orders publish. Partners receive the whole payload. */
export const orderEvents = {
  "order.paid": orderEventSchema,
  "order.partially_paid": orderEventSchema,
  "order.refunded": orderEventSchema,
  "order.failed": orderEventSchema,
  "order.cancelled": orderEventSchema,
  "order.receipt_missing": orderEventSchema,
  "order.refund_failed": orderEventSchema,
  "news.claim.filed": orderEventSchema,
  "news.claim.held": orderEventSchema,
  "news.claim.approved": orderEventSchema,
  "news.claim.rejected": orderEventSchema,
  "news.access.missing": orderEventSchema,
  "news.access.blocked": orderEventSchema,
  "news.collection.collected": orderEventSchema,
  "news.collection.declined": orderEventSchema,
  "news.collection.failed": orderEventSchema,
  "news.chargeback.opened": orderEventSchema,
  "news.chargeback.closed": orderEventSchema,
} as const satisfies Readonly<Record<OrderEventKind | OrderNewsKind, z.ZodMiniType>>;

/** The events that refunds publish besides those of their order. Partners do not receive them. */
export const refundEvents = {
  /** An operator has made the bank transfer that a refund owed. `amount` includes the commission. */
  "refund.transfer_made": z.object({ order_hash: z.string(), movement_id: z.string(), amount: clpSchema }),
} as const;

export type OrderEventPayload = z.output<typeof orderEventSchema>;

declare module "../platform/outbox.ts" {
  interface EventMap extends PayloadsOf<typeof orderEvents>, PayloadsOf<typeof refundEvents> {}
}

export interface OrderNews {
  readonly kind: OrderNewsKind;
  /** The refund that the event is about. */
  readonly refundId?: string;
  /** The chargeback that the event is about. */
  readonly chargeback?: OrderEventPayload["chargeback"];
  readonly related: RelatedParts;
  /** In the provider's time. */
  readonly at: Date;
}

/** Publishes an order event without a state change to the partner. The caller has locked the order. */
export async function publishOrderNews(
  tx: Transaction,
  ids: Ids,
  order: OrderRecord,
  { kind, refundId, chargeback, related, at }: OrderNews,
): Promise<void> {
  const { providerId, orderId, reference } = order;
  await publishEvent(tx, {
    id: ids.uuid(),
    providerId,
    orderId,
    kind,
    sequence: await takeSequence(tx, order),
    payload: {
      reference,
      order_hash: orderId,
      status: publishedStatus(order.state),
      // Omitted from the payload if undefined.
      refund_id: refundId,
      chargeback,
      order: partnerOrder(order, related, at),
    },
    createdAt: at,
  });
}
