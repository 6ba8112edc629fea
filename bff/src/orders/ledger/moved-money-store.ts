import { type RawBuilder, sql } from "kysely";
import type { Database } from "../../platform/database/transaction.ts";

/** The movements that show whether money moves, and the causes of their rows in the ledger. */
export const MONEY_MOVES = {
  captured: ["capture"],
  collected: ["collection"],
  paid_out: ["payout", "remittance"],
  returned: ["return"],
} as const;
export type MoneyMove = keyof typeof MONEY_MOVES;

/** The parties that move money, and the causes of the rows that each confirmed. */
const CONFIRMED_BY = {
  "card-processor": ["capture", "collection", "return"],
  "financing-provider": ["loan", "reduction"],
  bank: ["payout", "remittance"],
} as const;

/** How far back the last confirmation is looked for. */
export const CONFIRMED_DAYS_MAX = 8;

/** Movements of one day, from its midnight in Santiago to the present time of day. */
export interface MovedOnDay<Move extends string = MoneyMove> {
  readonly move: Move;
  readonly daysAgo: number;
  readonly count: number;
  readonly pesos: number | null;
}

/** Today and the `days` before of each provider, until the present time of day: `id, days_ago, since, until`. */
export function daysUntilNow(clocks: RawBuilder<unknown>, days: number): RawBuilder<unknown> {
  const daysAgo = Array.from({ length: days + 1 }, (_, ago) => ago);
  return sql`select p.id, d.days_ago,
      ((p.now at time zone 'America/Santiago')::date - d.days_ago)::timestamp at time zone 'America/Santiago' as since,
      ((p.now at time zone 'America/Santiago') - d.days_ago * interval '1 day') at time zone 'America/Santiago' as until
    from (${clocks}) as p cross join unnest(${daysAgo}::int[]) as d (days_ago)`;
}

/** Pesos that moved in the last hour, by move. */
export async function selectMovedMoney(db: Database, clocks: RawBuilder<unknown>): Promise<Map<string, number>> {
  const { names, causes } = listed(MONEY_MOVES);
  const { rows } = await sql<{ move: string; pesos: number }>`
    select m.name as move, coalesce(sum(t.amount), 0)::bigint as pesos
    from unnest(${names}::text[], ${causes}::text[]) as m (name, cause)
    left join (
      select l.amount, split_part(l.cause, ':', 1) as cause
      from (${clocks}) as p join ledger_transfers l on l.provider_id = p.id and l.at > p.now - interval '1 hour'
    ) as t on t.cause = m.cause
    group by m.name`.execute(db);
  return new Map(rows.map(({ move, pesos }) => [move, pesos]));
}

/** What moved today and on each of the `days` before, until the present time of day. Days without any are omitted. */
export async function selectMovedByDay(db: Database, clocks: RawBuilder<unknown>, days: number): Promise<MovedOnDay[]> {
  const { rows } = await movedByDayStatement(clocks, days).execute(db);
  return rows;
}

/** The statement of `selectMovedByDay`; exported so that a test can check its query plan. */
export function movedByDayStatement(clocks: RawBuilder<unknown>, days: number): RawBuilder<MovedOnDay> {
  const { names, causes } = listed(MONEY_MOVES);
  // Lateral, so that each day is read by the index: the planner cannot know how short the days are.
  return sql`select m.name as move, d.days_ago as "daysAgo", sum(l.count)::int as count, sum(l.pesos)::bigint as pesos
    from (${daysUntilNow(clocks, days)}) as d
    cross join lateral (
      select split_part(t.cause, ':', 1) as cause, count(*) as count, sum(t.amount) as pesos from ledger_transfers t
      where t.provider_id = d.id and t.at >= d.since and t.at <= d.until group by 1
    ) as l
    join unnest(${names}::text[], ${causes}::text[]) as m (name, cause) on m.cause = l.cause
    group by m.name, d.days_ago`;
}

/** How many seconds ago each party last confirmed a movement; null if it was more than eight days ago. */
export async function selectLastConfirmed(
  db: Database,
  clocks: RawBuilder<unknown>,
): Promise<ReadonlyMap<string, number | null>> {
  const { rows } = await lastConfirmedStatement(clocks).execute(db);
  return new Map(rows.map(({ party, seconds }) => [party, seconds]));
}

/** The statement of `selectLastConfirmed`; exported so that a test can check its query plan. */
export function lastConfirmedStatement(
  clocks: RawBuilder<unknown>,
): RawBuilder<{ party: string; seconds: number | null }> {
  const { names, causes } = listed(CONFIRMED_BY);
  return sql`select m.name as party, min(extract(epoch from p.now - l.at))::float8 as seconds
    from unnest(${names}::text[], ${causes}::text[]) as m (name, cause)
    cross join (${clocks}) as p
    left join lateral (
      select t.at from ledger_transfers t
      where t.provider_id = p.id and t.at > p.now - ${CONFIRMED_DAYS_MAX}::int * interval '1 day'
        and split_part(t.cause, ':', 1) = m.cause
      order by t.at desc limit 1
    ) as l on true
    group by m.name`;
}

function listed(causesOf: Readonly<Record<string, readonly string[]>>): { names: string[]; causes: string[] } {
  const pairs = Object.entries(causesOf).flatMap(([name, causes]) => causes.map((cause) => ({ name, cause })));
  return { names: pairs.map(({ name }) => name), causes: pairs.map(({ cause }) => cause) };
}
