import { paymentPage } from "../checkout/self-service-links.ts";
import { serviceDayOfOrder } from "../claims/claim-reads.ts";
import type { OrderId } from "../contract/vocabulary/identifiers.ts";
import type { WidgetSource } from "../frame/open-widget.ts";
import type { FileStorage } from "../gateways/file-storage.ts";
import type { Gateways } from "../gateways/gateways.ts";
import { type Clock, systemClock } from "../platform/clock.ts";
import type { OpenDatabase } from "../platform/database/database.ts";
import type { Database } from "../platform/database/transaction.ts";
import type { AddressLimitOptions } from "../platform/http/address-limits.ts";
import type { GuardedFetch, ResolveName } from "../platform/http/guarded-fetch.ts";
import { type Ids, systemIds } from "../platform/ids.ts";
import type { Keyring } from "../platform/keyring.ts";
import type { Logger } from "../platform/logger.ts";
import { createMetrics, type Metrics } from "../platform/metrics.ts";
import { createTracer, type Tracer } from "../platform/tracing/tracing.ts";
import type { Config, GatewaysConfig } from "./config.ts";
import type { Sandbox } from "./sandbox-port.ts";

/** The parts of a process. The optional ones are replaced in tests; by default the real ones are used. */
export interface ContextParts {
  readonly config: Config;
  readonly database: OpenDatabase;
  readonly keyring: Keyring;
  readonly files: FileStorage;
  readonly logger: Logger;
  /** The source of the widget's pages; null if this process does not serve them. */
  readonly widget: WidgetSource | null;
  /** Defaults to one that no other service shares. */
  readonly metrics?: Metrics;
  /** By default, ids are generated but spans are not exported. */
  readonly tracer?: Tracer;
  readonly clock?: Clock;
  readonly ids?: Ids;
  /** Resolves host names in URLs that were supplied from outside. */
  readonly resolveName?: ResolveName;
  readonly addressLimits?: AddressLimitOptions;
  /** The sandbox of a staging service; null if there is none. */
  readonly sandbox: Sandbox | null;
  /** Gateways to use instead of those that speak the connector protocol. */
  readonly parties?: Partial<Gateways>;
  /** Sends webhooks; by default, only to public addresses. */
  readonly webhookFetch?: GuardedFetch;
  /** Waits before an answer that must not come too soon; by default in real time. */
  readonly pause?: (milliseconds: number) => Promise<unknown>;
  /** How often the leases of running timers are renewed, in real time; by default their worker decides. */
  readonly renewTimersEveryMs?: number;
}

/** The addresses and settings of the gateways: the configured ones, or the sandbox's. */
export function partiesOf({ config, sandbox }: Pick<ContextParts, "config" | "sandbox">): GatewaysConfig {
  const parties = config.parties ?? sandbox?.parties;
  if (parties === undefined) throw new Error("A service without a sandbox needs the gateways in its configuration.");
  return parties;
}

export type Base = ReturnType<typeof baseOf>;

/** The dependencies that almost every feature needs. */
export function baseOf({ config, database, keyring, logger, ...given }: ContextParts) {
  const { db } = database;
  const clock = given.clock ?? systemClock;
  const { ids = systemIds, metrics = createMetrics(), tracer = createTracer() } = given;
  const pages = { clock, ids, keyring, widgetHostUrl: config.addresses.widget.publicUrl };
  return {
    ...{ db, clock, ids, logger, metrics, tracer, keyring, environment: config.environment },
    takesInsurerAccess: !config.insurerByHand,
    paymentPage: (at: Database, order: { readonly providerId: string; readonly orderId: OrderId }) =>
      paymentPage(pages, at, order),
    consultationDay: serviceDayOfOrder,
  };
}
