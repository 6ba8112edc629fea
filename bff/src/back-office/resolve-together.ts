/** Resolves many exceptions in the background, so that no page waits for hundreds of them. */

import { ZERO } from "../contract/vocabulary/clp.ts";
import { inTransaction } from "../platform/database/transaction.ts";
import { ResolutionRefused } from "../platform/exceptions.ts";
import { type ClaimedTimer, scheduleTimer } from "../platform/timers/timer-store.ts";
import type { TimerOutcome } from "../platform/timers/timer-worker.ts";
import { mayGiveAlone } from "./approvals/solo-limit.ts";
import {
  endItem,
  endJob,
  insertJob,
  type Job,
  type JobItem,
  selectJob,
  selectUnweighed,
  selectWaiting,
  sumWeights,
  writeNeedsTwo,
  writeWeight,
} from "./console/jobs/job-store.ts";
import { readExceptionId } from "./exceptions/exception.ts";
import { RESOLUTIONS, type Resolution } from "./exceptions/exception-kinds.ts";
import {
  assessResolution,
  type ResolutionDependencies,
  type ResolutionOptions,
  resolveException,
} from "./exceptions/resolve-exception.ts";

export const RESOLVE_TOGETHER_TIMER = "exceptions.resolve_together";

/** How many are assessed or resolved before the timer's lease is checked again. */
const AT_ONCE = 10;

export interface Together {
  readonly resolution: Resolution;
  readonly note: string;
  /** Their names, as they were listed. */
  readonly exceptions: readonly string[];
  readonly actor: string;
}

/** Begins a job and returns its id. Throws `ResolutionRefused` for a resolution whose note is mailed to one patient. */
export function beginTogether(
  { db, clock, ids }: ResolutionDependencies,
  { resolution, note, exceptions, actor }: Together,
): Promise<string> {
  if ("notTogether" in RESOLUTIONS[resolution])
    throw new ResolutionRefused("Its note is mailed to one patient: resolve them one by one.");
  const [first] = exceptions;
  const providerId = first === undefined ? undefined : readExceptionId(first)?.providerId;
  if (providerId === undefined) throw new ResolutionRefused("There is no exception with this name.");
  const [id, now] = [ids.uuid(), clock.now()];
  return inTransaction(db, async (tx) => {
    await insertJob(tx, { id, resolution, note, actor, begunAt: now }, [...new Set(exceptions)]);
    await scheduleTimer(tx, { kind: RESOLVE_TOGETHER_TIMER, key: id, providerId, dueAt: now, payload: {} });
    return id;
  });
}

/** The timer's work: assesses or resolves some of a job's exceptions. */
export async function resolveTogether(
  dependencies: ResolutionDependencies,
  { key }: ClaimedTimer,
): Promise<TimerOutcome> {
  const { db, clock } = dependencies;
  const job = await selectJob(db, key);
  if (job === null) return "done";
  if (job.needsTwo === null) {
    await assessSome(dependencies, job);
    return { again: clock.now() };
  }
  const waiting = await selectWaiting(db, job.id, AT_ONCE);
  for (const item of waiting) await resolveItem(dependencies, job, item);
  if (waiting.length === AT_ONCE) return { again: clock.now() };
  await endJob(db, job.id, clock.now());
  return "done";
}

/** Assesses the next items. Once all are assessed, it is known whether the job needs two people. */
async function assessSome(
  dependencies: ResolutionDependencies,
  { id: jobId, resolution, note, actor }: Job,
): Promise<void> {
  const { db, clock } = dependencies;
  const items = await selectUnweighed(db, jobId, AT_ONCE);
  for (const { position, exception } of items) {
    const gives = await assessResolution(dependencies, exception, { resolution, note, actor });
    await writeWeight(db, { jobId, position, gives });
  }
  if (items.length === AT_ONCE) return;
  const amount = await sumWeights(db, jobId);
  const isAlone = amount === ZERO || (await mayGiveAlone(db, { actor, amount, at: clock.now() }));
  await writeNeedsTwo(db, jobId, !isAlone);
}

/** An item's end is recorded in the transaction of its resolution, so that after a crash finished items are known. */
async function resolveItem(
  dependencies: ResolutionDependencies,
  { id: jobId, resolution, note, actor, needsTwo }: Job,
  { exception, position }: JobItem,
): Promise<void> {
  const item = { jobId, position };
  const alongside: ResolutionOptions["alongside"] = async (tx, { isDone, outcome }) => {
    await endItem(tx, item, { state: isDone ? "done" : "second_operator", outcome });
  };
  try {
    const request = { resolution, note, actor };
    await resolveException(dependencies, exception, request, { alongside, needsTwo: needsTwo === true });
  } catch (error) {
    if (!(error instanceof ResolutionRefused)) throw error;
    await endItem(dependencies.db, item, { state: "refused", outcome: error.message });
  }
}
