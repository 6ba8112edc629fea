import { queueTest } from "./delivery-queue-store.ts";
import type { WebhookEndpoint } from "./webhook-endpoint.ts";
import type { WebhookOperations } from "./webhook-operations.ts";
import type { ShownDelivery } from "./webhook-store.ts";

/** Queues an event of the kind `endpoint.test` for one endpoint, whatever kinds it asks for. `now` is the provider's time. */
export async function sendTest(
  { db, clock, ids, wake }: WebhookOperations,
  { id: endpointId, providerId }: WebhookEndpoint,
  now: Date,
): Promise<ShownDelivery> {
  const test = { id: ids.uuid(), webhookId: ids.uuid(), createdAt: now };
  await queueTest(db, { ...test, providerId, endpointId, queuedAt: clock.now() });
  wake();
  const shown = { kind: "endpoint.test", orderId: null, sequence: null, status: "queued" } as const;
  return { ...test, ...shown, nextAttemptAt: now, attempts: [] };
}
