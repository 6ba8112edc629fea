import { EXPENSE_FILES_MAX } from "../../contract/terms.ts";
import { HOUR_MS, MINUTE_MS } from "../../contract/vocabulary/durations.ts";
import type { FileStorage } from "../../gateways/file-storage/port.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/transaction.ts";
import type { Ids } from "../../platform/ids.ts";
import type { Logger } from "../../platform/logger.ts";
import { cancelTimer, scheduleTimer } from "../../platform/timers/timer-store.ts";
import type { TimerHandler } from "../../platform/timers/timer-worker.ts";
import { readKeptStorageNames } from "./expense-store.ts";

export const removeUploadsKind = "expenses.remove_uploads";

/** A submission is given up long before its files are removed for being nobody's. */
const REMOVED_AFTER_MS = HOUR_MS;
const NEVER_REMOVED_BEFORE_MS = 10 * MINUTE_MS;

export interface UploadDependencies {
  readonly db: Database;
  readonly ids: Ids;
  /** Real time. */
  readonly clock: Clock;
  readonly logger: Logger;
  readonly storage: FileStorage;
}

/** Files on their way into the storage, which belong to no expense yet. */
export interface Upload {
  /** The name for one more file; it is written down already, so that the file is found after a crash. */
  nextName(): string;
  /** Ends the upload: what was stored and is not kept is removed. A storage that fails here is left to the timer. */
  settle(keptNames: ReadonlySet<string>): Promise<void>;
}

/**
 * Writes down, before the first byte, under which names the storage may get files: whatever happens to this process, a
 * timer finds those that no expense has and removes them.
 */
export async function beginUpload(dependencies: UploadDependencies, providerId: string): Promise<Upload> {
  const { db, ids, clock, logger, storage } = dependencies;
  const key = ids.uuid();
  const names = Array.from({ length: EXPENSE_FILES_MAX }, () => ids.uuid());
  const startedAt = clock.now();
  const payload: UploadPayload = { names, started_at: startedAt.toISOString() };
  const dueAt = new Date(startedAt.getTime() + REMOVED_AFTER_MS);
  await scheduleTimer(db, { kind: removeUploadsKind, key, providerId, dueAt, payload });
  let used = 0;
  return {
    nextName() {
      const name = names[used];
      if (name === undefined) throw new RangeError("An upload has no name for one more file.");
      used += 1;
      return name;
    },
    async settle(keptNames) {
      try {
        for (const name of names.slice(0, used)) if (!keptNames.has(name)) await storage.delete(name);
        await cancelTimer(db, { kind: removeUploadsKind, key });
      } catch (error) {
        logger.warn("expenses.uploads_left", { provider_id: providerId, error });
      }
    },
  };
}

interface UploadPayload {
  readonly names: readonly string[];
  readonly started_at: string;
}

/** Removes the files of a submission that ended without removing them itself. Deleting what is not there does no harm. */
export function removeUploadsHandler({ db, clock, storage }: UploadDependencies): TimerHandler {
  return async (timer) => {
    const { names, started_at } = readPayload(timer.payload);
    // A sandbox's clock brings timers nearer; an upload that has just begun is none of its business.
    const earliest = new Date(new Date(started_at).getTime() + NEVER_REMOVED_BEFORE_MS);
    if (clock.now() < earliest) return { again: earliest };
    const kept = await readKeptStorageNames(db, names);
    for (const name of names) if (!kept.has(name)) await storage.delete(name);
    return "done";
  };
}

function readPayload(payload: unknown): UploadPayload {
  if (typeof payload === "object" && payload !== null && "names" in payload && "started_at" in payload) {
    const { names, started_at } = payload;
    if (Array.isArray(names) && typeof started_at === "string") return { names: names.map(String), started_at };
  }
  throw new TypeError("The timer of an upload does not name its files.");
}
