import type { Clock } from "../platform/clock.ts";
import type { Database } from "../platform/database/transaction.ts";
import { gatherSignals } from "../platform/gather-signals.ts";
import type { Ids } from "../platform/ids.ts";
import type { Logger } from "../platform/logger.ts";
import type { Metrics } from "../platform/metrics.ts";
import { createPoller } from "../platform/poller.ts";
import type { Environment } from "../platform/provider.ts";
import { parseTraceparent } from "../platform/tracing/traceparent.ts";
import { inSpan, type Tracer } from "../platform/tracing/tracing.ts";
import { type AttemptDependencies, attemptDelivery, attemptNotMade, webhookBytes } from "./attempt-delivery.ts";
import { createAttemptRecorder } from "./attempt-recorder.ts";
import type { AttemptRecord } from "./attempt-store.ts";
import { type ClaimedDelivery, claimDeliveries, type SecretsBeside } from "./delivery-claim-store.ts";

/** The maximum number of attempts that one process has in progress at a time, including those being stored. */
const ATTEMPTS_MAX = 500;
/**
 * The maximum number of concurrent attempts at one endpoint, and at one whose last attempt failed, so that a dead
 * endpoint does not occupy the places.
 */
const PER_ENDPOINT_MAX = 10;
const PER_FAILING_ENDPOINT_MAX = 2;
/**
 * The maximum for an endpoint whose last answer came quickly. Even if it handles requests one after another, it answers
 * all of them in time.
 */
const PER_QUICK_ENDPOINT_MAX = 20;
const QUICK_WITHIN_MS = 250;
/** Lease of an attempt: longer than an attempt (10 s) and storing its outcome can take. */
const LEASE_MS = 30_000;
/** From this many attempts in progress, outcomes are collected for a few milliseconds and stored in one statement. */
const BUSY_FROM = 20;
/** How long free places then wait for others, so that one claim fills many. */
const REFILL_AFTER_MS = 2;

export interface DeliveryWorkerOptions extends AttemptDependencies {
  readonly db: Database;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, "webhookAttempted">;
  readonly tracer: Tracer;
  readonly secretsBeside: SecretsBeside;
  readonly environment: Environment;
  readonly pollMs: number;
}

export interface DeliveryWorker {
  /** Starts checking the queue, at once and then every `pollMs`. */
  start(): void;
  /** Checks the queue now, because something was queued. Does nothing before `start`. */
  wake(): void;
  /** Stops checking the queue and waits for the attempts in progress, which end within their timeout. */
  stop(): Promise<void>;
  /** Makes every attempt that is due now, for one provider or all. Returns the number of attempts. */
  runQueued(scope?: { providerId: string }): Promise<number>;
}

/**
 * Sends queued deliveries. Places are counted per endpoint and refilled as they become free, so a slow or dead endpoint
 * delays no other. A slow answer takes one place: it delays its endpoint's other deliveries only when all are taken.
 * Any number of workers and processes may share one database; if one dies, only its leases must expire.
 */
export function createDeliveryWorker(options: DeliveryWorkerOptions): DeliveryWorker {
  const running = new Set<RunningAttempt>();
  const quick = new Set<string>();
  const isBusy = () => running.size >= BUSY_FROM;
  const recorder = createAttemptRecorder({ ...options, isBusy });
  const ends = gatherSignals({ milliseconds: REFILL_AFTER_MS, isWorthwhile: isBusy, listener: () => poller.wake() });

  const begin = oneAtATime(async (providerId: string | null): Promise<Begun> => {
    const isIdle = ![...running].some((attempt) => providerId === null || attempt.providerId === providerId);
    const claimed = await claim(options, { running, quick, providerId });
    const bodies = new Map<string, Buffer>();
    const bodyOf = (delivery: ClaimedDelivery) => {
      const body = bodies.get(delivery.webhookId) ?? webhookBytes(delivery);
      bodies.set(delivery.webhookId, body);
      return body;
    };
    for (const delivery of claimed) run(delivery, bodyOf);
    return { count: claimed.length, isIdle };
  });
  const run = (delivery: ClaimedDelivery, bodyOf: BodyOf) => {
    const { endpointId, providerId } = delivery;
    const underWay: RunningAttempt = { endpointId, providerId, hasPlace: true, isOver: Promise.resolve() };
    running.add(underWay);
    underWay.isOver = attemptAndRecord(underWay, delivery, bodyOf);
  };
  const attemptAndRecord = async (underWay: RunningAttempt, delivery: ClaimedDelivery, bodyOf: BodyOf) => {
    const record = await attemptInSpan(options, delivery, bodyOf);
    if (isQuick(record)) quick.add(delivery.endpointId);
    else quick.delete(delivery.endpointId);
    // The place can be used by another attempt while the outcome is being stored.
    underWay.hasPlace = false;
    ends.signal();
    const endedAt = new Date(record.endedAt.getTime() - delivery.clockOffsetMs);
    await recorder.record({ record, endedAt, failures: delivery.failures + 1 });
    running.delete(underWay);
    ends.signal();
  };
  const poller = createPoller({ look: async () => void (await begin(null)), ...options });
  return {
    start: poller.start,
    wake: poller.wake,
    async stop() {
      await poller.stop();
      await Promise.all([...running].map(({ isOver }) => isOver));
    },
    async runQueued(scope) {
      const providerId = scope?.providerId ?? null;
      for (let count = 0; ; ) {
        const next = ends.next();
        const begun = await begin(providerId);
        if (begun.count === 0 && begun.isIdle) return count;
        count += begun.count;
        await next;
      }
    },
  };
}

