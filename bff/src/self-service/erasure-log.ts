import * as z from "zod/mini";
import type { FileStorage } from "../gateways/file-storage.ts";
import type { Clock } from "../platform/clock.ts";
import type { Database, Transaction } from "../platform/database/transaction.ts";
import type { Ids } from "../platform/ids.ts";
import { scheduleTimer } from "../platform/timers/timer-store.ts";
import { readErasure } from "./my-data/erasure-store.ts";

/*
 * The log of patients' erasures, stored with the uploads and thus apart from the database: a restored database forgets
 * erasures, and this log remembers them. An entry contains no personal data, only the id of a patient's record or, if
 * unregistered, of one order.
 */

/** Adds an erasure to the log, or removes one that was ended; repeated until the storage has answered. */
export const LOG_ERASURE_TIMER = "patient_rights.log_erasure";

export const loggedErasureSchema = z.object({
  subject: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("beneficiary"), id: z.string() }),
    z.object({ kind: z.literal("order"), id: z.string() }),
  ]),
  providerId: z.string(),
  actor: z.string(),
  /** In real time. */
  at: z.string(),
});

export type LoggedErasure = z.output<typeof loggedErasureSchema>;

export const ERASURE_NAMES_BEGIN = "erasure-";

/** Schedules the log entry in the transaction of the erasure. */
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

/** The timer's work. An erasure that a new sign-up has ended meanwhile is removed from the log. */
export async function writeErasureLog(
  { db, storage }: { readonly db: Database; readonly storage: Pick<FileStorage, "put" | "delete"> },
  payload: unknown,
): Promise<void> {
  const entry = loggedErasureSchema.parse(payload);
  const { subject } = entry;
  const name = `${ERASURE_NAMES_BEGIN}${subject.id}`;
  const isEnded = subject.kind === "beneficiary" && (await readErasure(db, subject.id)) === null;
  if (isEnded) await storage.delete(name);
  else await storage.put(name, new TextEncoder().encode(JSON.stringify(entry)));
}
