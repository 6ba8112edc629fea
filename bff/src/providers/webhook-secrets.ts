import type { Clock } from "../platform/clock.ts";
import type { Database } from "../platform/database/transaction.ts";
import { type Keyring, SealBroken } from "../platform/keyring.ts";
import { KeyringFileInvalid } from "../platform/keyring-file.ts";
import type { Logger } from "../platform/logger.ts";
import { purposeOf } from "./issue-credential.ts";
import { type SealedWebhookSecret, selectWebhookSecretKeys, selectWebhookSecrets } from "./provider-store.ts";

export interface WebhookSecretDependencies {
  readonly db: Database;
  readonly clock: Clock;
  readonly keyring: Pick<Keyring, "open">;
  readonly logger: Logger;
}

/**
 * The live secrets of webhook endpoints, oldest first, by the endpoint's id: its own, or its provider's where it has
 * none of its own. An endpoint of whose secrets none can be opened is left out, and logged: it concerns no other.
 */
export async function readWebhookSecrets(
  { db, clock, keyring, logger }: WebhookSecretDependencies,
  endpoints: ReadonlyArray<{ readonly providerId: string; readonly endpointId: string }>,
): Promise<ReadonlyMap<string, readonly [string, ...string[]]>> {
  const providerIds = [...new Set(endpoints.map(({ providerId }) => providerId))];
  const sealed = await selectWebhookSecrets(db, providerIds, clock.now());
  const opened = new Map<string, readonly string[]>();
  const open = ({ credentialId, providerId, sealed }: SealedWebhookSecret) => {
    const known = opened.get(credentialId);
    if (known !== undefined) return known;
    const values = openSecret(keyring, sealed, (error) =>
      logger.error("webhooks.secret_unreadable", { provider_id: providerId, error }),
    );
    opened.set(credentialId, values);
    return values;
  };
  const secrets = new Map<string, readonly [string, ...string[]]>();
  for (const { providerId, endpointId } of endpoints) {
    if (secrets.has(endpointId)) continue;
    const own = sealed.filter((secret) => secret.endpointId === endpointId);
    const shared = sealed.filter((secret) => secret.endpointId === null && secret.providerId === providerId);
    const [oldest, ...newer] = (own.length > 0 ? own : shared).flatMap(open);
    if (oldest !== undefined) secrets.set(endpointId, [oldest, ...newer]);
  }
  return secrets;
}

function openSecret(
  keyring: Pick<Keyring, "open">,
  sealed: string,
  onBroken: (error: SealBroken) => void,
): readonly string[] {
  try {
    return [keyring.open(sealed, purposeOf("webhook_secret"))];
  } catch (error) {
    if (!(error instanceof SealBroken)) throw error;
    onBroken(error);
    return [];
  }
}

/**
 * Throws `KeyringFileInvalid` where a live webhook secret was sealed by a key that is not in the keyring: a process without
 * it would use up the attempts of that partner's deliveries without sending any.
 */
export async function requireWebhookKeys({
  db,
  clock,
  keyring,
}: {
  readonly db: Database;
  readonly clock: Clock;
  readonly keyring: Pick<Keyring, "keyIds">;
}): Promise<void> {
  const missing = (await selectWebhookSecretKeys(db, clock.now())).filter((id) => !keyring.keyIds.includes(id));
  if (missing.length === 0) return;
  throw new KeyringFileInvalid(
    `The keyring lacks ${missing.map((id) => `"${id}"`).join(", ")}, with which live webhook secrets are sealed. A key stays in the keyring as long as something that it sealed is needed.`,
  );
}

/** Whether an endpoint has a live secret of its own. */
export async function signsWithOwnSecret(
  { db, clock }: { readonly db: Database; readonly clock: Clock },
  { providerId, endpointId }: { readonly providerId: string; readonly endpointId: string },
): Promise<boolean> {
  const live = await selectWebhookSecrets(db, [providerId], clock.now());
  return live.some((secret) => secret.endpointId === endpointId);
}
