import type { Transaction } from "../../platform/database/transaction.ts";
import { publishEvent } from "../../platform/event-store.ts";
import type { Ids } from "../../platform/ids.ts";
import { type OrderNewsKind, publishedStatus } from "./order.ts";
import type { OrderRecord } from "./order-record.ts";
import { takeSequence } from "./order-store.ts";
import { partnerOrder, type RelatedParts } from "./order-view.ts";

/**
 * Publishes to the partner what is new of an order whose state stays as it is. The caller holds the order. `at` is in the
 * provider's time.
 */
export async function publishOrderNews(
  tx: Transaction,
  ids: Ids,
  order: OrderRecord,
  { kind, related, at }: { readonly kind: OrderNewsKind; readonly related: RelatedParts; readonly at: Date },
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
      order: partnerOrder(order, related, at),
    },
    createdAt: at,
  });
}
