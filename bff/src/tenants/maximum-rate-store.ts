import { sql } from "kysely";
import type { Transaction } from "../platform/database/transaction.ts";
import type { Environment } from "../platform/provider.ts";

export interface MaximumRate {
  readonly basisPoints: number;
  readonly source: string;
  /** The first day on which it holds, `YYYY-MM-DD`. */
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

/** Stores the legal basis of a provider's commission above the maximum rate; `null`: there is none. */
export async function writeLegalBasis(tx: Transaction, providerId: string, basis: string | null): Promise<void> {
  await sql`update providers set commission_legal_basis = ${basis} where id = ${providerId}`.execute(tx);
}

/** The maximum rate that holds on a day; `null` if none was set. */
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
