import { type RawBuilder, sql } from "kysely";
import { DEFERRED_PERCENTAGE, LATEST_COLLECTION_DAY } from "../contract/terms.ts";
import type { ReadColumn } from "../platform/database/read-column.ts";
import type { Database, Transaction } from "../platform/database/transaction.ts";
import type { ExceptionQuery, ExceptionRow } from "../platform/exceptions.ts";
import type { Environment } from "../platform/provider.ts";

export interface MaximumRate {
  readonly basisPoints: number;
  readonly source: string;
  /** The first day on which it applies, `YYYY-MM-DD`. */
  readonly since: string;
}

/** Stores a maximum rate; replaces an existing one of the same day. */
export async function writeMaximumRate(
  tx: Transaction,
  { id, environment, rate, at }: { id: string; environment: Environment; rate: MaximumRate; at: Date },
): Promise<void> {
  const { basisPoints, source, since } = rate;
  await sql`
    insert into maximum_rates (id, environment, basis_points, source, since, set_at)
    values (${id}, ${environment}, ${basisPoints}, ${source}, ${since}, ${at})
    on conflict (environment, since) do update
      set basis_points = excluded.basis_points, source = excluded.source, set_at = excluded.set_at
  `.execute(tx);
}

/** Stores the legal basis of a provider's commission above the maximum rate; `null` if there is none. */
export async function writeLegalBasis(tx: Transaction, providerId: string, basis: string | null): Promise<void> {
  await sql`update providers set commission_legal_basis = ${basis} where id = ${providerId}`.execute(tx);
}

/** The maximum rate that applies on a day; `null` if none was set. */
export async function selectMaximumRate(
  tx: Transaction,
  { environment, day }: { environment: Environment; day: string },
): Promise<MaximumRate | null> {
  const { rows } = await sql<{ basis_points: number; source: string; since: string }>`
    select basis_points, source, since::text as since from maximum_rates
    where environment = ${environment} and since <= ${day} order by since desc limit 1
  `.execute(tx);
  const [row] = rows;
  return row === undefined ? null : { basisPoints: row.basis_points, source: row.source, since: row.since };
}

const YEAR_OF_LOAN = DEFERRED_PERCENTAGE * LATEST_COLLECTION_DAY;

/** The yearly rate of a provider's commission in basis points, rounded half up, as `yearlyRateOf` computes it. */
const yearlyBasisPoints: RawBuilder<number> = sql`
  ((providers.commission_basis_points * 73000 + ${sql.lit(YEAR_OF_LOAN)}) / ${sql.lit(2 * YEAR_OF_LOAN)})`;

/** A provider whose commission exceeds a maximum rate and has no legal basis. */
export interface ProviderAbove {
  readonly id: string;
  readonly name: string;
  /** In percent. */
  readonly yearlyRate: number;
}

/** The active providers of an environment whose commission exceeds a rate and has no legal basis, by name. */
export async function selectProvidersAbove(
  db: Database,
  { environment, basisPoints }: { readonly environment: Environment; readonly basisPoints: number },
): Promise<ProviderAbove[]> {
  const { rows } = await sql<{ id: string; name: string; yearly: number }>`
    select id, name, ${yearlyBasisPoints} as yearly from providers
    where environment = ${environment} and active and commission_legal_basis is null
      and ${yearlyBasisPoints} > ${basisPoints}
    order by name, id
  `.execute(db);
  return rows.map(({ id, name, yearly }) => ({ id, name, yearlyRate: yearly / 100 }));
}

/**
 * The maximum rate that applies to the caller's commission now, in basis points; null if none was set or the commission
 * has a legal basis. Selects from the CTE `caller`. `realNow` is real time.
 */
export function bindingRateColumn(realNow: Date): ReadColumn<number> {
  return {
    column: sql`(
      select r.basis_points from caller c join providers on providers.id = c.provider_id
        join maximum_rates r on r.environment = providers.environment and r.since <= (
          (${realNow}::timestamptz + providers.clock_offset_ms * interval '1 millisecond')
            at time zone 'America/Santiago')::date
      where providers.commission_legal_basis is null order by r.since desc limit 1)`,
    read: (column) => column as number | null,
  };
}

/**
 * Providers whose commission exceeds the maximum rate that applies now, or one that was announced, without a legal
 * basis. Listed again on the day from which their orders are refused. `clocks` selects `id, now`.
 */
export function commissionAboveMaximum(clocks: RawBuilder<unknown>): ExceptionQuery {
  const rows: RawBuilder<ExceptionRow> = sql`
    select distinct on (providers.id) 'commission_above_maximum' as kind, providers.id as provider_id,
      providers.id::text as subject, null::uuid as order_id,
      greatest(r.set_at + providers.clock_offset_ms * interval '1 millisecond',
        case when r.since <= t.day then r.since::timestamp at time zone 'America/Santiago' end) as since,
      jsonb_build_object('yearly_rate', ${yearlyBasisPoints} / 100.0, 'maximum_rate', r.basis_points / 100.0,
        'from_day', r.since) as facts
    from providers
      join (${clocks}) as p on p.id = providers.id
      cross join lateral (select (p.now at time zone 'America/Santiago')::date as day) as t
      join maximum_rates r on r.environment = providers.environment and ${yearlyBasisPoints} > r.basis_points
        and r.since >= coalesce((select max(c.since) from maximum_rates c
          where c.environment = providers.environment and c.since <= t.day), '-infinity')
    where providers.active and providers.commission_legal_basis is null
    order by providers.id, r.since`;
  return { rows };
}
