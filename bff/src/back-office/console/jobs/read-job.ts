import * as z from "zod";
import type { Database } from "../../../platform/database/transaction.ts";
import { selectItems, selectJob } from "./job-store.ts";

/** The progress of a job; null if there is none with this id. */
export async function readJob(db: Database, id: string) {
  const job = z.uuid().safeParse(id).success ? await selectJob(db, id) : null;
  if (job === null) return null;
  const items = await selectItems(db, id);
  return {
    job_id: job.id,
    resolution: job.resolution,
    note: job.note,
    actor: job.actor,
    begun_at: job.begunAt.toISOString(),
    ended_at: job.endedAt?.toISOString() ?? null,
    items: items.map(({ exception, state, outcome }) => ({ exception, state, outcome })),
  };
}
