import { OVERLAP_HOURS_MAX } from "../contract/terms.ts";
import { HOUR_MS } from "../contract/vocabulary/durations.ts";
import type { Clock } from "../platform/clock.ts";
import { type ColumnBeside, type Database, inTransaction, type Transaction } from "../platform/database/transaction.ts";
import type { Ids } from "../platform/ids.ts";
import { type Keyring, SealBroken } from "../platform/keyring.ts";
import { KeyringFileInvalid } from "../platform/keyring-file.ts";
import type { Logger } from "../platform/logger.ts";
import { type CredentialKind, hintOf, isPublicKind, makeCredentialValue } from "./credential.ts";
import {
  clearEndOfCredentials,
  endCredentials,
  findProviderById,
  hasOwnWebhookSecret,
  insertCredential,
  type SealedWebhookSecret,
  sealedWebhookSecrets,
  selectWebhookSecretKeys,
} from "./provider-store.ts";
import { auditProvider, ProviderNotFound, type ProviderOperations } from "./providers.ts";

/** A new credential with its value. Show it now; it cannot be read again. */
export interface IssuedCredential {
  readonly id: string;
  readonly kind: CredentialKind;
  readonly value: string;
}

/** The keyring purpose of a kind, so that a value of one kind is invalid as another. */
export function purposeOf(kind: CredentialKind): string {
  return `credential.${kind}`;
}

/**
 * Creates a credential and stores it so that it can be recognised: public values in clear, secrets as a keyed hash,
 * webhook secrets sealed. With `endpointId`, a webhook secret belongs to that endpoint only.
 */
export async function issueCredential(
  tx: Transaction,
  { ids, keyring }: { readonly ids: Ids; readonly keyring: Pick<Keyring, "hmac" | "seal"> },
  owner: {
    readonly providerId: string;
    readonly endpointId?: string;
    readonly kind: CredentialKind;
    readonly at: Date;
    /** Valid until it is rotated if omitted. */
    readonly endsAt?: Date | null;
  },
): Promise<IssuedCredential> {
  const { kind } = owner;
  const issued = { id: ids.uuid(), kind, value: makeCredentialValue(kind, ids) };
  const kept = keptForm(kind, issued.value, keyring);
  await insertCredential(tx, owner.providerId, {
    id: issued.id,
    kind,
    endpointId: owner.endpointId ?? null,
    ...kept,
    hint: hintOf(issued.value),
    createdAt: owner.at,
    endsAt: owner.endsAt ?? null,
  });
  return issued;
}

function keptForm(kind: CredentialKind, value: string, keyring: Pick<Keyring, "hmac" | "seal">) {
  if (kind === "webhook_secret") return { lookup: null, sealed: keyring.seal(value, purposeOf(kind)) };
  return { lookup: isPublicKind(kind) ? value : keyring.hmac(purposeOf(kind), value), sealed: null };
}

/** Keeps a provider's credentials valid that would have ended at this moment. */
export async function keepCredentials(
  tx: Transaction,
  kept: { readonly providerId: string; readonly endsAt: Date },
): Promise<void> {
  await clearEndOfCredentials(tx, kept);
}

/** Thrown when the overlap is negative or too long. The message is for the operator. */
export class OverlapRefused extends Error {
  override readonly name = "OverlapRefused";
}

export interface Rotation {
  readonly providerId: string;
  readonly kind: CredentialKind;
  /** How long the old credentials stay valid; 0 ends them at once. */
  readonly overlapMs: number;
  /** Rotates the webhook secret of one endpoint instead of the provider's own. */
  readonly endpointId?: string;
}

type RotationOperations = Omit<ProviderOperations, "environment" | "db">;

/**
 * Creates a credential of a kind and ends the old ones after the overlap. The new value is only in the result and
 * cannot be read again. Throws `ProviderNotFound` or `OverlapRefused`.
 */
export function rotateCredential(
  operations: RotationOperations & Pick<ProviderOperations, "db">,
  rotation: Rotation,
): Promise<IssuedCredential> {
  return inTransaction(operations.db, (tx) => rotateWithin(tx, operations, rotation));
}

/** Rotates a credential in an open transaction; see `rotateCredential`. */
export async function rotateWithin(
  tx: Transaction,
  operations: RotationOperations,
  { providerId, kind, overlapMs, endpointId }: Rotation,
): Promise<IssuedCredential> {
  const { clock, ids, keyring } = operations;
  requireOverlap(overlapMs);
  const at = clock.now();
  if ((await findProviderById(tx, providerId)) === null)
    throw new ProviderNotFound("There is no provider with this id.");
  const endsAt = new Date(at.getTime() + overlapMs);
  await endCredentials(tx, { providerId, kind, endpointId: endpointId ?? null, endsAt });
  const owner = { providerId, kind, at, ...(endpointId === undefined ? {} : { endpointId }) };
  const issued = await issueCredential(tx, { ids, keyring }, owner);
  const details = {
    kind,
    credential_id: issued.id,
    ...(endpointId === undefined ? {} : { endpoint_id: endpointId }),
  };
  await auditProvider(tx, operations, { act: "credential.rotated", providerId, details });
  return issued;
}

/** Throws `OverlapRefused` if an overlap is negative or too long. */
export function requireOverlap(overlapMs: number): void {
  if (!(overlapMs >= 0 && overlapMs <= OVERLAP_HOURS_MAX * HOUR_MS))
    throw new OverlapRefused(`An overlap must be 0 to ${OVERLAP_HOURS_MAX / 24} days.`);
}

/**
 * Ends all credentials of a kind now and creates none. It only removes access, so one person may do it. Returns how
 * many there were. Throws `ProviderNotFound`.
 */
export async function revokeCredentials(
  operations: Pick<ProviderOperations, "db" | "clock" | "ids" | "actor">,
  { providerId, kind }: Pick<Rotation, "providerId" | "kind">,
): Promise<number> {
  return inTransaction(operations.db, async (tx) => {
    if ((await findProviderById(tx, providerId)) === null)
      throw new ProviderNotFound("There is no provider with this id.");
    const ended = await endCredentials(tx, { providerId, kind, endpointId: null, endsAt: operations.clock.now() });
    await auditProvider(tx, operations, { act: "credential.revoked", providerId, details: { kind, ended } });
    return ended;
  });
}

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
