import { recordAudit } from "../platform/audit-store.ts";
import type { Clock } from "../platform/clock.ts";
import type { Database, Transaction } from "../platform/database/transaction.ts";
import type { GuardedFetch } from "../platform/http/guarded-fetch.ts";
import type { Ids } from "../platform/ids.ts";
import type { Keyring } from "../platform/keyring.ts";
import type { Principal } from "../platform/provider.ts";

/** What the operations on webhook endpoints are given. */
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

/** Writes down which credential changed what, in the transaction of the change. */
export function auditEndpoint(
  tx: Transaction,
  { ids, clock }: Pick<WebhookOperations, "ids" | "clock">,
  { provider, credential, credentialId }: Principal,
  { act, endpointId }: { readonly act: string; readonly endpointId: string },
): Promise<void> {
  const subject = { kind: "webhook_endpoint", id: endpointId };
  const actor = `credential:${credential}`;
  return recordAudit(tx, {
    id: ids.uuid(),
    providerId: provider.id,
    actor,
    credentialId,
    act,
    subject,
    at: clock.now(),
  });
}
