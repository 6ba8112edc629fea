import { sql } from "kysely";
import type { WebhookEventKind } from "../contract/webhook-events.ts";
import { caller, NO_COLUMN, type ReadColumn } from "../platform/database/read-column.ts";
import type { Database, Transaction } from "../platform/database/transaction.ts";
import { urlHash, type WebhookEndpoint } from "./webhook-endpoint.ts";

export async function insertEndpoint(tx: Transaction, endpoint: WebhookEndpoint): Promise<void> {
  await tx
    .insertInto("webhook_endpoints")
    .values({
      id: endpoint.id,
      provider_id: endpoint.providerId,
      url: endpoint.url,
      url_hash: urlHash(endpoint.url),
      kinds: [...endpoint.kinds],
      notify_email: endpoint.notifyEmail,
      paused_at: endpoint.pausedAt,
      first_failed_at: null,
      failing_at: null,
      created_at: endpoint.createdAt,
      updated_at: endpoint.createdAt,
      deleted_at: null,
    })
    .execute();
}

/** Endpoints of a provider that are not deleted, oldest first. */
export async function selectEndpoints(db: Database, providerId: string): Promise<WebhookEndpoint[]> {
  const rows = await db
    .selectFrom("webhook_endpoints")
    .selectAll()
    .where("provider_id", "=", providerId)
    .where("deleted_at", "is", null)
    .orderBy("created_at")
    .orderBy("id")
    .execute();
  return rows.map(toEndpoint);
}

/**
 * The caller's own endpoint as a column of the statement that authorises a request; null if it is deleted or `id` is
 * malformed.
 */
export function ownEndpointColumn(id: string): ReadColumn<WebhookEndpoint> {
  if (!UUID.test(id)) return NO_COLUMN;
  return {
    column: sql`(select to_json(webhook_endpoints) from webhook_endpoints
      where provider_id = ${caller.providerId} and id = ${id}::uuid and deleted_at is null)`,
    read: (column) => (column === null ? null : endpointInColumn(column as EndpointInColumn)),
  };
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** A row as `to_json` returns it: timestamps are text. */
type EndpointInColumn = Omit<Parameters<typeof toEndpoint>[0], "paused_at" | "failing_at" | "created_at"> & {
  readonly paused_at: string | null;
  readonly failing_at: string | null;
  readonly created_at: string;
};

function endpointInColumn(row: EndpointInColumn): WebhookEndpoint {
  const moment = (text: string | null) => (text === null ? null : new Date(text));
  const [pausedAt, failingAt] = [moment(row.paused_at), moment(row.failing_at)];
  return toEndpoint({ ...row, paused_at: pausedAt, failing_at: failingAt, created_at: new Date(row.created_at) });
}

/** The endpoint that signs with the provider's own secret; the oldest if there are several. */
export async function findSharingEndpoint(db: Database, providerId: string): Promise<WebhookEndpoint | null> {
  const row = await db
    .selectFrom("webhook_endpoints")
    .selectAll()
    .where("provider_id", "=", providerId)
    .where("deleted_at", "is", null)
    .where(sql<boolean>`not exists (select from credentials c where c.webhook_endpoint_id = webhook_endpoints.id)`)
    .orderBy("created_at")
    .orderBy("id")
    .executeTakeFirst();
  return row === undefined ? null : toEndpoint(row);
}

export interface EndpointChange {
  readonly url?: string;
  readonly kinds?: readonly WebhookEventKind[];
  readonly notifyEmail?: string | null;
  readonly pausedAt?: Date | null;
  readonly deletedAt?: Date;
}

/**
 * Changes an endpoint. For one that was paused, failures before the pause no longer count towards the mail about a
 * failing endpoint. If the mail was sent, the endpoint stays marked until it succeeds.
 */
export async function updateEndpoint(tx: Transaction, id: string, change: EndpointChange, at: Date): Promise<void> {
  await tx
    .updateTable("webhook_endpoints")
    .set({
      updated_at: at,
      first_failed_at: FIRST_FAILURE_THAT_COUNTS,
      ...(change.url === undefined ? {} : { url: change.url, url_hash: urlHash(change.url) }),
      ...(change.kinds === undefined ? {} : { kinds: [...change.kinds] }),
      ...(change.notifyEmail === undefined ? {} : { notify_email: change.notifyEmail }),
      ...(change.pausedAt === undefined ? {} : { paused_at: change.pausedAt }),
      ...(change.deletedAt === undefined ? {} : { deleted_at: change.deletedAt }),
    })
    .where("id", "=", id)
    .execute();
}

/** The columns have their values from before the change, so an endpoint that was not paused keeps them. */
const FIRST_FAILURE_THAT_COUNTS = sql<Date | null>`
  case when paused_at is null or failing_at is not null then first_failed_at end`;

function toEndpoint(row: {
  id: string;
  provider_id: string;
  url: string;
  kinds: WebhookEventKind[];
  notify_email: string | null;
  paused_at: Date | null;
  failing_at: Date | null;
  created_at: Date;
}): WebhookEndpoint {
  return {
    id: row.id,
    providerId: row.provider_id,
    url: row.url,
    kinds: row.kinds,
    notifyEmail: row.notify_email,
    pausedAt: row.paused_at,
    failingAt: row.failing_at,
    createdAt: row.created_at,
  };
}

/**
 * Marks an endpoint as failing if every attempt since a moment has failed. Returns false if it has succeeded meanwhile,
 * or is already marked.
 */
export async function markFailing(tx: Database, mark: { id: string; since: Date; at: Date }): Promise<boolean> {
  const result = await tx
    .updateTable("webhook_endpoints")
    .set({ failing_at: mark.at })
    .where("id", "=", mark.id)
    .where("first_failed_at", "=", mark.since)
    .where("failing_at", "is", null)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/**
 * The recipient of the notification that an endpoint has failed since a moment; null if it has succeeded meanwhile, is
 * already marked, paused by its owner, or deleted.
 */
export async function findFailing(
  db: Database,
  { id, since }: { id: string; since: Date },
): Promise<{ url: string; notifyEmail: string; providerName: string } | null> {
  const row = await db
    .selectFrom("webhook_endpoints as e")
    .innerJoin("providers as p", "p.id", "e.provider_id")
    .select(["e.url", "e.notify_email", "p.support_email", "p.name"])
    .where("e.id", "=", id)
    .where("e.first_failed_at", "=", since)
    .where("e.failing_at", "is", null)
    .where("e.paused_at", "is", null)
    .where("e.deleted_at", "is", null)
    .executeTakeFirst();
  return row === undefined
    ? null
    : { url: row.url, notifyEmail: row.notify_email ?? row.support_email, providerName: row.name };
}

/**
 * Prevents new deliveries from being queued for an endpoint until the transaction ends, and waits for those being
 * queued.
 */
export async function lockEndpointQueue(tx: Transaction, endpointId: string): Promise<void> {
  await tx.selectFrom("webhook_endpoints").select("id").where("id", "=", endpointId).forUpdate().execute();
}

/**
 * Locks a provider's list of endpoints, before any of them. Concurrent registrations thus stay within the maximum, and
 * concurrent changes of the shared endpoint's address create it only once.
 */
export async function lockEndpoints(tx: Transaction, providerId: string): Promise<void> {
  await tx.selectFrom("providers").select("id").where("id", "=", providerId).forUpdate().execute();
}
