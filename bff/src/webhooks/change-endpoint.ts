import type * as z from "zod/mini";
import type { changeWebhookEndpointRequestSchema } from "../contract/webhooks.ts";
import { inTransaction } from "../platform/database/transaction.ts";
import type { Principal } from "../platform/provider.ts";
import { requireAllowedUrl } from "./endpoint-input.ts";
import type { WebhookEndpoint } from "./webhook-endpoint.ts";
import { auditEndpoint, type WebhookOperations } from "./webhook-operations.ts";
import { dropDeliveries, type EndpointChange, lockEndpointQueue, updateEndpoint } from "./webhook-store.ts";

/** Changes what the body names, and nothing else. Throws 400 `endpoint_url_not_allowed`. */
export async function changeEndpoint(
  operations: WebhookOperations,
  principal: Principal,
  endpoint: WebhookEndpoint,
  body: z.output<typeof changeWebhookEndpointRequestSchema>,
): Promise<WebhookEndpoint> {
  const { db, clock, guardedFetch, wake } = operations;
  if (body.url !== undefined) await requireAllowedUrl(guardedFetch, body.url);
  const at = clock.now();
  const pausedAt = body.paused === true ? (endpoint.pausedAt ?? at) : null;
  const change: EndpointChange = {
    ...(body.url === undefined ? {} : { url: body.url }),
    ...(body.kinds === undefined ? {} : { kinds: [...new Set(body.kinds)] }),
    ...(body.notify_email === undefined ? {} : { notifyEmail: body.notify_email }),
    ...(body.paused === undefined ? {} : { pausedAt }),
  };
  await inTransaction(db, async (tx) => {
    await updateEndpoint(tx, endpoint.id, change, at);
    await auditEndpoint(tx, operations, principal, { act: "webhook_endpoint.changed", endpointId: endpoint.id });
  });
  wake();
  const { deletedAt: _never, ...kept } = change;
  return { ...endpoint, ...kept };
}

/** Deletes an endpoint: what still waits for it is dropped, what was sent stays on record. */
export async function deleteEndpoint(
  operations: WebhookOperations,
  principal: Principal,
  endpoint: WebhookEndpoint,
): Promise<void> {
  const at = operations.clock.now();
  await inTransaction(operations.db, async (tx) => {
    await lockEndpointQueue(tx, endpoint.id);
    await updateEndpoint(tx, endpoint.id, { deletedAt: at }, at);
    await dropDeliveries(tx, endpoint.id, at);
    await auditEndpoint(tx, operations, principal, { act: "webhook_endpoint.deleted", endpointId: endpoint.id });
  });
}
