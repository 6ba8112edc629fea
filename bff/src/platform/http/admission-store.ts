import { type RawBuilder, sql } from "kysely";
import { claimingSlot, type SlotClaim } from "./idempotency-store.ts";
import { type Counted, countingHits, countsOf, type Hit } from "./rate-limit-store.ts";

/**
 * What is settled about a request, beside its caller, in the statement that loads what it is about: its limits are counted,
 * and the slot of its `Idempotency-Key` is taken.
 */
export interface Admission {
  readonly hits: readonly Hit[];
  readonly claim: SlotClaim | null;
  /** Real time. */
  readonly now: Date;
}

/** What came of it. */
export interface Admitted {
  readonly counts: ReadonlyMap<string, Counted>;
  /** Is the slot the request's? False also where it asked for none. */
  readonly isClaimed: boolean;
}

/** The columns of `loadingWith`. */
export interface AdmittedColumns {
  readonly counted: readonly { key: string; points: number; window_ends_at: number }[] | null;
  readonly is_claimed: boolean;
}

/**
 * A statement that loads, and settles the admission where there is something loaded: the columns of `loading` with those of
 * `AdmittedColumns`. What is loaded is as old as the statement's beginning, as it is where the admission follows.
 */
export function loadingWith<Row>(
  loading: RawBuilder<Row>,
  { hits, claim, now }: Admission,
): RawBuilder<Row & AdmittedColumns> {
  // For a request that has no limits, or no key, the same statement with nothing to count or to take.
  const counted = hits.length === 0 ? sql`select from loaded where false` : countingHits(hits, now, "loaded");
  const counts =
    hits.length === 0
      ? sql`null::json`
      : sql`(select json_agg(json_build_object('key', key, 'points', points,
          'window_ends_at', round(extract(epoch from window_ends_at) * 1000))) from counted)`;
  const claimed = claim === null ? sql`select where false` : claimingSlot(claim, "loaded");
  return sql<Row & AdmittedColumns>`
    with loaded as (${loading}), counted as (${counted}), claimed as (${claimed})
    select loaded.*, exists (select from claimed) as is_claimed, ${counts} as counted
    from loaded`;
}

export function admittedBy({ counted, is_claimed: isClaimed }: AdmittedColumns): Admitted {
  return { counts: countsOf(counted ?? []), isClaimed };
}
