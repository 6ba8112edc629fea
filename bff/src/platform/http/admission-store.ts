import { sql } from "kysely";
import type { Database, StatementPart } from "../database/transaction.ts";
import type { SlotRequest, Standing } from "./idempotency-store.ts";
import type { Hit } from "./rate-limit-store.ts";

/** What the statement that admits a request is to find out and to settle. */
export interface Admission {
  /**
   * Who calls: a row with `provider_id`, `credential_id`, `is_active`, `scopes`, `provider` (JSON) and `is_complete`, which says
   * whether every credential that the endpoint needs was presented; no row for a credential that opens nothing. Null where none is
   * needed.
   */
  readonly caller: StatementPart | null;
  /** What the caller's provider must be allowed to do. */
  readonly scope: string | null;
  /** What the request is about, as a column over the CTE `caller`; without it nothing is counted or taken where it is needed. */
  readonly found: { readonly column: StatementPart; readonly isNeeded: boolean };
  readonly hits: readonly RequestHit[];
  readonly slot: SlotRequest | null;
  /** Real time. */
  readonly now: Date;
}

/** One more request to count, of everybody or of each provider by itself. */
export interface RequestHit extends Hit {
  readonly isPerProvider: boolean;
  readonly requestsMax: number;
}

/** What came of it. */
export interface AdmissionRow {
  readonly credential_id: string | null;
  readonly provider: unknown;
  readonly is_complete: boolean;
  /** What the request is about; null where there is no such thing. */
  readonly found: unknown;
  /** In the order of the hits; null where none was counted. */
  readonly counted: readonly { readonly points: number; readonly until: string }[] | null;
  /** How the slot stands; null where it is the request's own, and where none was asked for. */
  readonly standing: Standing | null;
}

/** For an endpoint that needs no credential, and where nobody needs to be asked for anything. */
export const NOTHING_ASKED: AdmissionRow = {
  credential_id: null,
  provider: null,
  is_complete: true,
  found: null,
  counted: null,
  standing: null,
};

/** For a credential that opens nothing. */
export const NOBODY: AdmissionRow = { ...NOTHING_ASKED, is_complete: false };

/** A caller that nobody has to know. */
const anybody = sql`
  select null::uuid as provider_id, null::uuid as credential_id, true as is_active, '{}'::text[] as scopes,
    null::json as provider, true as is_complete`;

/** Lets a request in, in one statement, or tells what there is to refuse. */
export async function admitRequest(db: Database, admission: Admission): Promise<AdmissionRow> {
  const { caller, found } = admission;
  const isCounted = admission.hits.length > 0 || admission.slot !== null;
  const { rows } = await sql<AdmissionRow>`
    with caller as materialized (${caller ?? anybody}),
    loaded as materialized (select caller.*, (${found.column}) as found from caller)
    select loaded.credential_id, loaded.provider, loaded.is_complete, loaded.found,
      ${isCounted ? sql`let_in.counted, let_in.standing` : sql`null as counted, null as standing`}
    from loaded ${isCounted ? lettingIn(admission) : sql``}`.execute(db);
  return rows[0] ?? NOBODY;
}

function lettingIn({ scope, found, hits, slot, now }: Admission): StatementPart {
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
