import { EXPENSE_FILES_MAX } from "../contract/terms.ts";
import { HOUR_MS, MINUTE_MS } from "../contract/vocabulary/durations.ts";
import type { FileStorage } from "../gateways/file-storage.ts";
import type { Clock } from "../platform/clock.ts";
import type { Database, Transaction } from "../platform/database/transaction.ts";
import type { Ids } from "../platform/ids.ts";
import type { Logger } from "../platform/logger.ts";
import { type ClaimedTimer, cancelTimer, scheduleTimer } from "../platform/timers/timer-store.ts";
import type { TimerOutcome } from "../platform/timers/timer-worker.ts";
import { readKeptStorageNames } from "./expenses/expense-store.ts";

export const removeUploadsKind = "expenses.remove_uploads";

/** Far longer than a submission can take, so no file is removed during its submission. */
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

/** Stored files that do not belong to an expense yet. */
export interface Upload {
  /** The name for one more file. It is already recorded, so the file can be found after a crash. */
  nextName(): string;
  /**
   * Ends the upload by removing all stored files except those to keep. If the storage fails here, the timer removes
   * them later.
   */
  settle(keptNames: ReadonlySet<string>): Promise<void>;
}

/**
 * Records the names of the files before the first byte is stored. If this process dies, a timer finds the files without
 * an expense and removes them.
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
      if (name === undefined) throw new RangeError("An upload has no name left for another file.");
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

/** Removes stored files that no expense uses, after this transaction has ended. */
export async function removeLater(
  tx: Transaction,
  { ids, clock }: Pick<UploadDependencies, "ids" | "clock">,
  { providerId, names }: { readonly providerId: string; readonly names: readonly string[] },
): Promise<void> {
  const startedAt = clock.now();
  const payload: UploadPayload = { names, started_at: startedAt.toISOString() };
  await scheduleTimer(tx, { kind: removeUploadsKind, key: ids.uuid(), providerId, dueAt: startedAt, payload });
}

interface UploadPayload {
  readonly names: readonly string[];
  readonly started_at: string;
}

/** Removes the files of a submission that ended without removing them. Deleting a missing file is harmless. */
export async function removeUploads(
  { db, clock, storage }: UploadDependencies,
  timer: Pick<ClaimedTimer, "payload">,
): Promise<TimerOutcome> {
  const { names, started_at } = readPayload(timer.payload);
  // Moving a sandbox's clock makes timers due early. An upload that has just begun must not be removed then.
  const earliest = new Date(new Date(started_at).getTime() + NEVER_REMOVED_BEFORE_MS);
  if (clock.now() < earliest) return { again: earliest };
  const kept = await readKeptStorageNames(db, names);
  for (const name of names) if (!kept.has(name)) await storage.delete(name);
  return "done";
}

function readPayload(payload: unknown): UploadPayload {
  if (typeof payload === "object" && payload !== null && "names" in payload && "started_at" in payload) {
    const { names, started_at } = payload;
    if (Array.isArray(names) && typeof started_at === "string") return { names: names.map(String), started_at };
  }
  throw new TypeError("The timer of an upload does not name its files.");
}
