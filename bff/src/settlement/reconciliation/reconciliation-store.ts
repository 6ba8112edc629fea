import { sql } from "kysely";
import type { ReconciledParty } from "../../contract/reconciliation.ts";
import { clp } from "../../contract/vocabulary/clp.ts";
import type { OrderHash } from "../../contract/vocabulary/identifiers.ts";
import type { LedgerAccount } from "../../orders/ledger/accounts.ts";
import type { Database, Transaction } from "../../platform/database/transaction.ts";
import { type CalendarDay, santiagoDay } from "../../platform/santiago-time.ts";
import type { BookedRow, Difference, OrderSums } from "./compare.ts";

/*
 * The one store that reads other features' tables: it has to see what is there, rather than what their code believes. It
 * changes nothing of theirs.
 */

/** Whose lists the books are compared with. */
const LISTING_PARTIES = ["card_processor", "financing_provider", "bank"] as const satisfies readonly ReconciledParty[];

export interface Period {
  readonly providerId: string;
  readonly from: Date;
  readonly to: Date;
}

interface RawBookedRow {
  order_id: OrderHash;
  debit: LedgerAccount;
  credit: LedgerAccount;
  amount: number;
  cause: string;
  at: Date;
}

/** The rows of the ledger in [from, to). */
export async function selectBookedRows(tx: Transaction, { providerId, from, to }: Period): Promise<BookedRow[]> {
  const { rows } = await sql<RawBookedRow>`
    select order_id, debit, credit, amount, cause, at from ledger_transfers
    where provider_id = ${providerId} and at >= ${from} and at < ${to}
  `.execute(tx);
  return rows.map(toBookedRow);
}

/** The rows that say what is lent to some orders. */
export async function selectLent(
  tx: Transaction,
  { providerId, orderIds }: { providerId: string; orderIds: readonly OrderHash[] },
): Promise<BookedRow[]> {
  const { rows } = await sql<RawBookedRow>`
    select order_id, debit, credit, amount, cause, at from ledger_transfers
    where provider_id = ${providerId} and order_id = any(${orderIds}::uuid[])
      and (debit = 'financing_provider' or (debit = 'order' and credit = 'financing_provider'))
  `.execute(tx);
  return rows.map(toBookedRow);
}

function toBookedRow({ order_id, debit, credit, amount, cause, at }: RawBookedRow): BookedRow {
  return { orderId: order_id, debit, credit, amount: clp(amount), cause, at };
}

/** What the orders that changed in [from, to), and others, say of themselves, and what the ledger says of them. */
export async function selectOrderSums(
  tx: Transaction,
  { providerId, from, to }: Period,
  others: readonly OrderHash[],
): Promise<OrderSums[]> {
  const { rows } = await sql<{
    id: OrderHash;
    updated_at: Date;
    price: number;
    booked_price: number;
    collected: number;
    booked_collected: number;
  }>`
    select o.id, o.updated_at,
      case when o.paid_at is null then 0 else o.total - o.refunded end as price,
      coalesce(l.price, 0) as booked_price, coalesce(p.collected, 0) as collected, coalesce(l.collected, 0) as booked_collected
    from orders o
    left join lateral (
      select sum(amount - returned) as collected from order_payments
      where provider_id = o.provider_id and order_id = o.id and kind = 'deferred' and status = 'captured'
    ) p on true
    left join lateral (
      select
        sum(case when credit = 'order' then amount else -amount end)
          filter (where (credit = 'order' and debit in ('card_processor', 'financing_provider'))
            or (debit = 'order' and credit in ('card_processor', 'financing_provider', 'paid_by_hand'))) as price,
        sum(case when credit = 'card_processor' then -amount else amount end)
          filter (where cause like 'collection:%' or cause like 'commission:%' or cause like 'commission-return:%'
            or (cause like 'return:%' and exists (
              select 1 from refund_movements m join order_payments d
                on d.provider_id = m.provider_id and d.order_id = m.order_id and d.id = m.payment_id and d.kind = 'deferred'
              where m.provider_id = o.provider_id and m.order_id = o.id and cause = 'return:' || m.id))) as collected
      from ledger_transfers
      where provider_id = o.provider_id and order_id = o.id
    ) l on true
    where o.provider_id = ${providerId}
      and ((o.updated_at >= ${from} and o.updated_at < ${to}) or o.id = any(${others}::uuid[]))
  `.execute(tx);
  return rows.map((row) => ({
    orderId: row.id,
    updatedAt: row.updated_at,
    price: clp(row.price),
    bookedPrice: clp(row.booked_price),
    collected: clp(row.collected),
    bookedCollected: clp(row.booked_collected),
  }));
}

