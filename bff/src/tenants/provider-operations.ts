import type { Clock } from "../platform/clock.ts";
import type { Database } from "../platform/database/transaction.ts";
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
  /** Who does it, for the audit trail: `operator:<name>` or `credential:<kind>`; omitted for the service itself. */
  readonly actor?: string;
  /** The credential by which it is done; omitted where it is by none. */
  readonly credentialId?: string | null;
}
