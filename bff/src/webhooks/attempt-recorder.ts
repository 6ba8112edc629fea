import { WEBHOOK_FAILING_DAYS } from "../contract/terms.ts";
import { DAY_MS } from "../contract/vocabulary/durations.ts";
import type { Clock } from "../platform/clock.ts";
import { DatabaseUnavailable, isTransient } from "../platform/database/errors.ts";
import { type Database, inTransaction } from "../platform/database/transaction.ts";
import { gatherSignals } from "../platform/gather-signals.ts";
import type { Logger } from "../platform/logger.ts";
import { type NewTimer, scheduleTimers } from "../platform/timers/timer-store.ts";
import { type AttemptRecord, type FailedAttempt, recordAttempts } from "./delivery-queue-store.ts";
import { nextAttemptAt, retryKind } from "./delivery-schedule.ts";

export const failingKind = "webhooks.failing";

/** After so long of nothing but failures an endpoint counts as failing (5 days). */
const FAILING_AFTER_MS = WEBHOOK_FAILING_DAYS * DAY_MS;

/** An attempt with what the schedule needs: when it ended in real time, and which failure it is. */
export interface EndedAttempt {
  readonly record: AttemptRecord;
  readonly endedAt: Date;
  readonly failures: number;
}

const WRITTEN_AT_ONCE_MAX = 200;
/** How long an attempt that has ended waits for others, to be written down with them, where others are under way. */
const WRITTEN_AFTER_MS = 4;

export interface AttemptRecorderOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Whether so much is under way that what ends now is soon followed by others. */
  readonly isBusy: () => boolean;
}

export interface AttemptRecorder {
  /** Settles when the attempt is written down, or when writing it has failed (its lease then runs out). */
  record(ended: EndedAttempt): Promise<void>;
}

/**
 * Writes ended attempts down, all that came within a few milliseconds or while the last write ran in one: under load the
 * cost of a write is shared, and without load none waits.
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
        waiting.push({ ended, settle });
        ends.signal();
      }),
  };
}

/**
 * Where the attempts cannot be written together, each is by itself, so that one that cannot be written takes none with it.
 * What is lost is logged.
 */
async function writeOrLose(options: AttemptRecorderOptions, batch: readonly EndedAttempt[]): Promise<void> {
  try {
    await write(options, batch);
  } catch (error) {
    // Whom the database does not answer, it answers no better one by one.
    if (batch.length > 1 && !(error instanceof DatabaseUnavailable)) {
      for (const ended of batch) await writeOrLose(options, [ended]);
      return;
    }
    // Their leases run out, and they count as interrupted: the receiver may get them again, under the same id.
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
    const byDelivery = new Map(failed.map((attempt) => [attempt.deliveryId, attempt]));
    const timers = batch.flatMap((ended) => {
      const attempt = byDelivery.get(ended.record.deliveryId);
      return attempt === undefined ? [] : retryTimers(ended, attempt);
    });
    await scheduleTimers(tx, [...timers, ...failingTimers(failed, clock.now())]);
  });
}

/** One statement without a transaction around it, but run again like one after a deadlock. */
async function recordSuccesses(db: Database, records: readonly AttemptRecord[]): Promise<void> {
  try {
    await recordAttempts(db, records);
  } catch (error) {
    if (!isTransient(error)) throw error;
    await inTransaction(db, (tx) => recordAttempts(tx, records));
  }
}

function retryTimers({ record, endedAt, failures }: EndedAttempt, attempt: FailedAttempt): NewTimer[] {
  const dueAt = record.next === "scheduled" ? nextAttemptAt(failures, endedAt) : null;
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
