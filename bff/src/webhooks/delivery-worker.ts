import type { Clock } from "../platform/clock.ts";
import type { Database } from "../platform/database/transaction.ts";
import type { Ids } from "../platform/ids.ts";
import type { Logger } from "../platform/logger.ts";
import { createPoller } from "../platform/poller.ts";
import { type AttemptDependencies, attemptDelivery } from "./attempt-delivery.ts";
import { createAttemptRecorder } from "./attempt-recorder.ts";
import { type ClaimedDelivery, claimDeliveries } from "./webhook-store.ts";

/** Attempts that one process makes at a time. */
const ATTEMPTS_MAX = 500;
/** Attempts at one endpoint at a time; at one that failed last, few, so that a dead one takes no places. */
const PER_ENDPOINT_MAX = 10;
const PER_FAILING_ENDPOINT_MAX = 2;
/** Longer than any attempt can take with the writing of its outcome: 10 s and room. */
const LEASE_MS = 30_000;

/** An endpoint's live secrets, oldest first, by the endpoint's id. */
export type ReadSecrets = (
  endpoints: ReadonlyArray<{ readonly providerId: string; readonly endpointId: string }>,
) => Promise<ReadonlyMap<string, readonly [string, ...string[]]>>;

export interface DeliveryWorkerOptions extends AttemptDependencies {
  readonly db: Database;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly readSecrets: ReadSecrets;
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
 * Sends queued deliveries. Places are counted by endpoint, so that one that is slow or dead makes no other wait. Any
 * number of workers, in any number of processes, may share one database; one that dies loses only its leases.
 */
export function createDeliveryWorker(options: DeliveryWorkerOptions): DeliveryWorker {
  const recorder = createAttemptRecorder(options);
  const running = new Set<Promise<void>>();

  const begin = async (providerId: string | null): Promise<Promise<void>[]> => {
    const claimed = await claim(options, ATTEMPTS_MAX - running.size, providerId);
    if (claimed.length === 0) return [];
    const secrets = await options.readSecrets(claimed);
    return claimed.map((delivery) => {
      const attempt = attemptAndRecord(delivery, secrets.get(delivery.endpointId)).finally(() => {
        running.delete(attempt);
        poller.wake();
      });
      running.add(attempt);
      return attempt;
    });
  };
  const attemptAndRecord = async (delivery: ClaimedDelivery, secrets: readonly [string, ...string[]] | undefined) => {
    try {
      if (secrets === undefined) throw new Error("An endpoint has no secret to sign with.");
      const record = await attemptDelivery(options, delivery, secrets);
      const endedAt = new Date(record.endedAt.getTime() - delivery.clockOffsetMs);
      await recorder.record({ record, endedAt, failures: delivery.failures + 1 });
    } catch (error) {
      options.logger.error("webhooks.attempt_failed", { delivery_id: delivery.id, error });
    }
  };
  const poller = createPoller({ look: async () => void (await begin(null)), ...options });
  return {
    start: poller.start,
    wake: poller.wake,
    async stop() {
      await poller.stop();
      await Promise.all(running);
    },
    async runQueued(scope) {
      for (let count = 0; ; ) {
        const begun = await begin(scope?.providerId ?? null);
        if (begun.length === 0 && running.size === 0) return count;
        await Promise.all(begun.length > 0 ? begun : running);
        count += begun.length;
      }
    },
  };
}

async function claim(
  { db, clock, ids }: DeliveryWorkerOptions,
  totalMax: number,
  providerId: string | null,
): Promise<ClaimedDelivery[]> {
  if (totalMax <= 0) return [];
  const now = clock.now();
  return claimDeliveries(db, {
    leaseId: ids.uuid(),
    now,
    leaseUntil: new Date(now.getTime() + LEASE_MS),
    totalMax,
    perEndpointMax: PER_ENDPOINT_MAX,
    perFailingEndpointMax: PER_FAILING_ENDPOINT_MAX,
    providerId,
  });
}
