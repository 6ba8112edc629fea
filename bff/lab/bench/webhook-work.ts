import { eventSchemas } from "../../src/app/worker.ts";
import { systemClock } from "../../src/platform/clock.ts";
import type { Database } from "../../src/platform/database/transaction.ts";
import { createDispatchHandler } from "../../src/platform/dispatch-events.ts";
import { createGuardedFetch } from "../../src/platform/http/guarded-fetch.ts";
import { systemIds } from "../../src/platform/ids.ts";
import { createKeyring } from "../../src/platform/keyring.ts";
import { silentLogger } from "../../src/platform/logger.ts";
import { createMetrics } from "../../src/platform/metrics.ts";
import { createEventHandlers, dispatchKind } from "../../src/platform/outbox.ts";
import { createTimerWorker, type TimerWorker } from "../../src/platform/timers/timer-worker.ts";
import { createTracer } from "../../src/platform/tracing/tracing.ts";
import { webhookSecretsBeside } from "../../src/tenants/credentials.ts";
import { createDeliveryWorker, type DeliveryWorker } from "../../src/webhooks/delivery-worker.ts";
import { handleWebhookEvents } from "../../src/webhooks/work.ts";

const clock = systemClock;
const ids = systemIds;
const logger = silentLogger;
export const keyring = createKeyring({ keys: [{ id: "bench", secret: Buffer.alloc(32, 1) }], environment: "staging" });

/** The product's webhook delivery, and nothing else. */
export function openWebhookWork(db: Database, pollMs: number): { timers: TimerWorker; deliveries: DeliveryWorker } {
  const deliveries = createDeliveryWorker({
    metrics: createMetrics(),
    tracer: createTracer(),
    environment: "staging",
    db,
    clock,
    ids,
    logger,
    pollMs,
    signatureWord: "Service",
    guardedFetch: createGuardedFetch({ allowLoopback: true }),
    secretsBeside: webhookSecretsBeside({ keyring, logger }),
  });
  const eventHandlers = createEventHandlers(eventSchemas);
  handleWebhookEvents(eventHandlers, { clock });
  const dispatch = createDispatchHandler({ db, clock, eventHandlers });
  const timers = createTimerWorker({
    metrics: createMetrics(),
    tracer: createTracer(),
    environment: "staging",
    switchOf: {},
    db,
    clock,
    ids,
    logger,
    handlers: {
      async [dispatchKind](timer, context) {
        const outcome = await dispatch(timer, context);
        deliveries.wake();
        return outcome;
      },
    },
    concurrency: 20,
    leaseMs: 60_000,
    pollMs,
  });
  return { timers, deliveries };
}
