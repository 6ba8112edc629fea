import { sql } from "kysely";
import { type Clp, clp } from "../../contract/vocabulary/clp.ts";
import type { OrderId } from "../../contract/vocabulary/identifiers.ts";
import type { Database, Transaction } from "../../platform/database/transaction.ts";
import type { BookedRow, OrderSums, Period } from "../books.ts";
import { commissionOn } from "../quote.ts";
import { changesOwed } from "./transfer-store.ts";
import type { LedgerAccount } from "./transfers.ts";

interface RawBookedRow {
  order_id: OrderId | null;
  debit: LedgerAccount;
  credit: LedgerAccount;
  amount: number;
  cause: string;
  at: Date;
}

/** The ledger rows booked in [from, to). */
export async function selectBookedRows(tx: Transaction, { providerId, from, to }: Period): Promise<BookedRow[]> {
  const { rows } = await sql<RawBookedRow>`
    select order_id, debit, credit, amount, cause, at from ledger_transfers
    where provider_id = ${providerId} and at >= ${from} and at < ${to}
  `.execute(tx);
  return rows.map(toBookedRow);
}

/** The ledger rows that change the amount lent for these orders. */
export async function selectLent(
  tx: Transaction,
  { providerId, orderIds }: { providerId: string; orderIds: readonly OrderId[] },
): Promise<BookedRow[]> {
  const { rows } = await sql<RawBookedRow>`
    select order_id, debit, credit, amount, cause, at from ledger_transfers
    where provider_id = ${providerId} and order_id = any(${orderIds}::uuid[])
      and (debit = 'financing_provider' or (debit = 'order' and credit = 'financing_provider'))
  `.execute(tx);
  return rows.map(toBookedRow);
}

/** Debits less credits of one account for one order. */
export async function selectOrderBalance(
  db: Database,
  { providerId, orderId }: { readonly providerId: string; readonly orderId: OrderId },
  account: LedgerAccount,
): Promise<Clp> {
  const { rows } = await sql<{ balance: number | null }>`
    select sum(case when debit = ${account} then amount else -amount end) as balance
    from ledger_transfers
    where provider_id = ${providerId} and order_id = ${orderId} and ${account} in (debit, credit)
  `.execute(db);
  return clp(rows[0]?.balance ?? 0);
}

function toBookedRow({ order_id, debit, credit, amount, cause, at }: RawBookedRow): BookedRow {
  return { orderId: order_id, debit, credit, amount: clp(amount), cause, at };
}

/** The ledger rows of these orders with the card processor as debit or credit account, whenever they were booked. */
export async function selectOnCards(
  tx: Transaction,
  { providerId, orderIds }: { providerId: string; orderIds: readonly OrderId[] },
): Promise<BookedRow[]> {
  const { rows } = await sql<RawBookedRow>`
    select order_id, debit, credit, amount, cause, at from ledger_transfers
    where provider_id = ${providerId} and order_id = any(${orderIds}::uuid[]) and 'card_processor' in (debit, credit)
  `.execute(tx);
  return rows.map(toBookedRow);
}

/** Sums per order, from the order's tables and from the ledger, for orders updated in [from, to) and for `others`. */
export async function selectOrderSums(
  tx: Transaction,
  { providerId, from, to }: Period,
  others: readonly OrderId[],
): Promise<OrderSums[]> {
  const { rows } = await sql<{
    id: OrderId;
    updated_at: Date;
    price: number;
    booked_price: number;
    collected: number;
    booked_collected: number;
    patient_excess: number;
    commission_kept: number;
    total: number;
    refunded: number;
    commission_basis_points: number;
  }>`
    select o.id, o.updated_at,
      case when o.paid_at is null then 0 else o.total - o.refunded end as price,
      coalesce(l.price, 0) as booked_price, coalesce(p.collected, 0) as collected, coalesce(l.collected, 0) as booked_collected,
      coalesce(h.patient_excess, 0) as patient_excess, coalesce(h.commission_kept, 0) as commission_kept,
      o.total, o.refunded, o.commission_basis_points
    from orders o
    left join lateral (
      select sum(amount) as collected from (
        select amount - returned as amount from order_payments
        where provider_id = o.provider_id and order_id = o.id and kind = 'deferred' and status = 'captured'
        union all
        select amount from payments_otherwise where provider_id = o.provider_id and order_id = o.id) as paid
    ) p on true
    left join lateral (
      select sum(excess) as patient_excess, sum(commission) as commission_kept from (
        select greatest(returned + disputed - amount, 0) as excess, commission - commission_return_accepted as commission
        from order_payments
        where provider_id = o.provider_id and order_id = o.id and status = 'captured'
        union all
        select 0, commission - commission_return_accepted
        from payments_otherwise where provider_id = o.provider_id and order_id = o.id) as held
    ) h on true
    left join lateral (
      select
        sum(case when credit = 'order' then amount else -amount end)
          filter (where ${changesOwed}) as price,
        sum(case when credit = 'card_processor' then -amount else amount end)
          filter (where cause like 'collection:%' or cause like 'commission:%' or cause like 'commission-return:%'
            or cause like 'vat:%' or cause like 'vat-return:%'
            or cause like 'otherwise:%' or cause like 'commission-otherwise:%' or cause like 'vat-otherwise:%'
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
    patientExcess: clp(row.patient_excess),
    commissionKept: clp(row.commission_kept),
    commissionDue: commissionOn(clp(row.total), clp(row.refunded), row.commission_basis_points),
  }));
}

/** Ids of a provider's unfinished payments, refunds and refund movements, and of their orders. */
export async function selectUnderWay(tx: Transaction, providerId: string): Promise<string[]> {
  const { rows } = await sql<{ id: string; order_id: string }>`
    select id, order_id from payment_attempts where provider_id = ${providerId} and ended_at is null
    union all
    select id, order_id from order_payments where provider_id = ${providerId} and status = 'processing'
    union all
    select m.id, m.order_id from refund_movements m
      join order_refunds r on r.provider_id = m.provider_id and r.order_id = m.order_id and r.id = m.refund_id
      where m.provider_id = ${providerId} and r.status = 'processing'
    union all
    select id, order_id from order_refunds where provider_id = ${providerId} and status = 'processing'
  `.execute(tx);
  return rows.flatMap(({ id, order_id }) => [id, order_id]);
}

/** When a patient of the provider first began to pay; null if none has. */
export async function selectFirstPaymentAt(db: Database, providerId: string): Promise<Date | null> {
  const row = await db
    .selectFrom("payment_attempts")
    .select((select) => select.fn.min("started_at").as("at"))
    .where("provider_id", "=", providerId)
    .executeTakeFirst();
  return row?.at ?? null;
}
