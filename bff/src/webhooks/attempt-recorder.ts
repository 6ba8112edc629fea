import { WEBHOOK_FAILING_DAYS } from "../contract/terms.ts";
import { DAY_MS } from "../contract/vocabulary/durations.ts";
import type { Clock } from "../platform/clock.ts";
import { DatabaseUnavailable, isTransient } from "../platform/database/errors.ts";
import { type Database, inTransaction } from "../platform/database/transaction.ts";
import { gatherSignals } from "../platform/gather-signals.ts";
import type { Logger } from "../platform/logger.ts";
import type { Metrics } from "../platform/metrics.ts";
import { type NewTimer, scheduleTimers } from "../platform/timers/timer-store.ts";
import { type AttemptRecord, type FailedAttempt, recordAttempts } from "./attempt-store.ts";
import { nextAttemptAt, retryKind } from "./delivery-schedule.ts";

export const failingKind = "webhooks.failing";

/** How long an endpoint must have failed without any success before it is marked as failing (5 days). */
const FAILING_AFTER_MS = WEBHOOK_FAILING_DAYS * DAY_MS;

/** An ended attempt with what the schedule needs: the end in real time, and the number of failures so far. */
export interface EndedAttempt {
  readonly record: AttemptRecord;
  readonly endedAt: Date;
  readonly failures: number;
}

const WRITTEN_AT_ONCE_MAX = 200;
/** How long an ended attempt waits, while others are in progress, to be written together with them. */
const WRITTEN_AFTER_MS = 4;

export interface AttemptRecorderOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, "webhookAttempted">;
  /** True if so many attempts are in progress that more will end soon. */
  readonly isBusy: () => boolean;
}

export interface AttemptRecorder {
  /** Settles when the attempt has been stored or storing it has failed; in that case its lease expires. */
  record(ended: EndedAttempt): Promise<void>;
}

/**
 * Stores ended attempts. Attempts that end within a few milliseconds of each other, or during the previous write, are
 * written together. Under load they share its cost; without load none waits.
 */
export function createAttemptRecorder(options: AttemptRecorderOptions): AttemptRecorder {
  const waiting: Array<{ ended: EndedAttempt; settle: () => void }> = [];
  let isWriting = false;

  const writeAll = async () => {
    isWriting = true;
    while (waiting.length > 0) {
      const batch = waiting.splice(0, WRITTEN_AT_ONCE_MAX);
      await writeOrLose(
        options,
        batch.map(({ ended }) => ended),
      );
      for (const { settle } of batch) settle();
    }
    isWriting = false;
  };
  const ends = gatherSignals({
    milliseconds: WRITTEN_AFTER_MS,
    isWorthwhile: options.isBusy,
    listener: () => void (isWriting || writeAll()),
  });
  return {
    record: (ended) =>
      new Promise((settle) => {
        options.metrics.webhookAttempted(ended.record.failure ?? ended.record.outcome);
        waiting.push({ ended, settle });
        ends.signal();
      }),
  };
}

/**
 * Writes attempts together, or one by one if that fails, so that an attempt that cannot be written does not affect the
 * others. Lost attempts are logged.
 */
async function writeOrLose(options: AttemptRecorderOptions, batch: readonly EndedAttempt[]): Promise<void> {
  try {
    await write(options, batch);
  } catch (error) {
    // If the database is unavailable, writing one by one would fail too.
    if (batch.length > 1 && !(error instanceof DatabaseUnavailable)) {
      for (const ended of batch) await writeOrLose(options, [ended]);
      return;
    }
    // Their leases expire and they count as interrupted, so the receiver may get them again under the same id.
    options.logger.error("webhooks.attempts_not_recorded", { count: batch.length, error });
  }
}

async function write({ db, clock }: { db: Database; clock: Clock }, batch: readonly EndedAttempt[]): Promise<void> {
  const records = batch.map(({ record }) => record);
  if (records.every(({ outcome }) => outcome === "succeeded")) {
    await recordSuccesses(db, records);
    return;
  }
  await inTransaction(db, async (tx) => {
    const failed = await recordAttempts(tx, records);
    const byDelivery = new Map(batch.map((ended) => [ended.record.deliveryId, ended]));
    const timers = failed.flatMap((attempt) => {
      const ended = byDelivery.get(attempt.deliveryId);
      return ended === undefined ? [] : retryTimers(ended, attempt);
    });
    await scheduleTimers(tx, [...timers, ...failingTimers(failed, clock.now())]);
  });
}

/** Writes in one statement without a transaction, and repeats it in one after a transient error such as a deadlock. */
async function recordSuccesses(db: Database, records: readonly AttemptRecord[]): Promise<void> {
  try {
    await recordAttempts(db, records);
  } catch (error) {
    if (!isTransient(error)) throw error;
    await inTransaction(db, (tx) => recordAttempts(tx, records));
  }
}

function retryTimers({ record, endedAt, failures }: EndedAttempt, attempt: FailedAttempt): NewTimer[] {
  const dueAt = nextAttemptAt(failures, endedAt);
  if (dueAt === null) return [];
  const key = `${record.deliveryId}:${attempt.number}`;
  return [{ kind: retryKind, key, providerId: attempt.providerId, dueAt, payload: { delivery_id: record.deliveryId } }];
}

function failingTimers(failed: readonly FailedAttempt[], now: Date): NewTimer[] {
  const timers = new Map<string, NewTimer>();
  for (const { endpointId, providerId, failingSince } of failed) {
    if (failingSince === null) continue;
    const since = failingSince.toISOString();
    timers.set(endpointId, {
      kind: failingKind,
      key: `${endpointId}:${since}`,
      providerId,
      dueAt: new Date(now.getTime() + FAILING_AFTER_MS),
      payload: { endpoint_id: endpointId, since },
    });
  }
  return [...timers.values()];
}
