import { setTimeout as wait } from "node:timers/promises";
import type { Express } from "express";
import { purgeRecoveries } from "../checkout/onboarding/purge-recoveries.ts";
import type { RegisterPatientDependencies } from "../checkout/onboarding/register-patient.ts";
import { onboardingRoutes } from "../checkout/onboarding/routes.ts";
import { createViolationCounter } from "../checkout/page/csp-reports.ts";
import type { WidgetSource } from "../checkout/page/page.ts";
import type { WidgetHostDependencies } from "../checkout/page/widget-host.ts";
import { planRoutes } from "../checkout/plans/routes.ts";
import { checkoutPage, spendTokensOfOrder } from "../checkout/tokens/open-widget-token.ts";
import { pageStateFor } from "../checkout/tokens/page-state.ts";
import { purgeEndedTokens } from "../checkout/tokens/purge-ended-tokens.ts";
import { type WidgetTokenRoutesDependencies, widgetTokenRoutes } from "../checkout/tokens/routes.ts";
import { handleClaimEvents } from "../claims/event-handlers.ts";
import { countExpensesSent, expenseOfOrder } from "../claims/expenses/expense-reads.ts";
import { expenseRoutes } from "../claims/expenses/routes.ts";
import { expenseTimerHandlers } from "../claims/expenses/timers.ts";
import type { UploadDependencies } from "../claims/expenses/upload.ts";
import { receiveInsurerNews } from "../claims/receive-insurer-news.ts";
import { claimTimerHandlers } from "../claims/timers.ts";
import { collectionOf } from "../collection/collection-reads.ts";
import type { Config, GatewaysConfig } from "../config.ts";
import { createHttpBank } from "../gateways/bank/http-adapter.ts";
import type { Bank } from "../gateways/bank/port.ts";
import { createHttpCardProcessor } from "../gateways/card-processor/http-adapter.ts";
import type { CardProcessor } from "../gateways/card-processor/port.ts";
import { signCallback } from "../gateways/connector/callback-signature.ts";
import {
  CONNECTOR_ANSWER_BYTES_MAX,
  CONNECTOR_DEADLINE_MS,
  type Connector,
  createConnector,
} from "../gateways/connector/connector.ts";
import {
  type ConnectorCallbacksDependencies,
  receiveInsurerCallback,
} from "../gateways/connector/insurer-callbacks.ts";
import type { FileStorage } from "../gateways/file-storage/port.ts";
import { createHttpFinancingProvider } from "../gateways/financing-provider/http-adapter.ts";
import type { FinancingProvider } from "../gateways/financing-provider/port.ts";
import { createHttpIdentityRegistry } from "../gateways/identity-registry/http-adapter.ts";
import type { IdentityRegistry } from "../gateways/identity-registry/port.ts";
import { createHttpInsurer } from "../gateways/insurer/http-adapter.ts";
import type { InsurerConnector } from "../gateways/insurer/port.ts";
import { createHttpMessenger } from "../gateways/messenger/http-adapter.ts";
import type { Messenger } from "../gateways/messenger/port.ts";
import { createSmtpMessenger } from "../gateways/messenger/smtp-adapter.ts";
import { purgeUndelivered } from "../notifications/purge-undelivered.ts";
import { notificationTimerHandlers } from "../notifications/send-notification.ts";
import type { OrdersDependencies } from "../orders/dependencies.ts";
import { purgeIdentityChecks } from "../orders/identity/purge-identity-checks.ts";
import { readOrder } from "../orders/orders/order-store.ts";
import { handleReceiptEvents } from "../orders/payments/notify-receipt.ts";
import { orderRoutes } from "../orders/routes.ts";
import { orderTimerHandlers } from "../orders/timers.ts";
import { type BackgroundWork, createBackgroundWork } from "../platform/background-work.ts";
import { type Clock, systemClock } from "../platform/clock.ts";
import type { OpenDatabase } from "../platform/database/database.ts";
import { hasAllMigrations } from "../platform/database/migrate.ts";
import type { Database } from "../platform/database/transaction.ts";
import { createDispatchHandler } from "../platform/dispatch-events.ts";
import { type AddressLimitOptions, createAddressLimits, GENEROUS_LIMITS } from "../platform/http/address-limits.ts";
import { createGuardedFetch, type GuardedFetch, type ResolveName } from "../platform/http/guarded-fetch.ts";
import type { MountDependencies } from "../platform/http/mount-routes.ts";
import { createRateLimiter } from "../platform/http/rate-limit.ts";
import type { Route } from "../platform/http/route.ts";
import { type Ids, systemIds } from "../platform/ids.ts";
import type { Keyring } from "../platform/keyring.ts";
import type { Logger } from "../platform/logger.ts";
import { createEventHandlers, dispatchKind } from "../platform/outbox.ts";
import { createPoller } from "../platform/poller.ts";
import { purgeExpired } from "../platform/purge-expired.ts";
import { createTimerWorker, type TimerHandler, type TimerWorker } from "../platform/timers/timer-worker.ts";
import { SANDBOX_BANK_ACCOUNT } from "../sandbox/bank-account.ts";
import { type ClockMover, createClockMover } from "../sandbox/clock-mover.ts";
import { createSandboxGatewaysApp } from "../sandbox/gateways-app.ts";
import { sandboxRoutes } from "../sandbox/routes.ts";
import { createSandboxGateways } from "../sandbox/sandbox-gateways.ts";
import { purgeLinkCodes } from "../self-service/links/purge-link-codes.ts";
import { selfServiceLinkRoutes } from "../self-service/links/routes.ts";
import { endWaitingErasure } from "../self-service/my-data/erase-data.ts";
import { myDataRoutes } from "../self-service/my-data/routes.ts";
import { myDataTimerHandlers } from "../self-service/my-data/timers.ts";
import { reconciliationRoutes } from "../settlement/reconciliation/routes.ts";
import { createAuthentication, recall } from "../tenants/authenticate.ts";
import { centerRoutes } from "../tenants/centers/routes.ts";
import { findCenter, findCenterAccount } from "../tenants/centers/upsert-centers.ts";
import { createProvider } from "../tenants/create-provider.ts";
import { ProviderNotFound } from "../tenants/errors.ts";
import { findProvider, isRegisteredOrigin, providerOfPublicKey, publicCredentials } from "../tenants/provider-reads.ts";
import { createRememberedPrincipals } from "../tenants/remembered-principals.ts";
import { webhookSecretsBeside } from "../tenants/webhook-secrets.ts";
import { createDeliveryWorker, type DeliveryWorker } from "../webhooks/delivery-worker.ts";
import { handleWebhookEvents } from "../webhooks/event-handlers.ts";
import { webhookRoutes } from "../webhooks/routes.ts";
import { webhookTimerHandlers } from "../webhooks/timers.ts";
import { type AfterPaidDependencies, afterPaidTimerHandlers, handleAfterPaidEvents } from "./after-paid.ts";

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
  /** Whom the service calls; left out, as the configuration says. */
  readonly parties?: Gateways;
  /** What webhooks are sent with; left out, what guards against addresses that are not public. */
  readonly webhookFetch?: GuardedFetch;
  /** Ends our own process, for the sandbox's fault `kill_after`. */
  readonly kill?: () => void;
  /** After how long a move of a sandbox tenant's clock is answered though it still goes on. */
  readonly clockAnswerWithinMs?: number;
  /** How an answer waits that must not come too soon; left out, by the machine's time. */
  readonly pause?: (milliseconds: number) => Promise<unknown>;
}

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
  /** Does everything that is due now, and what becomes due by that, until nothing is. Returns how much it did. */
  runDue(scope?: { readonly providerId: string }): Promise<number>;
}

