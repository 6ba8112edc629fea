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
