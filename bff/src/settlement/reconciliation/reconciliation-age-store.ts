import { type RawBuilder, sql } from "kysely";
import type { Database } from "../../platform/database/transaction.ts";

/** For how many seconds the books of the provider whose turn is longest ago were not compared; null: none ever was. */
export async function selectReconciliationAge(db: Database, clocks: RawBuilder<unknown>): Promise<number | null> {
  const { rows } = await sql<{ age: number | null }>`
    select max(extract(epoch from p.now - last.at))::double precision as age
    from (${clocks}) as p
    cross join lateral (select max(r.at) as at from reconciliation_runs r where r.provider_id = p.id) as last`.execute(
    db,
  );
  return rows[0]?.age ?? null;
}
