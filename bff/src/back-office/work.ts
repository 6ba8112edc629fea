import { DAY_MS } from "../contract/vocabulary/durations.ts";
import type { Clock } from "../platform/clock.ts";
import type { Database } from "../platform/database/transaction.ts";
import { purgeBefore, purgeInBatches } from "../platform/purge.ts";
import type { TimerHandlers } from "../platform/timers/timer-worker.ts";
import { REQUEST_OPEN_DAYS } from "./approvals/approval.ts";
import { deleteLapsed } from "./approvals/approval-store.ts";
import { SOLO_WINDOW_MS } from "./approvals/solo-limit.ts";
import { deleteEmptyEnded, deleteItemsOfEnded } from "./console/jobs/job-store.ts";
import { deleteOver } from "./console/sign-in/session-store.ts";
import { RESOLVE_TOGETHER_TIMER, resolveTogether } from "./resolve-together.ts";

export const LAPSED_KEPT_MS = REQUEST_OPEN_DAYS * DAY_MS;
export const SOLO_AMOUNTS_KEPT_MS = 2 * SOLO_WINDOW_MS;

/** Deletes requests that have lapsed, and amounts that no longer count. Returns how many there were. */
export async function purgeApprovals({ db, clock }: { readonly db: Database; readonly clock: Clock }): Promise<number> {
  const since = (milliseconds: number) => new Date(clock.now().getTime() - milliseconds);
  const lapsed = await purgeInBatches((limit) => deleteLapsed(db, { before: since(LAPSED_KEPT_MS), limit }));
  const before = since(SOLO_AMOUNTS_KEPT_MS);
  return lapsed + (await purgeBefore(db, { table: "solo_amounts", column: "at", before }));
}

/** How long an operator can open the page of a finished job; the audit trail keeps each resolution for ever. */
export const JOBS_KEPT_MS = 90 * DAY_MS;

/** Deletes jobs that ended long ago, with their items. Returns how many jobs there were. */
export async function purgeJobs({ db, clock }: { readonly db: Database; readonly clock: Clock }): Promise<number> {
  const before = new Date(clock.now().getTime() - JOBS_KEPT_MS);
  await purgeInBatches((limit) => deleteItemsOfEnded(db, { before, limit }));
  return purgeInBatches((limit) => deleteEmptyEnded(db, { before, limit }));
}

export const SESSIONS_KEPT_MS = 2 * DAY_MS;

/** Removes sessions and links that ended before yesterday; the audit trail keeps the sign-ins. */
export function purgeSessions({ db, clock }: { readonly db: Database; readonly clock: Clock }): Promise<number> {
  const before = new Date(clock.now().getTime() - SESSIONS_KEPT_MS);
  return purgeInBatches((limit) => deleteOver(db, { before, limit }));
}

export function backOfficeTimerHandlers(dependencies: Parameters<typeof resolveTogether>[0]): TimerHandlers {
  return { [RESOLVE_TOGETHER_TIMER]: (timer) => resolveTogether(dependencies, timer) };
}
