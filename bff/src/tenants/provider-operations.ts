import { recordAudit } from "../platform/audit-store.ts";
import type { Clock } from "../platform/clock.ts";
import type { Database, Transaction } from "../platform/database/transaction.ts";
import type { Ids } from "../platform/ids.ts";
import type { Keyring } from "../platform/keyring.ts";
import type { Environment } from "../platform/provider.ts";

/** The dependencies of operations on providers. */
export interface ProviderOperations {
  readonly db: Database;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly keyring: Keyring;
  readonly environment: Environment;
  /** The actor, for the audit trail: `operator:<name>` or `credential:<kind>`; omitted for the service itself. */
  readonly actor?: string;
  /** The credential of the actor; omitted if there is none. */
  readonly credentialId?: string | null;
}

/** Thrown when an operation names a provider that does not exist in this environment. */
export class ProviderNotFound extends Error {
  override readonly name = "ProviderNotFound";
  readonly code = "provider_not_found";
}

/** Records an actor's change of a provider in the audit trail, in the transaction of the change. */
export function auditProvider(
  tx: Transaction,
  {
    ids,
    clock,
    actor = "service",
    credentialId = null,
  }: Pick<ProviderOperations, "ids" | "clock" | "actor" | "credentialId">,
  { act, providerId, details = {} }: { act: string; providerId: string; details?: object },
): Promise<void> {
  const subject = { kind: "provider", id: providerId };
  return recordAudit(tx, {
    id: ids.uuid(),
    providerId,
    actor,
    credentialId,
    act,
    subject,
    details,
    at: clock.now(),
  });
}
