import { sql } from "kysely";
import type { Database } from "../database/transaction.ts";

/** One more to count under a key; `key` holds nothing personal. */
export interface Hit {
  readonly key: string;
  /** Where a window begins with this hit, when it ends. */
  readonly windowEndsAt: Date;
}

export interface Counted {
  readonly points: number;
  readonly windowEndsAt: Date;
}

/** Counts one hit for each key, in one statement, and tells the counts by their keys. */
export async function countHits(db: Database, hits: readonly Hit[], now: Date): Promise<Map<string, Counted>> {
  const { rows } = await sql<{ key: string; points: number; until: Date }>`
    select counted_key as key, counted_points as points, counted_until as until
    from count_hits(${hits.map(({ key }) => key)}::text[],
      ${hits.map(({ windowEndsAt }) => windowEndsAt)}::timestamptz[], ${now}::timestamptz)`.execute(db);
  return new Map(rows.map(({ key, points, until }) => [key, { points, windowEndsAt: until }]));
}

/** Removes counts whose windows ended before a moment, a bounded number at a time. Returns how many. */
export async function removeEndedWindows(
  db: Database,
  { before, limit }: { before: Date; limit: number },
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from rate_limits where key in (
      select key from rate_limits where window_ends_at < ${before} order by window_ends_at limit ${limit} for update skip locked
    )
  `.execute(db);
  return Number(numAffectedRows ?? 0);
}
