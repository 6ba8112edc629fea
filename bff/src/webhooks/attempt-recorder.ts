import type { Clock } from "../platform/clock.ts";
import { type Database, inTransaction } from "../platform/database/transaction.ts";
import type { Logger } from "../platform/logger.ts";
import { type NewTimer, scheduleTimers } from "../platform/timers/timer-store.ts";
import { nextAttemptAt, retryKind } from "./delivery-schedule.ts";
import { type AttemptRecord, type RecordedAttempt, recordAttempts } from "./webhook-store.ts";

export const failingKind = "webhooks.failing";

/** After so long of nothing but failures an endpoint counts as failing (5 days). */
const FAILING_AFTER_MS = 5 * 24 * 60 * 60 * 1_000;

/** An attempt with what the schedule needs: when it ended in real time, and which failure it is. */
export interface EndedAttempt {
  readonly record: AttemptRecord;
  readonly endedAt: Date;
  readonly failures: number;
}

const WRITTEN_AT_ONCE_MAX = 200;

export interface AttemptRecorder {
  /** Settles when the attempt is written down, or when writing it has failed (its lease then runs out). */
  record(ended: EndedAttempt): Promise<void>;
}

/**
 * Writes ended attempts down, all that came while the last write ran in one: under load the cost of a write is shared,
 * and without load none waits.
 */
export function createAttemptRecorder(dependencies: { db: Database; clock: Clock; logger: Logger }): AttemptRecorder {
  const waiting: Array<{ ended: EndedAttempt; settle: () => void }> = [];
  let isWriting = false;

  const writeAll = async () => {
    isWriting = true;
    while (waiting.length > 0) {
      const batch = waiting.splice(0, WRITTEN_AT_ONCE_MAX);
      try {
        await write(
          dependencies,
          batch.map(({ ended }) => ended),
        );
      } catch (error) {
        // Their leases run out, and they count as interrupted: the receiver may get them again, under the same id.
        dependencies.logger.error("webhooks.attempts_not_recorded", { count: batch.length, error });
      }
      for (const { settle } of batch) settle();
    }
    isWriting = false;
  };
  return {
    record: (ended) =>
      new Promise((settle) => {
        waiting.push({ ended, settle });
        if (!isWriting) void writeAll();
      }),
  };
}

async function write(
  { db, clock }: { db: Database; clock: Clock },
  batch: readonly EndedAttempt[],
): Promise<readonly RecordedAttempt[]> {
  const records = batch.map(({ record }) => record);
  if (records.every(({ outcome }) => outcome === "succeeded")) return recordAttempts(db, records);
  return inTransaction(db, async (tx) => {
    const recorded = await recordAttempts(tx, records);
    const byDelivery = new Map(recorded.map((attempt) => [attempt.deliveryId, attempt]));
    const timers = batch.flatMap((ended) => {
      const attempt = byDelivery.get(ended.record.deliveryId);
      return attempt === undefined ? [] : retryTimers(ended, attempt);
    });
    await scheduleTimers(tx, [...timers, ...failingTimers(recorded, clock.now())]);
    return recorded;
  });
}

function retryTimers({ record, endedAt, failures }: EndedAttempt, attempt: RecordedAttempt): NewTimer[] {
  const dueAt = record.next === "scheduled" ? nextAttemptAt(failures, endedAt) : null;
  if (dueAt === null) return [];
  const key = `${record.deliveryId}:${attempt.number}`;
  return [{ kind: retryKind, key, providerId: attempt.providerId, dueAt, payload: { delivery_id: record.deliveryId } }];
}

function failingTimers(recorded: readonly RecordedAttempt[], now: Date): NewTimer[] {
  const timers = new Map<string, NewTimer>();
  for (const { endpointId, providerId, failingSince } of recorded) {
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
