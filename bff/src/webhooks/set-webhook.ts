import type { WebhookEventKind } from "../contract/webhook-events.ts";
import { recordAudit } from "../platform/audit-store.ts";
import type { Clock } from "../platform/clock.ts";
import { type Database, inTransaction } from "../platform/database/transaction.ts";
import type { GuardedFetch } from "../platform/http/guarded-fetch.ts";
import type { Ids } from "../platform/ids.ts";
import {
  findSharingEndpoint,
  insertEndpoint,
  lockEndpoints,
  selectEndpoints,
  updateEndpoint,
} from "./endpoint-store.ts";
import { endpointUrlSchema, kindsSchema, requireAllowedUrl, requireNewUrl } from "./endpoints.ts";
import { DEFAULT_KINDS } from "./webhook-body.ts";
import type { WebhookEndpoint } from "./webhook-endpoint.ts";

export interface SetWebhookDependencies {
  readonly db: Database;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly guardedFetch: Pick<GuardedFetch, "check">;
  /** The author of the change, for the audit trail. */
  readonly actor: string;
}

/**
 * Sets the URL that receives a provider's events signed with the provider's own webhook secret, by creating or changing
 * that endpoint. Endpoints with their own secrets stay unchanged. Throws `ZodError`, or `ApiError`
 * `endpoint_url_not_allowed` or `webhook_endpoint_exists`.
 */
export async function setWebhook(
  { db, clock, ids, guardedFetch, actor }: SetWebhookDependencies,
  input: { readonly providerId: string; readonly url: string; readonly kinds?: readonly string[] },
): Promise<WebhookEndpoint> {
  const { providerId } = input;
  const url = endpointUrlSchema.parse(input.url);
  const kinds: WebhookEventKind[] = kindsSchema.parse(input.kinds ?? DEFAULT_KINDS);
  await requireAllowedUrl(guardedFetch, url);
  const at = clock.now();
  return inTransaction(db, async (tx) => {
    await lockEndpoints(tx, providerId);
    const known = await findSharingEndpoint(tx, providerId);
    const others = (await selectEndpoints(tx, providerId)).filter(({ id }) => id !== known?.id);
    requireNewUrl(others, url);
    const endpoint: WebhookEndpoint =
      known === null
        ? { id: ids.uuid(), providerId, url, kinds, notifyEmail: null, pausedAt: null, failingAt: null, createdAt: at }
        : { ...known, url, kinds };
    if (known === null) await insertEndpoint(tx, endpoint);
    else await updateEndpoint(tx, endpoint.id, { url, kinds }, at);
    const subject = { kind: "webhook_endpoint", id: endpoint.id };
    await recordAudit(tx, { id: ids.uuid(), providerId, actor, credentialId: null, act: "webhook.set", subject, at });
    return endpoint;
  });
}