const POLL_MS = 500;
const HOUR_MS = 60 * 60 * 1_000;
/** After so long what a process had begun when it died is begun again. Whoever lives renews it every third of it. */
const TIMER_LEASE_MS = 20_000;
const TIMER_CONCURRENCY = 20;
const SALT_BYTES = 16;

type Base = ReturnType<typeof baseOf>;

/** What almost everything is given. */
function baseOf({ config, database, keyring, logger, ...given }: ContextParts) {
  const { db } = database;
  const clock = given.clock ?? systemClock;
  return { db, clock, ids: given.ids ?? systemIds, logger, keyring, environment: config.environment };
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

/** Who signs up again takes back that they wished to be erased: that is the patient's rights', which onboarding does not know. */
function onboardingParts({ documentSerialPattern }: Config, base: Base) {
  const endsErasure: RegisterPatientDependencies["endWaitingErasure"] = (tx, back) => endWaitingErasure(base, tx, back);
  return { ...base, documentSerialPattern, endWaitingErasure: endsErasure };
}

/** What tests and the demo drive the sandbox with; production has none of it. */
function sandboxCalls(parts: ContextParts, base: Base, clockMover: ClockMover): Route[] {
  const { config, kill } = parts;
  if (config.environment === "production") return [];
  const callbacks = callbackDependencies(parts, base);
  return sandboxRoutes({
    ...base,
    clockMover,
    canBeKilled: kill !== undefined || config.sandboxMayKill,
    async insurerCallsBack({ providerId, claimId }) {
      const body = JSON.stringify({ provider_id: providerId, claim_id: claimId });
      const headers = signCallback({ id: base.ids.uuid(), at: base.clock.now(), body }, callbacks.callbackToken);
      await receiveInsurerCallback(callbacks, { headers, body: Buffer.from(body) });
    },
    createProvider: (input) => createProvider({ ...base, actor: "credential:client_secret" }, input),
  });
}

/** The sandbox's connector has a token that nobody is told. */
function callbackDependencies({ config }: ContextParts, base: Base): ConnectorCallbacksDependencies {
  const callbackToken = config.parties?.connectorToken ?? base.keyring.hmac("sandbox.connector_token", "callbacks");
  return { ...base, callbackToken, receiveInsurerNews: (claim) => receiveInsurerNews(base, claim) };
}

/** Everybody whom the service calls. */
export interface Gateways {
  readonly cardProcessor: CardProcessor;
  readonly financingProvider: FinancingProvider;
  readonly identityRegistry: IdentityRegistry;
  readonly insurer: InsurerConnector;
  readonly messenger: Messenger;
  readonly bank: Bank;
  close(): Promise<void>;
}

function chooseGateways({ config, kill }: ContextParts, base: Base): Gateways {
  if (config.parties !== null) return realGateways(config.parties, base, openMessenger(config, base, null));
  const sandbox = createSandboxGateways({
    ...base,
    challengeOrigin: config.addresses.sandbox.publicUrl,
    kill: kill ?? (() => process.kill(process.pid, "SIGKILL")),
  });
  return { ...sandbox, ...openMessenger(config, base, sandbox.messenger) };
}

/** Mails and messages, each through what is configured for it, otherwise into the sandbox's mailboxes. */
function openMessenger(
  { smtp, messaging }: Config,
  base: Base,
  sandbox: Messenger | null,
): Pick<Gateways, "messenger" | "close"> {
  const mail = smtp === null ? null : createSmtpMessenger({ ...base, config: smtp });
  const limits = { deadlineMs: CONNECTOR_DEADLINE_MS, answerBytesMax: CONNECTOR_ANSWER_BYTES_MAX };
  const gateway =
    messaging === null ? null : createConnector({ ...base, party: "messages", config: { ...messaging, ...limits } });
  const mails = mail ?? sandbox;
  const messages = gateway === null ? sandbox : createHttpMessenger({ ...base, connector: gateway });
  if (mails === null || messages === null) throw new Error("The real parties need real mails and messages.");
  return {
    messenger: {
      sendEmail: (input) => mails.sendEmail(input),
      sendMessage: (input) => messages.sendMessage(input),
    },
    async close() {
      mail?.close();
      await gateway?.close();
    },
  };
}

function realGateways(
  parties: GatewaysConfig,
  base: Base,
  { messenger, close }: Pick<Gateways, "messenger" | "close">,
): Gateways {
  const connectors: Connector[] = [];
  const connect = (party: string) => {
    const connector = createConnector({
      ...base,
      party,
      config: {
        baseUrl: parties.connectorUrl,
        token: parties.connectorToken,
        deadlineMs: CONNECTOR_DEADLINE_MS,
        answerBytesMax: CONNECTOR_ANSWER_BYTES_MAX,
      },
    });
    connectors.push(connector);
    return connector;
  };
  const { challengeOrigin, financingProviderName: name } = parties;
  return {
    cardProcessor: createHttpCardProcessor({ ...base, connector: connect("card-processor"), challengeOrigin }),
    financingProvider: createHttpFinancingProvider({ connector: connect("financing-provider"), name }),
    identityRegistry: createHttpIdentityRegistry({ connector: connect("identity-registry") }),
    insurer: createHttpInsurer({ ...base, connector: connect("insurer") }),
    messenger,
    bank: createHttpBank({ connector: connect("bank") }),
    async close() {
      await close();
      await Promise.all(connectors.map((connector) => connector.close()));
    },
  };
}

function ordersDependencies(
  config: Config,
  base: Base,
  background: BackgroundWork,
  parties: Gateways,
): OrdersDependencies {
  return {
    ...base,
    ...parties,
    background,
    related: { expenseOf: expenseOfOrder, collectionOf },
    async findProvider(providerId) {
      const provider = await findProvider(base.db, providerId);
      if (provider === null) throw new ProviderNotFound("There is no provider with this id.");
      return provider;
    },
    findCenter,
    withinPaid: spendTokensOfOrder,
    checkoutPage,
    challengeReturnUrl: () => `${config.addresses.widget.publicUrl}/`,
    documentSerialPattern: config.documentSerialPattern,
    answerWithinMs: config.paymentAnswerWithinMs,
  };
}

function tokenDependencies(config: Config, base: Base, parties: Gateways): WidgetTokenRoutesDependencies {
  return {
    ...base,
    countExpensesSent,
    widgetHostUrl: config.addresses.widget.publicUrl,
    sealingKeys: { card: () => parties.cardProcessor.sealingKey(), insurerAccess: () => parties.insurer.sealingKey() },
    financingProviderName: parties.financingProvider.name,
    publicCredentials: (providerId) => publicCredentials(base, providerId),
  };
}

function mountDependencies({ config, addressLimits }: ContextParts, base: Base): MountDependencies {
  const remembered = createRememberedPrincipals(base.ids.bytes(SALT_BYTES));
  return {
    ...base,
    authenticate: createAuthentication({ ...base, remembered }),
    recall: (endpoint, request) => recall({ ...base, remembered }, endpoint, request),
    rateLimiter: createRateLimiter(base),
    addressLimits: createAddressLimits(addressLimits ?? GENEROUS_LIMITS),
    idempotency: base,
    checkAnswers: config.environment === "staging",
    async allowsOrigin(origin, request) {
      const { public_key: publicKey } = request.query;
      if (typeof publicKey !== "string") return isRegisteredOrigin(base.db, origin, base.environment);
      return (await providerOfPublicKey(base, publicKey))?.origins.includes(origin) ?? false;
    },
  };
}

function widgetHost(
  { config, widget, logger }: ContextParts & { readonly widget: WidgetSource },
  base: Base,
  parties: Gateways,
  tokens: WidgetTokenRoutesDependencies,
  { addressLimits }: MountDependencies,
): WidgetHostDependencies {
  const pages = {
    ...tokens,
    logger,
    findProviderByPublicKey: (_db: Database, publicKey: string) => providerOfPublicKey(base, publicKey),
  };
  return {
    source: widget,
    findPage: ({ widgetToken, publicKey }) => pageStateFor(pages, { token: widgetToken, publicKey }),
    challengeOrigin: parties.cardProcessor.challengeOrigin,
    publicUrl: config.addresses.widget.publicUrl,
    violations: createViolationCounter(logger),
    addressLimits,
  };
}

function afterPaidDependencies(config: Config, base: Base, parties: Gateways): AfterPaidDependencies {
  return {
    ...base,
    ...parties,
    widgetHostUrl: config.addresses.widget.publicUrl,
    findCenterAccount: (db, center) => findCenterAccount(base, db, center),
    defaultAccount: config.parties === null ? SANDBOX_BANK_ACCOUNT : null,
  };
}

interface Work extends Pick<Context, "start" | "stop" | "runDue"> {
  /** Called when a webhook was queued. */
  wakeDeliveries(): void;
}

/** What runs beside the servers. */
function createWork({
  config,
  base,
  orders,
  expenses,
  parties,
  guardedFetch,
}: {
  config: Config;
  base: Base;
  orders: OrdersDependencies;
  expenses: UploadDependencies;
  parties: Gateways;
  guardedFetch: GuardedFetch;
}): Work {
  const deliveries = createDeliveryWorker({
    ...base,
    guardedFetch,
    signatureWord: config.webhooks.signatureWord,
    secretsBeside: webhookSecretsBeside(base),
    pollMs: POLL_MS,
  });
  const subscriptions = createEventHandlers();
  handleWebhookEvents(subscriptions, base);
  const afterPaid = afterPaidDependencies(config, base, parties);
  handleAfterPaidEvents(subscriptions, afterPaid);
  const reads = { ...base, findProvider, findOrder: readOrder };
  handleClaimEvents(subscriptions, reads);
  handleReceiptEvents(subscriptions, reads);
  const timers = createTimerWorker({
    ...base,
    handlers: {
      ...orderTimerHandlers(orders),
      ...afterPaidTimerHandlers(afterPaid),
      ...expenseTimerHandlers(expenses),
      ...myDataTimerHandlers({ ...base, storage: expenses.storage }),
      ...claimTimerHandlers({ ...afterPaid, ...reads, insurer: parties.insurer, storage: expenses.storage }),
      ...notificationTimerHandlers({ ...base, messenger: parties.messenger }),
      ...webhookTimerHandlers({ ...base, messenger: parties.messenger, wake: deliveries.wake }),
      [dispatchKind]: thenWake(createDispatchHandler({ ...base, subscriptions }), deliveries),
    },
    concurrency: TIMER_CONCURRENCY,
    leaseMs: TIMER_LEASE_MS,
    pollMs: POLL_MS,
  });
  const housekeeping = createPoller({ look: () => purgeOutdated(base), pollMs: HOUR_MS, ...base });
  return {
    start() {
      timers.start();
      deliveries.start();
      housekeeping.start();
    },
    async stop() {
      await housekeeping.stop();
      await timers.stop();
      await deliveries.stop();
    },
    runDue: (scope) => runUntilQuiet(timers, deliveries, scope),
    wakeDeliveries: deliveries.wake,
  };
}

/**
 * Removes what is needed no longer: of the platform's tables, and what ended tokens, recoveries, codes and notices hold of a
 * person. Each is done whatever becomes of the others: nobody's data is kept for longer because of another table.
 */
async function purgeOutdated(base: Base): Promise<void> {
  for (const remove of [
    purgeExpired,
    purgeEndedTokens,
    purgeIdentityChecks,
    purgeRecoveries,
    purgeLinkCodes,
    purgeUndelivered,
  ]) {
    try {
      await remove(base);
    } catch (error) {
      base.logger.error("housekeeping.failed", { kind: remove.name, error });
    }
  }
}

/** What a dispatch has queued is sent once its transaction is over. */
function thenWake(handler: TimerHandler, deliveries: DeliveryWorker): TimerHandler {
  return async (timer, context) => {
    const outcome = await handler(timer, context);
    deliveries.wake();
    return outcome;
  };
}

async function runUntilQuiet(
  timers: TimerWorker,
  deliveries: DeliveryWorker,
  scope?: { readonly providerId: string },
): Promise<number> {
  for (let count = 0; ; ) {
    count += await timers.runDue(scope);
    const sent = await deliveries.runQueued(scope);
    // Timers were through before it: only what was sent can have made others.
    if (sent === 0) return count;
    count += sent;
  }
}
