import { type RawBuilder, sql } from "kysely";
import type { RateLimitsRow } from "../database/tables.ts";
import type { Database } from "../database/transaction.ts";

/** One more to count under a key; `key` holds nothing personal. */
export interface Hit {
  key: string;
  /** Where a window begins with this hit, when it ends. */
  windowEndsAt: Date;
}

export interface Counted {
  points: number;
  windowEndsAt: Date;
}

/** Counts one hit for each key, in one statement, and tells the counts. A window begins with the first hit after the last. */
export async function countHits(db: Database, hits: readonly Hit[], now: Date): Promise<Map<string, Counted>> {
  const { rows } = await countingHits(hits, now).execute(db);
  return countsOf(rows.map((row) => ({ ...row, window_ends_at: row.window_ends_at.getTime() })));
}

/** The counts that a statement has told; `window_ends_at` in milliseconds. */
export function countsOf(
  rows: readonly { readonly key: string; readonly points: number; readonly window_ends_at: number }[],
): Map<string, Counted> {
  return new Map(rows.map((row) => [row.key, { points: row.points, windowEndsAt: new Date(row.window_ends_at) }]));
}

/** The same as `countHits`, as the body of a CTE: nothing is counted where the CTE `source` has no row. */
export function countingHits(hits: readonly Hit[], now: Date, source?: string): RawBuilder<RateLimitsRow> {
  const onlyWhere = source === undefined ? sql`` : sql`where exists (select from ${sql.table(source)})`;
  // In the order of the keys: two requests that count the same keys must not wait for each other in a circle.
  return sql<RateLimitsRow>`
    insert into rate_limits as stored (key, window_ends_at, points)
    select key, window_ends_at, 1
    from unnest(${hits.map(({ key }) => key)}::text[], ${hits.map(({ windowEndsAt }) => windowEndsAt)}::timestamptz[]) as hit (key, window_ends_at)
    ${onlyWhere}
    order by key
    on conflict (key) do update set
      points = case when stored.window_ends_at <= ${now} then 1 else least(stored.points, 1000000) + 1 end,
      window_ends_at = case when stored.window_ends_at <= ${now} then excluded.window_ends_at else stored.window_ends_at end
    returning key, window_ends_at, points`;
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
