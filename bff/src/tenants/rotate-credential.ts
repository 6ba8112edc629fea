import { OVERLAP_HOURS_MAX } from "../contract/terms.ts";
import { HOUR_MS } from "../contract/vocabulary/durations.ts";
import { inTransaction, type Transaction } from "../platform/database/transaction.ts";
import type { CredentialKind } from "./credential.ts";
import { type IssuedCredential, issueCredential } from "./issue-credential.ts";
import { auditProvider, ProviderNotFound, type ProviderOperations } from "./provider-operations.ts";
import { endCredentials, findProviderById } from "./provider-store.ts";

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
