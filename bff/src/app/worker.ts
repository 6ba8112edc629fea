import { backOfficeTimerHandlers } from "../back-office/work.ts";
import { checkoutTimerHandlers } from "../checkout/work.ts";
import { claimEvents, expenseEvents } from "../claims/claim-events.ts";
import { isClaimOver, readUnapprovedBecause } from "../claims/claim-reads.ts";
import { claimSwitches, claimTimerHandlers, expenseTimerHandlers, handleClaimEvents } from "../claims/work.ts";
import { collectionEvents } from "../collection/collection-events.ts";
import type { CollectionDependencies } from "../collection/dependencies.ts";
import { collectionSwitches, collectionTimerHandlers, handleCollectionEvents } from "../collection/work.ts";
import type { NamedGateways } from "../gateways/gateways.ts";
import { notificationSwitches, notificationTimerHandlers } from "../notifications/work.ts";
import type { OrdersDependencies, OrderViews } from "../orders/dependencies.ts";
import { createMakeDocuments } from "../orders/order-documents.ts";
import { orderEvents, refundEvents } from "../orders/order-events.ts";
import { handleOrderEvents, orderSwitches, orderTimerHandlers } from "../orders/work.ts";
import { patientEvents } from "../patients/patient-events.ts";
import { createDispatchHandler } from "../platform/dispatch-events.ts";
import type { GuardedFetch } from "../platform/http/guarded-fetch.ts";
import { createEventHandlers, dispatchKind, type EventSchemas } from "../platform/outbox.ts";
import { createPoller } from "../platform/poller.ts";
import type { Switch } from "../platform/switches.ts";
import { createTimerWorker, type TimerHandler, type TimerWorker } from "../platform/timers/timer-worker.ts";
import { handleRequestEvents, myDataTimerHandlers, requestEvents } from "../self-service/work.ts";
import {
  handleSettlementEvents,
  type SettlementWorkDependencies,
  settlementSwitches,
  settlementTimerHandlers,
} from "../settlement/work.ts";
import { webhookSecretsBeside } from "../tenants/credentials.ts";
import { findProvider } from "../tenants/providers.ts";
import { createDeliveryWorker, type DeliveryWorker } from "../webhooks/delivery-worker.ts";
import { handleWebhookEvents, webhookTimerHandlers } from "../webhooks/work.ts";
import { recognitionDependencies, returnUrls } from "./features.ts";
import type { Base, ContextParts } from "./parts.ts";
import { purgeOutdated } from "./purge-outdated.ts";

/** The schemas by which events of every kind are read from the log. */
export const eventSchemas: EventSchemas = {
  ...orderEvents,
  ...refundEvents,
  ...patientEvents,
  ...expenseEvents,
  ...collectionEvents,
  ...claimEvents,
  ...requestEvents,
};

/** The switch that stops each kind of timer. */
const SWITCHED_TIMERS: Readonly<Record<string, Switch>> = {
  ...claimSwitches,
  ...collectionSwitches,
  ...notificationSwitches,
  ...orderSwitches,
  ...settlementSwitches,
};

const POLL_MS = 500;
const HOUR_MS = 60 * 60 * 1_000;
/** After this time the timers of a dead process are run by another. */
const TIMER_LEASE_MS = 20_000;
const TIMER_CONCURRENCY = 20;

export interface Work {
  /** Starts running timers and deliveries as they fall due, each if the configuration enables it. */
  start(): void;
  /** Waits for the running work, and starts no more. */
  stop(): Promise<void>;
  /**
   * Runs all due work, and the work that this makes due, until none is left. Returns the number of tasks that ran.
   */
  runDue(scope?: { readonly providerId: string }): Promise<number>;
  /** Starts sending queued webhooks at once; called after one was queued. */
  wakeDeliveries(): void;
}

/** Creates the background work: timers, webhook deliveries and housekeeping. */
export function createWork({
  parts,
  base,
  orders,
  views,
  expenses,
  parties,
  guardedFetch,
}: {
  parts: Pick<ContextParts, "config" | "sandbox" | "renewTimersEveryMs">;
  base: Base;
  orders: OrdersDependencies;
  views: OrderViews;
  expenses: Parameters<typeof expenseTimerHandlers>[0];
  parties: NamedGateways;
  guardedFetch: GuardedFetch;
}): Work {
  const deliveries = createDeliveryWorker({
    ...base,
    guardedFetch,
    signatureWord: parts.config.webhooks.signatureWord,
    secretsBeside: webhookSecretsBeside(base),
    pollMs: POLL_MS,
  });
  const afterPaid = afterPaidDependencies(parts, base, parties);
  const reads = { ...base, findProvider };
  const eventHandlers = createEventHandlers(eventSchemas);
  handleWebhookEvents(eventHandlers, base);
  handleCollectionEvents(eventHandlers, afterPaid);
  handleSettlementEvents(eventHandlers, afterPaid);
  handleClaimEvents(eventHandlers, { ...afterPaid, ...reads });
  handleOrderEvents(eventHandlers, reads);
  handleRequestEvents(eventHandlers, base);
  const timers = createTimerWorker({
    ...base,
    handlers: {
      ...orderTimerHandlers(orders),
      ...checkoutTimerHandlers(recognitionDependencies(parts.config, base, orders)),
      ...collectionTimerHandlers(afterPaid),
      ...settlementTimerHandlers(afterPaid),
      ...expenseTimerHandlers(expenses),
      ...myDataTimerHandlers({ ...base, storage: expenses.storage }),
      ...claimTimerHandlers({ ...afterPaid, ...reads, insurer: parties.insurer, storage: expenses.storage }),
      ...notificationTimerHandlers({ ...base, ...parties, makeDocuments: createMakeDocuments({ ...orders, views }) }),
      ...backOfficeTimerHandlers(base),
      ...webhookTimerHandlers({ ...base, messenger: parties.messenger, wake: deliveries.wake }),
      [dispatchKind]: thenWake(createDispatchHandler({ ...base, eventHandlers }), deliveries),
    },
    switchOf: SWITCHED_TIMERS,
    concurrency: TIMER_CONCURRENCY,
    leaseMs: TIMER_LEASE_MS,
    renewEveryMs: parts.renewTimersEveryMs,
    pollMs: POLL_MS,
  });
  const housekeeping = createPoller({ look: () => purgeOutdated(base), pollMs: HOUR_MS, ...base });
  const { workers } = parts.config;
  return {
    start() {
      if (workers === "all" || workers === "webhooks") deliveries.start();
      if (workers !== "all" && workers !== "timers") return;
      timers.start();
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

/** The dependencies of the features that work after an order was paid. */
type AfterPaidDependencies = CollectionDependencies &
  SettlementWorkDependencies &
  Parameters<typeof handleCollectionEvents>[1];

function afterPaidDependencies(
  { config, sandbox }: Pick<ContextParts, "config" | "sandbox">,
  base: Base,
  parties: NamedGateways,
): AfterPaidDependencies {
  return {
    ...base,
    ...parties,
    widgetHostUrl: config.addresses.widget.publicUrl,
    returnUrl: returnUrls(config, base),
    unapprovedBecause: (db, order) => readUnapprovedBecause(db, order, base),
    claimEnded: isClaimOver,
    defaultAccount: config.parties === null ? (sandbox?.defaultAccount ?? null) : null,
  };
}

/** Wakes the webhook deliveries after each dispatch, once its transaction has committed what it queued. */
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
    // No timer was due before the deliveries ran, so only a delivery can have created one.
    if (sent === 0) return count;
    count += sent;
  }
}
