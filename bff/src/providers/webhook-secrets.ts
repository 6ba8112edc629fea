import type { Clock } from "../platform/clock.ts";
import type { Database } from "../platform/database/transaction.ts";
import type { Keyring } from "../platform/keyring.ts";
import { purposeOf } from "./issue-credential.ts";
import { selectWebhookSecrets } from "./provider-store.ts";

/**
 * The live secrets of webhook endpoints, oldest first, by the endpoint's id: its own, or its provider's where it has
 * none of its own.
 */
export async function readWebhookSecrets(
  { db, clock, keyring }: { readonly db: Database; readonly clock: Clock; readonly keyring: Pick<Keyring, "open"> },
  endpoints: ReadonlyArray<{ readonly providerId: string; readonly endpointId: string }>,
): Promise<ReadonlyMap<string, readonly [string, ...string[]]>> {
  const providerIds = [...new Set(endpoints.map(({ providerId }) => providerId))];
  const sealed = await selectWebhookSecrets(db, providerIds, clock.now());
  const opened = new Map<string, string>();
  const open = (text: string) => {
    const value = opened.get(text) ?? keyring.open(text, purposeOf("webhook_secret"));
    opened.set(text, value);
    return value;
  };
  const secrets = new Map<string, readonly [string, ...string[]]>();
  for (const { providerId, endpointId } of endpoints) {
    if (secrets.has(endpointId)) continue;
    const own = sealed.filter((secret) => secret.endpointId === endpointId);
    const shared = sealed.filter((secret) => secret.endpointId === null && secret.providerId === providerId);
    const [oldest, ...newer] = own.length > 0 ? own : shared;
    if (oldest !== undefined)
      secrets.set(endpointId, [open(oldest.sealed), ...newer.map((secret) => open(secret.sealed))]);
  }
  return secrets;
}

/** Whether an endpoint has a live secret of its own. */
export async function signsWithOwnSecret(
  { db, clock }: { readonly db: Database; readonly clock: Clock },
  { providerId, endpointId }: { readonly providerId: string; readonly endpointId: string },
): Promise<boolean> {
  const live = await selectWebhookSecrets(db, [providerId], clock.now());
  return live.some((secret) => secret.endpointId === endpointId);
}
