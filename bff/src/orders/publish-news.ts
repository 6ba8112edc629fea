import type { Transaction } from "../platform/database/transaction.ts";
import { publishEvent } from "../platform/event-store.ts";
import type { Ids } from "../platform/ids.ts";
import { type OrderNewsKind, publishedStatus } from "./order.ts";
import type { OrderEventPayload } from "./order-events.ts";
import type { OrderRecord } from "./order-record.ts";
import { takeSequence } from "./order-store.ts";
import { partnerOrder, type RelatedParts } from "./order-view.ts";

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
