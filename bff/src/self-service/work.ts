import * as z from "zod/mini";
import { COUNTED_MS } from "../checkout/issue-code.ts";
import type { FileStorage } from "../gateways/file-storage.ts";
import type { NotifyPatientDependencies } from "../notifications/notify-patient.ts";
import type { Clock } from "../platform/clock.ts";
import type { Database } from "../platform/database/transaction.ts";
import type { EventHandlers, PayloadsOf } from "../platform/outbox.ts";
import { purgeBefore, purgeInBatches } from "../platform/purge.ts";
import type { TimerHandlers } from "../platform/timers/timer-worker.ts";
import { ERASE_TIMER, type EraseDependencies, finishErasure, REMOVE_FILES_TIMER } from "./erase-data.ts";
import { LOG_ERASURE_TIMER, writeErasureLog } from "./erasure-log.ts";
import { deletePatientsWithoutCode } from "./links/link-code-store.ts";
import { mailAnswer } from "./my-data/answer-request.ts";
import { LINKS_COUNTED_MS } from "./my-data/rights.ts";

/**
 * Longer than a code is valid, opens its link or counts towards the daily limit, even if a moved sandbox clock dated
 * it.
 */
export const LINK_CODES_KEPT_MS = 2 * COUNTED_MS;

/** Removes the one-time codes of links that are not counted any more. Returns how many. */
export async function purgeLinkCodes({ db, clock }: { db: Database; clock: Clock }): Promise<number> {
  const before = new Date(clock.now().getTime() - LINK_CODES_KEPT_MS);
  const codes = await purgeBefore(db, { table: "link_codes", column: "created_at", before });
  await purgeInBatches((limit) => deletePatientsWithoutCode(db, limit));
  return codes;
}

/** Longer than a link counts towards the limits, in real time and in any provider's time. */
export const SENT_LINKS_KEPT_MS = 2 * LINKS_COUNTED_MS;

/** Deletes records of links to their own data that no longer count. Returns how many there were. */
export function purgeDataLinks({ db, clock }: { readonly db: Database; readonly clock: Clock }): Promise<number> {
  const before = new Date(clock.now().getTime() - SENT_LINKS_KEPT_MS);
  return purgeBefore(db, { table: "data_links", column: "sent_at", before });
}

interface PatientRightsTimerDependencies extends EraseDependencies {
  readonly storage: Pick<FileStorage, "put" | "delete">;
}

export function myDataTimerHandlers(dependencies: PatientRightsTimerDependencies): TimerHandlers {
  return {
    async [ERASE_TIMER]({ key }) {
      const again = await finishErasure(dependencies, key);
      return again === null ? "done" : { again };
    },
    async [REMOVE_FILES_TIMER]({ payload }) {
      // Deleting a file that does not exist does no harm.
      for (const name of namesIn(payload)) await dependencies.storage.delete(name);
      return "done";
    },
    async [LOG_ERASURE_TIMER]({ payload }) {
      await writeErasureLog(dependencies, payload);
      return "done";
    },
  };
}

function namesIn(payload: unknown): string[] {
  if (typeof payload === "object" && payload !== null && "names" in payload && Array.isArray(payload.names))
    return payload.names.map(String);
  throw new TypeError("The timer of erased files does not name them.");
}

/** The events about patients' requests that a person must answer. */
export const requestEvents = {
  "rights_request.answered": z.object({ request_id: z.string() }),
} as const;

declare module "../platform/outbox.ts" {
  interface EventMap extends PayloadsOf<typeof requestEvents> {}
}

/** Mails the answers to patients' requests. */
export function handleRequestEvents(events: EventHandlers, dependencies: NotifyPatientDependencies): void {
  events.subscribe("rights_request.answered", (tx, { payload }) => mailAnswer(tx, dependencies, payload.request_id));
}
