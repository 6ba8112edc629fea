import type { Database } from "../platform/database/transaction.ts";
import type { WebhookEndpoint } from "./webhook-endpoint.ts";
import { findEndpoint, selectEndpoints } from "./webhook-store.ts";

/** The endpoints of a provider, oldest first. */
export function listEndpoints(db: Database, providerId: string): Promise<WebhookEndpoint[]> {
  return selectEndpoints(db, providerId);
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The provider's own endpoint; null for another's, a deleted one, and for what is no id. */
export async function readEndpoint(db: Database, providerId: string, id: string): Promise<WebhookEndpoint | null> {
  return UUID.test(id) ? findEndpoint(db, providerId, id) : null;
}
