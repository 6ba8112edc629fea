import type { Clock } from "../platform/clock.ts";
import type { ColumnBeside, Database } from "../platform/database/transaction.ts";
import { type Keyring, SealBroken } from "../platform/keyring.ts";
import { KeyringFileInvalid } from "../platform/keyring-file.ts";
import type { Logger } from "../platform/logger.ts";
import { purposeOf } from "./issue-credential.ts";
import {
  hasOwnWebhookSecret,
  type SealedWebhookSecret,
  sealedWebhookSecrets,
  selectWebhookSecretKeys,
} from "./provider-store.ts";

/** The maximum number of opened secrets that are cached. */
const REMEMBERED_MAX = 1_000;

/**
 * A column with the valid secrets of a webhook endpoint, oldest first: its own, or else its provider's. A secret that
 * cannot be opened is logged and left out. Opened secrets are cached; which of them are valid is still read from the
 * database each time.
 */
export function webhookSecretsBeside({
  keyring,
  logger,
}: {
  readonly keyring: Pick<Keyring, "open">;
  readonly logger: Logger;
}): ColumnBeside<"providerId" | "endpointId" | "at", readonly [string, ...string[]]> {
  const remembered = new Map<string, string>();
  const open = ({ sealed, provider_id }: SealedWebhookSecret): string[] => {
    const known = remembered.get(sealed);
    if (known !== undefined) return [known];
    try {
      const secret = keyring.open(sealed, purposeOf("webhook_secret"));
      if (remembered.size >= REMEMBERED_MAX) remembered.clear();
      remembered.set(sealed, secret);
      return [secret];
    } catch (error) {
      if (!(error instanceof SealBroken)) throw error;
      logger.error("webhooks.secret_unreadable", { provider_id, error });
      return [];
    }
  };
  return {
    column: sealedWebhookSecrets,
    read(column) {
      const [oldest, ...newer] = ((column ?? []) as readonly SealedWebhookSecret[]).flatMap(open);
      return oldest === undefined ? null : [oldest, ...newer];
    },
  };
}

/**
 * Throws `KeyringFileInvalid` if a valid webhook secret was sealed by a key that the keyring lacks: without it,
 * deliveries to that partner would fail until their attempts are used up.
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
    `The keyring lacks ${missing.map((id) => `"${id}"`).join(", ")}, which sealed valid webhook secrets. Keep a key in the keyring as long as a value that it sealed is needed.`,
  );
}

/** Whether an endpoint has a separate valid secret. */
export function signsWithOwnSecret(
  { db, clock }: { readonly db: Database; readonly clock: Clock },
  endpointId: string,
): Promise<boolean> {
  return hasOwnWebhookSecret(db, endpointId, clock.now());
}
