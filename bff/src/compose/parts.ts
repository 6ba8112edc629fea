import type { WidgetSource } from "../checkout/page/page.ts";
import type { Config, GatewaysConfig } from "../config.ts";
import type { FileStorage } from "../gateways/file-storage/port.ts";
import type { Gateways } from "../gateways/gateways.ts";
import { type Clock, systemClock } from "../platform/clock.ts";
import type { OpenDatabase } from "../platform/database/database.ts";
import type { AddressLimitOptions } from "../platform/http/address-limits.ts";
import type { GuardedFetch, ResolveName } from "../platform/http/guarded-fetch.ts";
import { type Ids, systemIds } from "../platform/ids.ts";
import type { Keyring } from "../platform/keyring.ts";
import type { Logger } from "../platform/logger.ts";
import type { Sandbox } from "./sandbox-port.ts";

/** What a process is made of; what is left out is the real thing. */
export interface ContextParts {
  readonly config: Config;
  readonly database: OpenDatabase;
  readonly keyring: Keyring;
  readonly files: FileStorage;
  readonly logger: Logger;
  /** What the widget's pages are made of; null where this process does not serve them. */
  readonly widget: WidgetSource | null;
  readonly clock?: Clock;
  readonly ids?: Ids;
  /** Where the names in URLs that others give are looked up. */
  readonly resolveName?: ResolveName;
  readonly addressLimits?: AddressLimitOptions;
  /** Stands beside the service in staging; null: there is none. */
  readonly sandbox: Sandbox | null;
  /** Whom the service calls by other means than the connector protocol. */
  readonly parties?: Partial<Gateways>;
  /** What webhooks are sent with; left out, what guards against addresses that are not public. */
  readonly webhookFetch?: GuardedFetch;
  /** How an answer waits that must not come too soon; left out, by the machine's time. */
  readonly pause?: (milliseconds: number) => Promise<unknown>;
}

/** Where the outside parties are: the real ones that the configuration names, or the sandbox's. */
export function partiesOf({ config, sandbox }: Pick<ContextParts, "config" | "sandbox">): GatewaysConfig {
  const parties = config.parties ?? sandbox?.parties;
  if (parties === undefined)
    throw new Error("A service without a sandbox calls the parties that its configuration names.");
  return parties;
}

export type Base = ReturnType<typeof baseOf>;

/** What almost everything is given. */
export function baseOf({ config, database, keyring, logger, ...given }: ContextParts) {
  const { db } = database;
  const clock = given.clock ?? systemClock;
  return { db, clock, ids: given.ids ?? systemIds, logger, keyring, environment: config.environment };
}
