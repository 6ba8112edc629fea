import type { Clock } from "../platform/clock.ts";
import type { Database } from "../platform/database/transaction.ts";
import { gatherSignals } from "../platform/gather-signals.ts";
import type { Ids } from "../platform/ids.ts";
import type { Logger } from "../platform/logger.ts";
import { createPoller } from "../platform/poller.ts";
import { type AttemptDependencies, attemptDelivery, attemptNotMade, webhookBytes } from "./attempt-delivery.ts";
import { createAttemptRecorder } from "./attempt-recorder.ts";
import {
  type AttemptRecord,
  type ClaimedDelivery,
  claimDeliveries,
  type SecretsBeside,
} from "./delivery-queue-store.ts";

/** Attempts that one process has under way at a time, with those that are being written down. */
const ATTEMPTS_MAX = 500;
/** Attempts at one endpoint at a time; at one that failed last, few, so that a dead one takes no places. */
const PER_ENDPOINT_MAX = 10;
const PER_FAILING_ENDPOINT_MAX = 2;
/** At one whose last answer came at once: even if it does one thing after the other, the last of so many comes in time. */
const PER_QUICK_ENDPOINT_MAX = 20;
const QUICK_WITHIN_MS = 250;
/** Longer than any attempt can take with the writing of its outcome: 10 s and room. */
const LEASE_MS = 30_000;
/** From so many attempts under way on, what ends is gathered for a few milliseconds: one statement then serves many. */
const BUSY_FROM = 20;
/** How long places that have become free wait for others then, so that one look fills many. */
const REFILL_AFTER_MS = 2;

export interface DeliveryWorkerOptions extends AttemptDependencies {
  readonly db: Database;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly secretsBeside: SecretsBeside;
  readonly pollMs: number;
}

export interface DeliveryWorker {
  /** Begins to look for queued deliveries, at once and then every `pollMs`. */
  start(): void;
  /** Looks now, because something was queued. Does nothing before `start`. */
  wake(): void;
  /** Stops looking and waits for the attempts under way, which end within their time-out. */
  stop(): Promise<void>;
  /** Makes every attempt that is wanted now, of one provider or of all. Returns how many. */
  runQueued(scope?: { providerId: string }): Promise<number>;
}

/**
 * Sends queued deliveries. Places are counted by endpoint and filled again as they become free, so that one that is slow or
 * dead makes no other wait, nor a slow answer the other deliveries of its endpoint. Any number of workers, in any number of
 * processes, may share one database; one that dies loses only its leases.
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
    if (claimed.length === 0) return { count: 0, isIdle };
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
    const record = await attempt(options, delivery, bodyOf);
    if (isQuick(record)) quick.add(delivery.endpointId);
    else quick.delete(delivery.endpointId);
    // Its place is the next one's while its outcome is written down.
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

/** An attempt that has been begun and is not written down yet. */
interface RunningAttempt {
  readonly endpointId: string;
  readonly providerId: string;
  /** Until the receiver's answer is there. */
  hasPlace: boolean;
  /** Settles when it is written down. */
  isOver: Promise<void>;
}

/** What a claim has begun, and whether nothing was under way that may have kept it from more. */
interface Begun {
  readonly count: number;
  readonly isIdle: boolean;
}

/** Makes the bytes to be sent; throws where that cannot be done. */
type BodyOf = (delivery: ClaimedDelivery) => Buffer;

/** One attempt. Whatever keeps it from being made is a failure like others, and logged: left open it would be tried for ever. */
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

/** Makes calls of a function wait for one another: two claims at once would each take the places that are free. */
function oneAtATime<Input, Output>(run: (input: Input) => Promise<Output>): (input: Input) => Promise<Output> {
  let last: Promise<unknown> = Promise.resolve();
  return (input) => {
    const mine = last.then(() => run(input));
    last = mine.catch(() => undefined);
    return mine;
  };
}

async function claim(
  { db, clock, ids, secretsBeside }: DeliveryWorkerOptions,
  {
    running,
    quick,
    providerId,
  }: {
    readonly running: ReadonlySet<RunningAttempt>;
    /** Endpoints whose last answer came at once. */
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