/** What was last found not to agree: the orders that differ from the books, and the moments of lines that differ. */
export async function selectDiffering(
  db: Database,
  providerId: string,
): Promise<{ readonly orders: OrderHash[]; readonly moments: Date[] }> {
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

/**
 * The first day that some party's list was never compared for, in America/Santiago: that of the last run that had it, or of
 * the first movement that was booked. `null` where nothing was.
 */
export async function selectComparedUntil(db: Database, providerId: string): Promise<CalendarDay | null> {
  const { rows } = await sql<{ day: string | null; first_at: Date | null }>`
    select
      case when count(*) filter (where listed.day is null) > 0 then null else min(listed.day)::text end as day,
      (select min(at) from ledger_transfers where provider_id = ${providerId}) as first_at
    from (
      select party.name, (
        select max(r.day) from reconciliation_runs r
        where r.provider_id = ${providerId} and not r.unavailable @> to_jsonb(party.name)
      ) as day
      from unnest(${[...LISTING_PARTIES]}::text[]) as party (name)
    ) as listed
  `.execute(db);
  const [{ day = null, first_at: firstAt = null } = {}] = rows;
  return day ?? (firstAt === null ? null : santiagoDay(firstAt));
}

/** Ids of everything of a provider that is under way: payments, refunds with their movements, payouts; and their orders. */
export async function selectUnresolved(tx: Transaction, providerId: string): Promise<Set<string>> {
  const { rows } = await sql<{ id: string; order_id: string | null }>`
    select id, order_id from payment_attempts where provider_id = ${providerId} and ended_at is null
    union all
    select id, order_id from order_payments where provider_id = ${providerId} and status = 'processing'
    union all
    select m.id, m.order_id from refund_movements m
      join order_refunds r on r.provider_id = m.provider_id and r.order_id = m.order_id and r.id = m.refund_id
      where m.provider_id = ${providerId} and r.status = 'processing'
    union all
    select id, order_id from order_refunds where provider_id = ${providerId} and status = 'processing'
    union all
    select id, null from payouts where provider_id = ${providerId} and state = 'sending'
  `.execute(tx);
  return new Set(rows.flatMap(({ id, order_id }) => (order_id === null ? [id] : [id, order_id])));
}

/** The chargebacks of which a person has said who bears them, by the processor's ids. */
export async function selectSettledChargebacks(tx: Transaction, providerId: string): Promise<Set<string>> {
  const rows = await tx
    .selectFrom("chargebacks")
    .select("id")
    .where("provider_id", "=", providerId)
    .where((where) => where.or([where("won_at", "is not", null), where("lost_at", "is not", null)]))
    .execute();
  return new Set(rows.map(({ id }) => id));
}

export interface RunToKeep {
  readonly providerId: string;
  readonly day: CalendarDay;
  /** What was compared. */
  readonly periods: readonly { readonly from: Date; readonly to: Date }[];
  /** The provider's time. */
  readonly at: Date;
  readonly differences: readonly Difference[];
  readonly unavailable: readonly ReconciledParty[];
  /** What was left out, because its end is not known. */
  readonly unresolved: readonly string[];
}

/**
 * Keeps what a daily run found: what is new, or as it was not before, what is still there, and (of parties that answered, in
 * the days that were looked at) what is gone. Orders that differed are looked at again however long ago that was.
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
      and not (reference = any(${unresolved}::text[]))
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
        // What was gone, or has other amounts, has happened again: whoever put it aside has not seen this.
        first_seen_at: sql<Date>`case when reconciliation_differences.gone_at is not null
            or reconciliation_differences.expected is distinct from excluded.expected
            or reconciliation_differences.found is distinct from excluded.found
          then excluded.first_seen_at else reconciliation_differences.first_seen_at end`,
      }),
    )
    .execute();
}
