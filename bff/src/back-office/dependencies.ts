import type { FileStorage } from "../gateways/file-storage.ts";
import type { Clock } from "../platform/clock.ts";
import type { Database } from "../platform/database/transaction.ts";
import type { GuardedFetch } from "../platform/http/guarded-fetch.ts";
import type { Ids } from "../platform/ids.ts";
import type { Keyring } from "../platform/keyring.ts";
import type { Logger } from "../platform/logger.ts";
import type { Environment } from "../platform/provider.ts";
import type { SendLinkDependencies } from "../self-service/send-link.ts";
import type { ReconcileDependencies } from "../settlement/reconcile.ts";

/** The dependencies of the console's pages. */
export interface ConsoleDependencies extends ReconcileDependencies, SendLinkDependencies {
  readonly db: Database;
  /** Real time. */
  readonly clock: Clock;
  readonly ids: Ids;
  readonly keyring: Keyring;
  readonly logger: Logger;
  readonly environment: Environment;
  readonly storage: Pick<FileStorage, "get">;
  readonly guardedFetch: GuardedFetch;
  /** The console's address from outside. */
  readonly consoleUrl: string;
  readonly signIn: OpenIdConfig | null;
  /** Starts sending queued webhooks. */
  readonly wake: () => void;
}

/** The operators' own sign-in service, by OpenID Connect. */
export interface OpenIdConfig {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
}
