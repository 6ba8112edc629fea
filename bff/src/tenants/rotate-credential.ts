import { OVERLAP_HOURS_MAX } from "../contract/terms.ts";
import { HOUR_MS } from "../contract/vocabulary/durations.ts";
import { inTransaction } from "../platform/database/transaction.ts";
import { auditProvider } from "./audit-provider.ts";
import type { CredentialKind } from "./credential.ts";
import { ProviderNotFound } from "./errors.ts";
import { type IssuedCredential, issueCredential } from "./issue-credential.ts";
import type { ProviderOperations } from "./provider-operations.ts";
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

/**
 * Makes a new credential of a kind and ends the old ones after the overlap. The new value is only in the result and
 * cannot be read again. Throws `ProviderNotFound` or `OverlapRefused`.
 */
export async function rotateCredential(
  operations: Omit<ProviderOperations, "environment">,
  { providerId, kind, overlapMs, endpointId }: Rotation,
): Promise<IssuedCredential> {
  const { db, clock, ids, keyring } = operations;
  if (!(overlapMs >= 0 && overlapMs <= OVERLAP_HOURS_MAX * HOUR_MS))
    throw new OverlapRefused(`An overlap has 0 to ${OVERLAP_HOURS_MAX / 24} days.`);
  const at = clock.now();
  const endsAt = new Date(at.getTime() + overlapMs);
  return inTransaction(db, async (tx) => {
    const provider = await findProviderById(tx, providerId);
    if (provider === null) throw new ProviderNotFound("There is no provider with this id.");
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
  });
}
