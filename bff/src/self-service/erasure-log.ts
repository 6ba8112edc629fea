import * as z from "zod/mini";
import type { FileStorage } from "../gateways/file-storage.ts";
import type { Clock } from "../platform/clock.ts";
import type { Database, Transaction } from "../platform/database/transaction.ts";
import type { Ids } from "../platform/ids.ts";
import { scheduleTimer } from "../platform/timers/timer-store.ts";
import { readErasure } from "./my-data/erasure-store.ts";

/*
 * The log of erasures that patients have asked for, beside the uploads and so apart from the database: a database that
 * is set back to an earlier moment forgets erasures, and this log remembers them. An entry names nobody: only the id of
 * a patient's record or, for somebody who is not registered, of one order.
 */

/** Writes an erasure into the log, or takes out one that was ended; repeated until the storage has answered. */
export const LOG_ERASURE_TIMER = "patient_rights.log_erasure";

const entrySchema = z.object({
  subject: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("beneficiary"), id: z.string() }),
    z.object({ kind: z.literal("order"), id: z.string() }),
  ]),
  providerId: z.string(),
  actor: z.string(),
  /** In real time. */
  at: z.string(),
});
export type LoggedErasure = z.output<typeof entrySchema>;

const NAMES_BEGIN = "erasure-";

/** Has the log follow what the transaction does. */
export async function logErasure(
  tx: Transaction,
  { ids, clock }: { readonly ids: Ids; readonly clock: Clock },
  erasure: Omit<LoggedErasure, "at">,
): Promise<void> {
  const dueAt = clock.now();
  const payload: LoggedErasure = { ...erasure, at: dueAt.toISOString() };
  const { providerId } = erasure;
  await scheduleTimer(tx, { kind: LOG_ERASURE_TIMER, key: ids.uuid(), providerId, dueAt, payload });
}

/** What the timer does. An erasure that a new sign-up has ended meanwhile is taken out. */
export async function writeErasureLog(
  { db, storage }: { readonly db: Database; readonly storage: Pick<FileStorage, "put" | "delete"> },
  payload: unknown,
): Promise<void> {
  const entry = entrySchema.parse(payload);
  const { subject } = entry;
  const name = `${NAMES_BEGIN}${subject.id}`;
  const isEnded = subject.kind === "beneficiary" && (await readErasure(db, subject.id)) === null;
  if (isEnded) await storage.delete(name);
  else await storage.put(name, new TextEncoder().encode(JSON.stringify(entry)));
}

/** The names of the log's files. */
export function erasureLogNames(storage: Pick<FileStorage, "list">): Promise<readonly string[]> {
  return storage.list(NAMES_BEGIN);
}

/** The log, oldest first. */
export async function readErasureLog(storage: Pick<FileStorage, "list" | "get">): Promise<readonly LoggedErasure[]> {
  const entries: LoggedErasure[] = [];
  for (const name of await erasureLogNames(storage))
    entries.push(entrySchema.parse(JSON.parse(new TextDecoder().decode(await storage.get(name)))));
  return entries.toSorted((a, b) => a.at.localeCompare(b.at));
}
