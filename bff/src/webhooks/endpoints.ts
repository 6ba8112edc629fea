import * as z from "zod";
import type * as mini from "zod/mini";
import { HOUR_MS } from "../contract/vocabulary/durations.ts";
import { type WebhookEventKind, webhookEventKindSchema } from "../contract/webhook-events.ts";
import {
  type changeWebhookEndpointRequestSchema,
  type createWebhookEndpointRequestSchema,
  ENDPOINT_URL_LENGTH_MAX,
  ENDPOINTS_MAX,
  type WebhookEndpointView,
} from "../contract/webhooks.ts";
import { type AuditEntry, recordAudit } from "../platform/audit-store.ts";
import type { Clock } from "../platform/clock.ts";
import type { ReadColumn } from "../platform/database/read-column.ts";
import { type Database, inTransaction, type Transaction } from "../platform/database/transaction.ts";
import { ApiError } from "../platform/http/api-error.ts";
import { FetchFailed, type GuardedFetch, UrlRefused } from "../platform/http/guarded-fetch.ts";
import type { Ids } from "../platform/ids.ts";
import type { Keyring } from "../platform/keyring.ts";
import { type Principal, providerNow } from "../platform/provider.ts";
import { issueCredential, rotateCredential, signsWithOwnSecret } from "../tenants/credentials.ts";
import { dropDeliveries } from "./delivery-queue-store.ts";
import {
  type EndpointChange,
  findSharingEndpoint,
  insertEndpoint,
  lockEndpointQueue,
  lockEndpoints,
  ownEndpointColumn,
  selectEndpoints,
  updateEndpoint,
} from "./endpoint-store.ts";
import { DEFAULT_KINDS } from "./webhook-body.ts";
import { urlHash, type WebhookEndpoint } from "./webhook-endpoint.ts";

/* Operations by which a partner registers, changes and deletes the endpoints that receive its events. */

/** Everything that the operations on webhook endpoints need. */
export interface WebhookOperations {
  readonly db: Database;
  /** Real time. */
  readonly clock: Clock;
  readonly ids: Ids;
  readonly keyring: Keyring;
  readonly guardedFetch: Pick<GuardedFetch, "check">;
  /** Called when something was queued. */
  readonly wake: () => void;
}

/** The party that changes an endpoint, as the audit trail names it. */
export type ActingParty = Pick<AuditEntry, "actor" | "credentialId"> & { readonly providerId: string };

/** A partner's backend, by its credential. */
export function actingAs({ provider, credential, credentialId }: Principal): ActingParty {
  return { providerId: provider.id, actor: `credential:${credential}`, credentialId };
}

/** Records an actor's change of an endpoint, in the transaction of the change. */
export function auditEndpoint(
  tx: Transaction,
  { ids, clock }: Pick<WebhookOperations, "ids" | "clock">,
  by: ActingParty,
  { act, endpointId }: { readonly act: string; readonly endpointId: string },
): Promise<void> {
  const subject = { kind: "webhook_endpoint", id: endpointId };
  return recordAudit(tx, { id: ids.uuid(), ...by, act, subject, at: clock.now() });
}

export const endpointUrlSchema = z.string().trim().min(1).max(ENDPOINT_URL_LENGTH_MAX);
export const kindsSchema = z
  .array(z.enum(webhookEventKindSchema.options))
  .min(1)
  .transform((kinds) => [...new Set(kinds)]);

/** Throws 400 `endpoint_url_not_allowed` unless the URL is HTTPS and resolves to public addresses only. */
export async function requireAllowedUrl(guardedFetch: Pick<GuardedFetch, "check">, url: string): Promise<void> {
  const failure: unknown = await guardedFetch.check(url).then(
    () => null,
    (error: unknown) => error,
  );
  if (failure instanceof UrlRefused || failure instanceof FetchFailed)
    throw new ApiError("endpoint_url_not_allowed", {}, { cause: failure });
  if (failure !== null) throw failure;
}

/** The endpoints of a provider, oldest first. */
export function listEndpoints(db: Database, providerId: string): Promise<WebhookEndpoint[]> {
  return selectEndpoints(db, providerId);
}

/**
 * The caller's own endpoint as a column of the statement that authorises a request; null if it is another provider's,
 * deleted, or `id` is malformed.
 */
export function ownEndpoint(id: string): ReadColumn<WebhookEndpoint> {
  return ownEndpointColumn(id);
}

/**
 * Registers an endpoint with a separate secret. Throws `ApiError`: 400 `endpoint_url_not_allowed`, 409
 * `webhook_endpoint_exists`, 422 `validation_error` if the provider has the maximum number of endpoints.
 */
