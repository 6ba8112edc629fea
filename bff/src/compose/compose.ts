import { setTimeout as wait } from "node:timers/promises";
import type { Express } from "express";
import { onboardingRoutes } from "../checkout/onboarding/routes.ts";
import type { WidgetHostDependencies } from "../checkout/page/widget-host.ts";
import { planRoutes } from "../checkout/plans/routes.ts";
import { widgetTokenRoutes } from "../checkout/tokens/routes.ts";
import { countExpensesSent } from "../claims/expenses/expense-reads.ts";
import { expenseRoutes } from "../claims/expenses/routes.ts";
import type { Config } from "../config.ts";
import type { ConnectorCallbacksDependencies } from "../gateways/connector/insurer-callbacks.ts";
import type { Gateways } from "../gateways/gateways.ts";
import { readOrder } from "../orders/orders/order-store.ts";
import { orderRoutes } from "../orders/routes.ts";
import { createBackgroundWork } from "../platform/background-work.ts";
import type { Clock } from "../platform/clock.ts";
import type { OpenDatabase } from "../platform/database/database.ts";
import { hasAllMigrations } from "../platform/database/migrate.ts";
import { createGuardedFetch } from "../platform/http/guarded-fetch.ts";
import type { MountDependencies } from "../platform/http/mount-routes.ts";
import type { Route } from "../platform/http/route.ts";
import type { Ids } from "../platform/ids.ts";
import type { Keyring } from "../platform/keyring.ts";
import type { Logger } from "../platform/logger.ts";
import { createClockMover } from "../sandbox/clock-mover.ts";
import { createSandboxGatewaysApp } from "../sandbox/gateways-app.ts";
import { selfServiceLinkRoutes } from "../self-service/links/routes.ts";
import { myDataRoutes } from "../self-service/my-data/routes.ts";
import { reconciliationRoutes } from "../settlement/reconciliation/routes.ts";
import { centerRoutes } from "../tenants/centers/routes.ts";
import { webhookRoutes } from "../webhooks/routes.ts";
import {
  callbackDependencies,
  mountDependencies,
  onboardingParts,
  ordersDependencies,
  sandboxCalls,
  tokenDependencies,
  widgetHost,
} from "./features.ts";
import { chooseGateways } from "./gateways.ts";
import { baseOf, type ContextParts } from "./parts.ts";
import { createWork, type Work } from "./worker.ts";

/** A process put together: what the servers mount, and what runs beside them. */
export interface Context {
  readonly config: Config;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly database: OpenDatabase;
  readonly keyring: Keyring;
  readonly parties: Gateways;
  readonly mount: MountDependencies;
  readonly orderRoutes: readonly Route[];
  readonly spotRoutes: readonly Route[];
  readonly widgetHost: WidgetHostDependencies | null;
  /** What connectors call here. */
  readonly callbacks: ConnectorCallbacksDependencies;
  sandboxGatewaysApp(): Express;
  isMigrated(): Promise<boolean>;
  /** Begins to do what falls due. */
  start(): void;
  /** Lets what is under way end. The database is the caller's to close. */
  stop(): Promise<void>;
  readonly runDue: Work["runDue"];
}

/** The only place that chooses implementations. */
export function createContext(parts: ContextParts): Context {
  const { config, database, logger } = parts;
  const base = baseOf(parts);
  const background = createBackgroundWork(logger);
  const parties = parts.parties ?? chooseGateways(parts, base);
  const resolve = parts.resolveName === undefined ? {} : { resolve: parts.resolveName };
  const webhookFetch =
    parts.webhookFetch ?? createGuardedFetch({ allowLoopback: config.webhooks.allowLoopback, ...resolve });
  const expenseFetch = createGuardedFetch({ allowLoopback: config.expenseUrlsAllowLoopback, ...resolve });
  const orders = ordersDependencies(config, base, background, parties);
  const tokens = tokenDependencies(config, base, parties);
  const mount = mountDependencies(parts, base);
  const expenses = { ...base, storage: parts.files, findOrder: readOrder, guardedFetch: expenseFetch };
  const work = createWork({ config, base, orders, expenses, parties, guardedFetch: webhookFetch });
  const { clockAnswerWithinMs: answerWithinMs } = parts;
  const timing = answerWithinMs === undefined ? {} : { answerWithinMs };
  const clockMover = createClockMover({ ...base, ...timing, runDue: work.runDue });
  return {
    ...base,
    config,
    database,
    parties,
    mount,
    orderRoutes: [...orderRoutes(orders), ...sandboxCalls(parts, base, clockMover)],
    spotRoutes: [
      ...widgetTokenRoutes(tokens),
      ...onboardingRoutes({ ...tokens, ...onboardingParts(config, base), ...parties, rateLimiter: mount.rateLimiter }),
      ...selfServiceLinkRoutes({ ...tokens, ...base, ...parties }),
      ...myDataRoutes({ ...tokens, ...base, pause: parts.pause ?? ((milliseconds) => wait(milliseconds)) }),
      ...expenseRoutes(expenses),
      ...planRoutes({ ...base, countExpensesSent }),
      ...webhookRoutes({ ...base, guardedFetch: webhookFetch, wake: work.wakeDeliveries }),
      ...centerRoutes(base),
      ...reconciliationRoutes({ ...base, ...parties }),
    ],
    widgetHost:
      parts.widget === null ? null : widgetHost({ ...parts, widget: parts.widget }, base, parties, tokens, mount),
    callbacks: callbackDependencies(parts, base),
    sandboxGatewaysApp: () => createSandboxGatewaysApp({ ...base, ...parties, connectorToken: null }),
    isMigrated: () => hasAllMigrations(database),
    start() {
      work.start();
      if (config.environment !== "production") void background.track("sandbox.clock_failed", clockMover.resume());
    },
    async stop() {
      await clockMover.stop();
      await work.stop();
      await background.idle();
      await Promise.all([webhookFetch.close(), expenseFetch.close()]);
      await parties.close();
    },
    runDue: work.runDue,
  };
}
