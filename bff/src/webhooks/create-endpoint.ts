import type * as z from "zod/mini";
import { type createWebhookEndpointRequestSchema, ENDPOINTS_MAX } from "../contract/webhooks.ts";
import { inTransaction } from "../platform/database/transaction.ts";
import { ApiError } from "../platform/http/api-error.ts";
import type { Principal } from "../platform/provider.ts";
import { issueCredential } from "../tenants/issue-credential.ts";
import { DEFAULT_KINDS, requireAllowedUrl } from "./endpoint-input.ts";
import type { WebhookEndpoint } from "./webhook-endpoint.ts";
import { auditEndpoint, type WebhookOperations } from "./webhook-operations.ts";
import { insertEndpoint, lockEndpoints, selectEndpoints } from "./webhook-store.ts";

/**
 * Registers an endpoint with a secret of its own. Throws `ApiError`: 400 `endpoint_url_not_allowed`, 422
 * `validation_error` when the provider has as many as it may have.
 */
export async function createEndpoint(
  operations: WebhookOperations,
  principal: Principal,
  body: z.output<typeof createWebhookEndpointRequestSchema>,
): Promise<{ endpoint: WebhookEndpoint; secret: string }> {
  const { db, clock, ids, guardedFetch } = operations;
  await requireAllowedUrl(guardedFetch, body.url);
  const at = clock.now();
  const providerId = principal.provider.id;
  const endpoint: WebhookEndpoint = {
    id: ids.uuid(),
    providerId,
    url: body.url,
    kinds: [...new Set(body.kinds ?? DEFAULT_KINDS)],
    notifyEmail: body.notify_email ?? null,
    pausedAt: null,
    failingAt: null,
    createdAt: at,
  };
  const secret = await inTransaction(db, async (tx) => {
    await lockEndpoints(tx, providerId);
    await requireRoom(tx, providerId);
    await insertEndpoint(tx, endpoint);
    await auditEndpoint(tx, operations, principal, { act: "webhook_endpoint.created", endpointId: endpoint.id });
    return issueCredential(tx, operations, { providerId, endpointId: endpoint.id, kind: "webhook_secret", at });
  });
  return { endpoint, secret: secret.value };
}

async function requireRoom(tx: Parameters<typeof selectEndpoints>[0], providerId: string): Promise<void> {
  if ((await selectEndpoints(tx, providerId)).length < ENDPOINTS_MAX) return;
  const message = `a provider has at most ${ENDPOINTS_MAX} endpoints`;
  throw new ApiError("validation_error", { errors: [{ path: "url", message }] });
}
