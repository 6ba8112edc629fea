import { sql } from "kysely";
import type { Database } from "../database/transaction.ts";

/** One request to count under a key; `key` holds no personal data. */
export interface Hit {
  readonly key: string;
  /** When the window ends if this hit begins a new one. */
  readonly windowEndsAt: Date;
}

export interface Counted {
  readonly points: number;
  readonly windowEndsAt: Date;
}

/** Counts one hit per key in one statement, and returns the counts by key. */
export async function countHits(db: Database, hits: readonly Hit[], now: Date): Promise<Map<string, Counted>> {
  const { rows } = await sql<{ key: string; points: number; until: Date }>`
    select counted_key as key, counted_points as points, counted_until as until
    from count_hits(${hits.map(({ key }) => key)}::text[],
      ${hits.map(({ windowEndsAt }) => windowEndsAt)}::timestamptz[], ${now}::timestamptz)`.execute(db);
  return new Map(rows.map(({ key, points, until }) => [key, { points, windowEndsAt: until }]));
}

/** Removes at most `limit` counts whose windows ended before a moment, and returns how many. */
export async function removeEndedWindows(
  db: Database,
  { before, limit }: { before: Date; limit: number },
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from rate_limits where window_ends_at < ${before} and ctid = any(array(
      select ctid from rate_limits where window_ends_at < ${before} order by window_ends_at limit ${limit} for update skip locked
    ))
  `.execute(db);
  return Number(numAffectedRows ?? 0);
}
