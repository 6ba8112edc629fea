import type { Database } from "../platform/database/transaction.ts";
import { selectEndpoints, type WebhookEndpoint } from "./webhook-store.ts";

/** The endpoints of a provider, oldest first. */
export function listEndpoints(db: Database, providerId: string): Promise<WebhookEndpoint[]> {
  return selectEndpoints(db, providerId);
}
