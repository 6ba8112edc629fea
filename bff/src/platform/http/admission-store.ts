import { sql } from "kysely";
import type { Database, StatementPart } from "../database/transaction.ts";
import type { SlotRequest, SlotState } from "./idempotency-store.ts";

/** One request to count under a key. `key` contains no personal data. */
interface Hit {
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

/** The lookups, counts and slot of the statement that admits a request. */
export interface Admission {
  /**
   * Selects the caller: one row with `provider_id`, `credential_id`, `scopes`, `provider` (JSON) and `is_complete`
   * (whether every credential that the endpoint needs was presented), or no row if the credential is unknown. Null if
   * the endpoint needs no credential.
   */
  readonly caller: StatementPart | null;
  /** The scope that the caller's provider must have. */
  readonly scope: string | null;
  /**
   * The resource of the request, as a column that may refer to the CTE `caller`. If it is required and not found,
   * nothing is counted and no slot is taken.
   */
  readonly found: { readonly column: StatementPart; readonly isNeeded: boolean };
  readonly hits: readonly RequestHit[];
  readonly slot: SlotRequest | null;
  /** Real time. */
  readonly now: Date;
}

/** One request to count, either over all callers or for each provider separately. */
export interface RequestHit extends Hit {
  readonly isPerProvider: boolean;
  readonly requestsMax: number;
}

/** The statement's result. */
export interface AdmissionRow {
  readonly credential_id: string | null;
  readonly provider: unknown;
  readonly is_complete: boolean;
  /** The resource of the request; null if it does not exist. */
  readonly found: unknown;
  /** In the order of the hits; null if nothing was counted. */
  readonly counted: readonly { readonly points: number; readonly until: string }[] | null;
  /** The state of a slot that another request holds; null if this request now holds it or needs none. */
  readonly slotState: SlotState | null;
}

/** The result for an endpoint that needs no credential and nothing from the database. */
export const NOTHING_ASKED: AdmissionRow = {
  credential_id: null,
  provider: null,
  is_complete: true,
  found: null,
  counted: null,
  slotState: null,
};

/** The result for an unknown credential. */
export const UNKNOWN_CALLER: AdmissionRow = { ...NOTHING_ASKED, is_complete: false };

/** Used as the caller if the endpoint needs no credential. */
const anybody = sql`
  select null::uuid as provider_id, null::uuid as credential_id, '{}'::text[] as scopes,
    null::json as provider, true as is_complete`;

/** Admits a request in one statement, or returns what `admit` needs to refuse it. */
export async function admitRequest(db: Database, admission: Admission): Promise<AdmissionRow> {
  const { caller, found } = admission;
  const isCounted = admission.hits.length > 0 || admission.slot !== null;
  const { rows } = await sql<AdmissionRow>`
    with caller as materialized (${caller ?? anybody}),
    loaded as materialized (select caller.*, (${found.column}) as found from caller)
    select loaded.credential_id, loaded.provider, loaded.is_complete, loaded.found,
      ${isCounted ? sql`let_in.counted, let_in.standing as "slotState"` : sql`null as counted, null as "slotState"`}
    from loaded ${isCounted ? admitting(admission) : sql``}`.execute(db);
  return rows[0] ?? UNKNOWN_CALLER;
}

function admitting({ scope, found, hits, slot, now }: Admission): StatementPart {
  const isInScope = scope === null ? sql`true` : sql`${scope} = any(loaded.scopes)`;
  const isFound = found.isNeeded ? sql`loaded.found is not null` : sql`true`;
  return sql`left join lateral let_in(
      loaded.is_complete and ${isInScope} and ${isFound}, loaded.provider_id, ${now}::timestamptz,
      ${hits.map(({ key }) => key)}::text[], ${hits.map(({ isPerProvider }) => isPerProvider)}::boolean[],
      ${hits.map(({ windowEndsAt }) => windowEndsAt)}::timestamptz[], ${hits.map(({ requestsMax }) => requestsMax)}::int[],
      ${slot?.method ?? null}, ${slot?.path ?? null}, ${slot?.keyHashes ?? null}::text[], ${slot?.bodyHash ?? null},
      ${slot?.lease?.id ?? null}::uuid, ${slot?.lease?.until ?? null}::timestamptz, ${slot?.expiresAt ?? null}::timestamptz
    ) as let_in on true`;
}
