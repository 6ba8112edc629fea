import { setTimeout as wait } from "node:timers/promises";
import type { ConsoleDependencies } from "../back-office/dependencies.ts";
import { onboardingRoutes, planRoutes, quoteRoutes, recognitionRoutes, widgetTokenRoutes } from "../checkout/routes.ts";
import { countExpensesSent } from "../claims/claim-reads.ts";
import { expenseRoutes } from "../claims/routes.ts";
import type { WidgetHostDependencies } from "../frame/widget-host.ts";
import { watchGateways } from "../gateways/gateway-states.ts";
import type { NamedGateways } from "../gateways/gateways.ts";
import { type ConnectorCallbacksDependencies, receiveInsurerCallback } from "../gateways/insurer-callbacks.ts";
import type { OrdersDependencies, OrderViews } from "../orders/dependencies.ts";
import { orderRoutes } from "../orders/routes.ts";
import { createBackgroundWork } from "../platform/background-work.ts";
import type { Clock } from "../platform/clock.ts";
import type { OpenDatabase } from "../platform/database/database.ts";
import { migrationCheck } from "../platform/database/migrate.ts";
import { createGuardedFetch } from "../platform/http/guarded-fetch.ts";
import type { MountDependencies } from "../platform/http/mount-routes.ts";
import type { Route } from "../platform/http/route.ts";
import type { Ids } from "../platform/ids.ts";
import type { Keyring } from "../platform/keyring.ts";
import type { Logger } from "../platform/logger.ts";
import type { Metrics } from "../platform/metrics.ts";
import type { Tracer } from "../platform/tracing/tracing.ts";
import { myDataRoutes, redirectRoutes, selfServiceLinkRoutes } from "../self-service/routes.ts";
import { settlementRoutes } from "../settlement/routes.ts";
import { centerRoutes } from "../tenants/routes.ts";
import { webhookRoutes } from "../webhooks/routes.ts";
import { createAuditing } from "./auditing.ts";
import type { Config } from "./config.ts";
import {
  callbackDependencies,
  consoleDependencies,
  mountDependencies,
  ordersDependencies,
  recognitionDependencies,
  tokenDependencies,
  widgetHost,
} from "./features.ts";
import { chooseGateways } from "./gateways.ts";
import { type DiskFolders, measured } from "./gauges.ts";
import { createOrderViews } from "./order-views.ts";
import { type Base, baseOf, type ContextParts } from "./parts.ts";
import type { JoinedSandbox, Sandbox } from "./sandbox-port.ts";
import { createWork, type Work } from "./worker.ts";

/*
 * Puts a process together from storage, gateways, features and background work. No other folder chooses
 * implementations.
 */

/** A complete process: what its servers mount and what runs in the background. */
export interface Context {
  readonly config: Config;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly tracer: Tracer;
  readonly database: OpenDatabase;
  readonly keyring: Keyring;
  readonly paymentPage: Base["paymentPage"];
  readonly consultationDay: Base["consultationDay"];
  readonly takesInsurerAccess: boolean;
  readonly parties: NamedGateways;
  readonly mount: MountDependencies;
  readonly orderRoutes: readonly Route[];
  readonly spotRoutes: readonly Route[];
  readonly widgetHost: WidgetHostDependencies | null;
  /** The dependencies of the callbacks from connectors. */
  readonly callbacks: ConnectorCallbacksDependencies;
  readonly console: ConsoleDependencies;
  readonly sandbox: Sandbox | null;
  /** Receives the logged fields of each request; undefined without a sandbox. */
  readonly requestEnded: JoinedSandbox["requestEnded"] | undefined;
  isMigrated(): Promise<boolean>;
  /** Starts running timers and deliveries as they fall due. */
  start(): void;
  /** Waits for the running work, and starts no more. The caller closes the database. */
  stop(): Promise<void>;
  readonly runDue: Work["runDue"];
}