export async function createEndpoint(
  operations: WebhookOperations,
  principal: Principal,
  body: mini.output<typeof createWebhookEndpointRequestSchema>,
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
    const existing = await selectEndpoints(tx, providerId);
    requireNewUrl(existing, body.url);
    requireRoom(existing);
    await insertEndpoint(tx, endpoint);
    await auditEndpoint(tx, operations, actingAs(principal), {
      act: "webhook_endpoint.created",
      endpointId: endpoint.id,
    });
    return issueCredential(tx, operations, { providerId, endpointId: endpoint.id, kind: "webhook_secret", at });
  });
  return { endpoint, secret: secret.value };
}

/**
 * Throws 409 `webhook_endpoint_exists` if one of these endpoints has this URL, because it would get every event twice.
 */
export function requireNewUrl(others: readonly WebhookEndpoint[], url: string): void {
  const hash = urlHash(url);
  const known = others.find((other) => urlHash(other.url) === hash);
  if (known !== undefined) throw new ApiError("webhook_endpoint_exists", { webhook_endpoint_id: known.id });
}

function requireRoom(existing: readonly WebhookEndpoint[]): void {
  if (existing.length < ENDPOINTS_MAX) return;
  const message = `a provider has at most ${ENDPOINTS_MAX} endpoints`;
  throw new ApiError("validation_error", { errors: [{ path: "url", message }] });
}

/**
 * Changes only the fields that the body contains. Throws 400 `endpoint_url_not_allowed`, 409 `webhook_endpoint_exists`.
 */
export async function changeEndpoint(
  operations: WebhookOperations,
  principal: Principal,
  endpoint: WebhookEndpoint,
  body: mini.output<typeof changeWebhookEndpointRequestSchema>,
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
    if (body.url !== undefined) await requireUrlFree(tx, endpoint, body.url);
    await updateEndpoint(tx, endpoint.id, change, at);
    await auditEndpoint(tx, operations, actingAs(principal), {
      act: "webhook_endpoint.changed",
      endpointId: endpoint.id,
    });
  });
  wake();
  const { deletedAt: _never, ...kept } = change;
  return { ...endpoint, ...kept };
}

/** Locks the provider's endpoints. Throws 409 `webhook_endpoint_exists` if another of them has this URL. */
async function requireUrlFree(
  tx: Transaction,
  { id, providerId }: Pick<WebhookEndpoint, "id" | "providerId">,
  url: string,
): Promise<void> {
  await lockEndpoints(tx, providerId);
  requireNewUrl(
    (await selectEndpoints(tx, providerId)).filter((other) => other.id !== id),
    url,
  );
}

/** Deletes an endpoint. Its waiting deliveries are dropped; past deliveries stay on record. */
export async function deleteEndpoint(
  operations: WebhookOperations,
  principal: Principal,
  endpoint: WebhookEndpoint,
): Promise<void> {
  const at = operations.clock.now();
  await inTransaction(operations.db, async (tx) => {
    await lockEndpoints(tx, endpoint.providerId);
    await lockEndpointQueue(tx, endpoint.id);
    await updateEndpoint(tx, endpoint.id, { deletedAt: at }, at);
    await dropDeliveries(tx, endpoint.id, providerNow(principal.provider, at));
    await auditEndpoint(tx, operations, actingAs(principal), {
      act: "webhook_endpoint.deleted",
      endpointId: endpoint.id,
    });
  });
}

/**
 * Creates a new secret for an endpoint; the old one stays valid for the overlap. For an endpoint that signs with the
 * provider's secret, the provider's secret is rotated.
 */
export async function rotateSecret(
  operations: WebhookOperations,
  principal: Principal,
  { id, providerId }: WebhookEndpoint,
  overlapHours: number,
): Promise<{ secret: string; previousEndsAt: Date }> {
  const overlapMs = overlapHours * HOUR_MS;
  const isOwn = await signsWithOwnSecret(operations, id);
  const previousEndsAt = new Date(operations.clock.now().getTime() + overlapMs);
  const { actor, credentialId } = actingAs(principal);
  const issued = await rotateCredential(
    { ...operations, actor, credentialId },
    { providerId, kind: "webhook_secret", overlapMs, ...(isOwn ? { endpointId: id } : {}) },
  );
  return { secret: issued.value, previousEndsAt };
}

/** An endpoint as its owner sees it. */
export function endpointView(endpoint: WebhookEndpoint): WebhookEndpointView {
  return {
    id: endpoint.id,
    url: endpoint.url,
    kinds: [...endpoint.kinds],
    notify_email: endpoint.notifyEmail,
    paused: endpoint.pausedAt !== null,
    failing_since: endpoint.failingAt?.toISOString() ?? null,
    created_at: endpoint.createdAt.toISOString(),
  };
}

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
