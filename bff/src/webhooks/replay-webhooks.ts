import type * as z from "zod/mini";
import type { replayWebhooksRequestSchema } from "../contract/webhooks.ts";
import { inTransaction } from "../platform/database/transaction.ts";
import { ApiError } from "../platform/http/api-error.ts";
import type { Principal } from "../platform/provider.ts";
import type { WebhookEndpoint } from "./webhook-endpoint.ts";
import { auditEndpoint, type WebhookOperations } from "./webhook-operations.ts";
import { hasDelivery, replayDeliveries } from "./webhook-store.ts";

const ENDED = ["delivered", "exhausted"] as const;

/**
 * Sends again what has ended, under the same ids and with the whole schedule; what is still on its way is left alone. Says
 * how many were queued. Throws 404 `delivery_not_found`.
 */
export async function replayWebhooks(
  operations: WebhookOperations,
  principal: Principal,
  { id: endpointId }: WebhookEndpoint,
  body: z.output<typeof replayWebhooksRequestSchema>,
): Promise<number> {
  const at = operations.clock.now();
  const wanted =
    "delivery_id" in body
      ? { deliveryId: body.delivery_id, since: new Date(0), statuses: ENDED }
      : {
          deliveryId: null,
          since: new Date(body.since),
          statuses: body.only_failed ? (["exhausted"] as const) : ENDED,
        };
  const { deliveryId } = wanted;
  if (deliveryId !== null && !(await hasDelivery(operations.db, endpointId, deliveryId)))
    throw new ApiError("delivery_not_found");
  const replayed = await inTransaction(operations.db, async (tx) => {
    await auditEndpoint(tx, operations, principal, { act: "webhook_endpoint.replayed", endpointId });
    return replayDeliveries(tx, { ...wanted, endpointId, at });
  });
  operations.wake();
  return replayed;
}