/** Builds a process with the configured implementations. */
export function createContext(parts: ContextParts): Context {
  const { config, database, logger } = parts;
  const base = measured(baseOf(parts), database, diskFolders(config));
  const background = createBackgroundWork(logger);
  const watch = watchGateways(base);
  const parties = chooseGateways(parts, { ...base, metrics: watch.metrics });
  const { webhookFetch, expenseFetch } = createFetches(parts);
  const orders = ordersDependencies(config, base, background, parties, webhookFetch);
  const views = createOrderViews(config, base);
  const tokens = tokenDependencies(config, base, parties);
  const auditing = createAuditing(base);
  const mount = mountDependencies(parts, base, auditing.failures);
  const expenses = { ...base, storage: parts.files, guardedFetch: expenseFetch };
  const work = createWork({ parts, base, orders, views, expenses, parties, guardedFetch: webhookFetch });
  const callbacks = callbackDependencies(parts, base);
  const sandbox = parts.sandbox?.join({
    runDue: work.runDue,
    receiveCallback: async (callback) => void (await receiveInsurerCallback(callbacks, callback)),
  });
  return {
    ...base,
    config,
    database,
    parties,
    mount,
    orderRoutes: [...routesOfOrders({ config, base, orders, views }), ...(sandbox?.routes ?? [])],
    spotRoutes: [
      ...routesOfVisits(tokens),
      ...onboardingRoutes({ ...orders, ...tokens, ...base, rateLimiter: mount.rateLimiter }),
      ...routesOfPatients({ ...orders, ...tokens, ...base }),
      ...myDataRoutes({ ...tokens, ...base, printing: { ...orders, views }, pause: parts.pause ?? wait }),
      ...expenseRoutes(expenses),
      ...planRoutes({ ...base, countExpensesSent }),
      ...webhookRoutes({ ...base, guardedFetch: webhookFetch, wake: work.wakeDeliveries }),
      ...routesOfBackOffices(base, parties),
    ],
    widgetHost: parts.widget && widgetHost({ ...parts, widget: parts.widget }, base, parties, tokens, mount),
    callbacks,
    console: { ...consoleDependencies(parts, base, parties), guardedFetch: webhookFetch, wake: work.wakeDeliveries },
    sandbox: parts.sandbox,
    requestEnded: sandbox?.requestEnded,
    isMigrated: migrationCheck(database),
    start() {
      for (const each of [work, auditing, watch]) each.start();
      sandbox?.start();
    },
    async stop() {
      await sandbox?.stop();
      for (const each of [work, auditing, watch]) await each.stop();
      await background.idle();
      await Promise.all([webhookFetch.close(), expenseFetch.close()]);
      await parties.close();
    },
    runDue: work.runDue,
  };
}

function routesOfPatients(links: OrdersDependencies & ReturnType<typeof tokenDependencies> & Base) {
  return [...selfServiceLinkRoutes(links), ...redirectRoutes(links)];
}

function routesOfBackOffices(base: Base, parties: NamedGateways): Route[] {
  return [...centerRoutes(base), ...settlementRoutes({ ...base, ...parties })];
}

function routesOfVisits(tokens: ReturnType<typeof tokenDependencies>): Route[] {
  return [...widgetTokenRoutes(tokens), ...quoteRoutes(tokens)];
}

function routesOfOrders({ config, base, orders, views }: OrderRoutesParts): Route[] {
  return [...orderRoutes(orders, views), ...recognitionRoutes(recognitionDependencies(config, base, orders))];
}

interface OrderRoutesParts {
  readonly config: Config;
  readonly base: Base;
  readonly orders: OrdersDependencies;
  readonly views: OrderViews;
}

/** The folders of the embedded database and the uploads, if they are on this machine. */
function diskFolders({ databaseUrl, dataDir, files }: Config): DiskFolders {
  const folders = new Map<string, string>();
  if (databaseUrl === dataDir) folders.set("database", dataDir);
  if (files.kind === "folder") folders.set("files", files.path);
  return folders;
}

/** The clients for partners' URLs, each kind with separate connections. */
function createFetches({ config, resolveName, webhookFetch }: ContextParts) {
  const resolve = resolveName === undefined ? {} : { resolve: resolveName };
  return {
    webhookFetch: webhookFetch ?? createGuardedFetch({ allowLoopback: config.webhooks.allowLoopback, ...resolve }),
    expenseFetch: createGuardedFetch({ allowLoopback: config.expenseUrlsAllowLoopback, ...resolve }),
  };
}
