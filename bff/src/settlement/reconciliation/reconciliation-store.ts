import { type RawBuilder, sql } from "kysely";
import type { ReconciledParty } from "../../contract/reconciliation.ts";
import { type Clp, clp } from "../../contract/vocabulary/clp.ts";
import type { OrderId } from "../../contract/vocabulary/identifiers.ts";
import type { Database, Transaction } from "../../platform/database/transaction.ts";
import type { CalendarDay } from "../../platform/santiago-time.ts";
import type { Difference } from "../compare-lines.ts";

/** The gateways whose lists are compared with the books. */
const LISTING_PARTIES = ["card_processor", "financing_provider", "bank"] as const satisfies readonly ReconciledParty[];

/** The open differences: the orders that differ from the ledger, and the times of lines that differ. */
export async function selectDiffering(
  db: Database,
  providerId: string,
): Promise<{ readonly orders: OrderId[]; readonly moments: Date[] }> {
  const rows = await db
    .selectFrom("reconciliation_differences")
    .select(["party", "order_id", "at"])
    .where("provider_id", "=", providerId)
    .where("gone_at", "is", null)
    .execute();
  const [orders, lines] = [
    rows.filter(({ party }) => party === "ledger"),
    rows.filter(({ party }) => party !== "ledger"),
  ];
  return {
    orders: [...new Set(orders.flatMap(({ order_id }) => order_id ?? []))],
    moments: lines.map(({ at }) => at),
  };
}

/** A line that a party lists and the books do not have. */
interface UnbookedLine {
  readonly orderId: OrderId | null;
  readonly amount: Clp;
  /** The time of the line in the party's list. */
  readonly at: Date;
}

/** The line of an open difference, locked until the transaction ends; null if there is none. */
export async function lockUnbooked(
  tx: Transaction,
  { providerId, kind, reference }: { readonly providerId: string; readonly kind: string; readonly reference: string },
): Promise<UnbookedLine | null> {
  const row = await tx
    .selectFrom("reconciliation_differences")
    .select(["order_id", "found", "at"])
    .where("provider_id", "=", providerId)
    .where("reference", "=", reference)
    .where(sql<string>`kind`, "=", kind)
    .where("gone_at", "is", null)
    .forUpdate()
    .executeTakeFirst();
  if (row === undefined || row.found === null) return null;
  return { orderId: row.order_id, amount: clp(row.found), at: row.at };
}

/**
 * The first day, in Santiago, for which at least one gateway's list was never compared: the earliest of the days on
 * which each list was last available. Null if some list was never available.
 */
export async function selectComparedUntil(db: Database, providerId: string): Promise<CalendarDay | null> {
  const { rows } = await sql<{ day: string | null }>`
    select case when count(*) filter (where listed.day is null) > 0 then null else min(listed.day)::text end as day
    from (
      select party.name, (
        select max(r.day) from reconciliation_runs r
        where r.provider_id = ${providerId} and not r.unavailable @> to_jsonb(party.name)
      ) as day
      from unnest(${[...LISTING_PARTIES]}::text[]) as party (name)
    ) as listed
  `.execute(db);
  return rows[0]?.day ?? null;
}

/** Ids of a provider's payouts in progress. */
export async function selectPayoutsUnderWay(tx: Transaction, providerId: string): Promise<string[]> {
  const rows = await tx
    .selectFrom("payouts")
    .select("id")
    .where("provider_id", "=", providerId)
    .where("state", "=", "sending")
    .execute();
  return rows.map(({ id }) => id);
}

interface RunToKeep {
  readonly providerId: string;
  readonly day: CalendarDay;
  /** The compared periods. */
  readonly periods: readonly { readonly from: Date; readonly to: Date }[];
  /** The provider's time. */
  readonly at: Date;
  readonly differences: readonly Difference[];
  readonly unavailable: readonly ReconciledParty[];
  /** Ids and lines excluded because their outcome is unknown. */
  readonly unresolved: readonly string[];
}

/**
 * Records the differences that a daily run found. Marks missing ones as gone if their gateway answered and they fall
 * into the compared periods. Differences between orders and the ledger are compared again at any age.
 */
export async function keepRun(tx: Transaction, run: RunToKeep): Promise<void> {
  const { providerId, day, at, periods, differences, unavailable, unresolved } = run;
  const result = { at, differences: differences.length, unavailable: JSON.stringify(unavailable) };
  await tx
    .insertInto("reconciliation_runs")
    .values({ provider_id: providerId, day, ...result })
    .onConflict((conflict) => conflict.columns(["provider_id", "day"]).doUpdateSet(result))
    .execute();
  for (const difference of differences) await keepDifference(tx, providerId, difference, at);
  await sql`
    update reconciliation_differences set gone_at = ${at}
    where provider_id = ${providerId} and gone_at is null
      and (party = 'ledger' or exists (
        select from unnest(${periods.map(({ from }) => from)}::timestamptz[], ${periods.map(({ to }) => to)}::timestamptz[])
          as compared (since, until)
        where reconciliation_differences.at >= since and reconciliation_differences.at < until))
      and last_seen_at < ${at} and not (party = any(${unavailable}::text[]))
      and not (reference = any(${unresolved}::text[])) and not (party || ' ' || reference = any(${unresolved}::text[]))
  `.execute(tx);
}

async function keepDifference(tx: Transaction, providerId: string, difference: Difference, at: Date): Promise<void> {
  const { kind, reference, party, orderId, expected, found } = difference;
  const seen = { expected, found, at: difference.at, last_seen_at: at, gone_at: null };
  await tx
    .insertInto("reconciliation_differences")
    .values({
      provider_id: providerId,
      kind,
      reference,
      party,
      order_id: orderId,
      first_seen_at: at,
      ...seen,
    })
    .onConflict((conflict) =>
      conflict.columns(["provider_id", "kind", "reference"]).doUpdateSet({
        ...seen,
        // A difference that was gone, or has other amounts now, counts as new: the operator who dismissed it has not
        // seen this.
        first_seen_at: sql<Date>`case when reconciliation_differences.gone_at is not null
            or reconciliation_differences.expected is distinct from excluded.expected
            or reconciliation_differences.found is distinct from excluded.found
          then excluded.first_seen_at else reconciliation_differences.first_seen_at end`,
      }),
    )
    .execute();
}

/** Seconds since the last comparison of the provider that has waited longest; null if none was ever compared. */
export async function selectReconciliationAge(db: Database, clocks: RawBuilder<unknown>): Promise<number | null> {
  const { rows } = await sql<{ age: number | null }>`
    select max(extract(epoch from p.now - last.at))::double precision as age
    from (${clocks}) as p
    cross join lateral (select max(r.at) as at from reconciliation_runs r where r.provider_id = p.id) as last`.execute(
    db,
  );
  return rows[0]?.age ?? null;
}
