import { sql } from "kysely";
import type { Database } from "../../src/platform/database/transaction.ts";

/** Stores a check that Soyio has begun. It replaces an earlier one of the same person and document. */
export async function insertPendingCheck(
  db: Database,
  { reference, checkId, begunAt }: { readonly reference: string; readonly checkId: string; readonly begunAt: Date },
): Promise<void> {
  await sql`
    insert into pending_checks (reference, check_id, begun_at)
    values (${reference}, ${checkId}, ${begunAt}::timestamptz)
    on conflict (reference) do update set check_id = excluded.check_id, begun_at = excluded.begun_at
  `.execute(db);
}

/** The check that was begun since a moment; null if there is none. */
export async function findPendingCheck(db: Database, reference: string, since: Date): Promise<string | null> {
  const { rows } = await sql<{ readonly checkId: string }>`
    select check_id as "checkId" from pending_checks
    where reference = ${reference} and begun_at >= ${since}::timestamptz
  `.execute(db);
  return rows[0]?.checkId ?? null;
}

/** Deletes the check of this reference, and all that were begun before a moment. */
export async function deletePendingChecks(db: Database, reference: string, before: Date): Promise<void> {
  await sql`
    delete from pending_checks where reference = ${reference} or begun_at < ${before}::timestamptz
  `.execute(db);
}
