import { type RawBuilder, sql } from "kysely";
import type { Database } from "../../platform/database/transaction.ts";

/** What money did: came from cards as first instalments, was collected later, or went back to cards. */
export const MONEY_MOVES = {
  captured: "capture",
  collected: "collection",
  returned: "return",
} as const;

/** Pesos that moved in the last hour, by move. `clocks` selects `id, now` of the providers. */
export async function selectMovedMoney(db: Database, clocks: RawBuilder<unknown>): Promise<Map<string, number>> {
  const [moves, causes] = [Object.keys(MONEY_MOVES), Object.values(MONEY_MOVES)];
  const { rows } = await sql<{ move: string; pesos: number }>`
    select m.move, coalesce(sum(t.amount), 0)::bigint as pesos
    from unnest(${moves}::text[], ${causes}::text[]) as m (move, cause)
    left join (
      select l.amount, split_part(l.cause, ':', 1) as cause
      from (${clocks}) as p join ledger_transfers l on l.provider_id = p.id and l.at > p.now - interval '1 hour'
    ) as t on t.cause = m.cause
    group by m.move`.execute(db);
  return new Map(rows.map(({ move, pesos }) => [move, pesos]));
}