/** An attempt that has begun and is not stored yet. */
interface RunningAttempt {
  readonly endpointId: string;
  readonly providerId: string;
  /** True until the receiver has answered. */
  hasPlace: boolean;
  /** Settles when the attempt has been stored. */
  isOver: Promise<void>;
}

/**
 * The number of attempts that a claim has begun, and whether no running attempt can have kept it from claiming more.
 */
interface Begun {
  readonly count: number;
  readonly isIdle: boolean;
}

/** Makes the bytes to send; throws if that is impossible. */
type BodyOf = (delivery: ClaimedDelivery) => Buffer;

/** Makes one attempt, in the trace of its event. */
async function attemptInSpan(
  options: DeliveryWorkerOptions,
  delivery: ClaimedDelivery,
  bodyOf: BodyOf,
): Promise<AttemptRecord> {
  const { kind, providerId, orderId, traceparent } = delivery;
  const subject = { provider_id: providerId, ...(orderId === null ? {} : { order_id: orderId }) };
  const parent = parseTraceparent(traceparent);
  const span = options.tracer.start({ name: `webhook ${kind}`, kind: "client", parent, subject });
  const record = await inSpan(span, () => attempt(options, delivery, bodyOf));
  const verdict = record.failure ?? record.outcome;
  span.end({ attributes: { kind, verdict }, hasFailed: record.failure !== null });
  return record;
}

/**
 * Makes one attempt. If it cannot be made, that is logged and counts as a failure; otherwise it would be tried forever.
 */
async function attempt(
  options: DeliveryWorkerOptions,
  delivery: ClaimedDelivery,
  bodyOf: BodyOf,
): Promise<AttemptRecord> {
  try {
    const { secrets } = delivery;
    if (secrets === null) throw new Error("An endpoint has no secret to sign with.");
    return await attemptDelivery(options, delivery, { body: bodyOf(delivery), secrets });
  } catch (error) {
    options.logger.error("webhooks.attempt_failed", { delivery_id: delivery.id, error });
    return attemptNotMade(options, delivery);
  }
}

function isQuick({ outcome, startedAt, endedAt }: AttemptRecord): boolean {
  return outcome === "succeeded" && endedAt.getTime() - startedAt.getTime() <= QUICK_WITHIN_MS;
}

/** Runs calls of a function one after another, because two concurrent claims would each fill all free places. */
function oneAtATime<Input, Output>(run: (input: Input) => Promise<Output>): (input: Input) => Promise<Output> {
  let last: Promise<unknown> = Promise.resolve();
  return (input) => {
    const mine = last.then(() => run(input));
    last = mine.catch(() => undefined);
    return mine;
  };
}

async function claim(
  { db, clock, ids, secretsBeside, environment }: DeliveryWorkerOptions,
  {
    running,
    quick,
    providerId,
  }: {
    readonly running: ReadonlySet<RunningAttempt>;
    /** Endpoints whose last answer came quickly. */
    readonly quick: ReadonlySet<string>;
    readonly providerId: string | null;
  },
): Promise<ClaimedDelivery[]> {
  const totalMax = ATTEMPTS_MAX - running.size;
  if (totalMax <= 0) return [];
  const underWay = new Map<string, { attempts: number; isQuick: boolean }>();
  for (const { endpointId, hasPlace } of running) {
    const known = underWay.get(endpointId) ?? { attempts: 0, isQuick: quick.has(endpointId) };
    if (hasPlace) known.attempts += 1;
    underWay.set(endpointId, known);
  }
  const now = clock.now();
  return claimDeliveries(db, {
    environment,
    secrets: secretsBeside,
    leaseId: ids.uuid(),
    now,
    leaseUntil: new Date(now.getTime() + LEASE_MS),
    totalMax,
    perEndpointMax: PER_ENDPOINT_MAX,
    perQuickEndpointMax: PER_QUICK_ENDPOINT_MAX,
    perFailingEndpointMax: PER_FAILING_ENDPOINT_MAX,
    underWay,
    providerId,
  });
}
