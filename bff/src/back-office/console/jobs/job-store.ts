import { sql } from "kysely";
import { type Clp, clp } from "../../../contract/vocabulary/clp.ts";
import type { Database, Transaction } from "../../../platform/database/transaction.ts";
import type { Resolution } from "../../exceptions/exception-kinds.ts";

export interface Job {
  readonly id: string;
  readonly resolution: Resolution;
  readonly note: string | null;
  readonly actor: string;
  readonly begunAt: Date;
  readonly endedAt: Date | null;
  /** Whether its items together exceed one person's limit; null until all are assessed. */
  readonly needsTwo: boolean | null;
}

export interface JobItem {
  readonly position: number;
  readonly exception: string;
  readonly state: "waiting" | "done" | "second_operator" | "refused";
  readonly outcome: string | null;
}

export async function insertJob(
  tx: Transaction,
  { id, resolution, note, actor, begunAt }: Omit<Job, "endedAt" | "needsTwo">,
  exceptions: readonly string[],
): Promise<void> {
  await tx.insertInto("resolution_jobs").values({ id, resolution, note, actor, begun_at: begunAt }).execute();
  const items = exceptions.map((exception, position) => ({ job_id: id, position, exception }));
  await tx.insertInto("resolution_job_items").values(items).execute();
}

export async function selectJob(db: Database, id: string): Promise<Job | null> {
  const row = await db.selectFrom("resolution_jobs").selectAll().where("id", "=", id).executeTakeFirst();
  if (row === undefined) return null;
  return {
    id: row.id,
    resolution: row.resolution as Resolution,
    note: row.note,
    actor: row.actor,
    begunAt: row.begun_at,
    endedAt: row.ended_at,
    needsTwo: row.needs_two,
  };
}

export async function selectItems(db: Database, jobId: string): Promise<JobItem[]> {
  const rows = await db
    .selectFrom("resolution_job_items")
    .select(["position", "exception", "state", "outcome"])
    .where("job_id", "=", jobId)
    .orderBy("position")
    .execute();
  return rows;
}

/** The next waiting items, in order. */
export async function selectWaiting(db: Database, jobId: string, limit: number): Promise<JobItem[]> {
  return db
    .selectFrom("resolution_job_items")
    .select(["position", "exception", "state", "outcome"])
    .where("job_id", "=", jobId)
    .where("state", "=", "waiting")
    .orderBy("position")
    .limit(limit)
    .execute();
}

/** The next unassessed items, in order. */
export async function selectUnweighed(
  db: Database,
  jobId: string,
  limit: number,
): Promise<Pick<JobItem, "position" | "exception">[]> {
  return db
    .selectFrom("resolution_job_items")
    .select(["position", "exception"])
    .where("job_id", "=", jobId)
    .where("gives", "is", null)
    .orderBy("position")
    .limit(limit)
    .execute();
}

/** Records the amount that an item decides on. */
export async function writeWeight(
  db: Database,
  { jobId, position, gives }: { readonly jobId: string; readonly position: number; readonly gives: Clp },
): Promise<void> {
  await db
    .updateTable("resolution_job_items")
    .set({ gives })
    .where("job_id", "=", jobId)
    .where("position", "=", position)
    .execute();
}

/** The sum that a job's items decide on. */
export async function sumWeights(db: Database, jobId: string): Promise<Clp> {
  const { rows } = await sql<{ total: number }>`
    select coalesce(sum(gives), 0)::bigint as total from resolution_job_items where job_id = ${jobId}`.execute(db);
  return clp(rows[0]?.total ?? 0);
}

/** Records whether a job needs two people, unless that is known. */
export async function writeNeedsTwo(db: Database, jobId: string, needsTwo: boolean): Promise<void> {
  await db
    .updateTable("resolution_jobs")
    .set({ needs_two: needsTwo })
    .where("id", "=", jobId)
    .where("needs_two", "is", null)
    .execute();
}

/** Records how an item ended; returns false if another process has. */
export async function endItem(
  db: Database,
  { jobId, position }: { readonly jobId: string; readonly position: number },
  { state, outcome }: { readonly state: Exclude<JobItem["state"], "waiting">; readonly outcome: string },
): Promise<boolean> {
  const result = await db
    .updateTable("resolution_job_items")
    .set({ state, outcome })
    .where("job_id", "=", jobId)
    .where("position", "=", position)
    .where("state", "=", "waiting")
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** Deletes at most `limit` items of jobs that ended before a moment. Returns how many there were. */
export async function deleteItemsOfEnded(
  db: Database,
  { before, limit }: { readonly before: Date; readonly limit: number },
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from resolution_job_items where (job_id, position) in (
      select i.job_id, i.position from resolution_job_items i join resolution_jobs j on j.id = i.job_id
      where j.ended_at < ${before} limit ${limit}
    )`.execute(db);
  return Number(numAffectedRows ?? 0);
}

/** Deletes at most `limit` jobs that ended before a moment and have no items left. Returns how many there were. */
export async function deleteEmptyEnded(
  db: Database,
  { before, limit }: { readonly before: Date; readonly limit: number },
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from resolution_jobs where id in (
      select id from resolution_jobs j
      where ended_at < ${before} and not exists (select from resolution_job_items i where i.job_id = j.id) limit ${limit}
    )`.execute(db);
  return Number(numAffectedRows ?? 0);
}

export async function endJob(db: Database, id: string, at: Date): Promise<void> {
  await db
    .updateTable("resolution_jobs")
    .set({ ended_at: at })
    .where("id", "=", id)
    .where("ended_at", "is", null)
    .execute();
}
