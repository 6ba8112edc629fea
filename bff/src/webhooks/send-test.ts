import { inTransaction } from "../platform/database/transaction.ts";
import type { WebhookEndpoint } from "./webhook-endpoint.ts";
import type { WebhookOperations } from "./webhook-operations.ts";
import { insertDeliveries, type NewDelivery, type ShownDelivery } from "./webhook-store.ts";

/** Queues an event of the kind `endpoint.test` for one endpoint, whatever kinds it asks for. `now` is the provider's time. */
export async function sendTest(
  { db, clock, ids, wake }: WebhookOperations,
  { id: endpointId, providerId }: WebhookEndpoint,
  now: Date,
): Promise<ShownDelivery> {
  const delivery: NewDelivery = {
    id: ids.uuid(),
    providerId,
    endpointId,
    eventId: null,
    webhookId: ids.uuid(),
    kind: "endpoint.test",
    orderId: null,
    sequence: null,
    createdAt: now,
    queuedAt: clock.now(),
  };
  await inTransaction(db, (tx) => insertDeliveries(tx, [delivery]));
  wake();
  return { ...delivery, status: "queued", nextAttemptAt: now, attempts: [] };
}
