import { type RawBuilder, sql } from "kysely";
import { type Clp, clp } from "../../contract/vocabulary/clp.ts";
import type { OrderId } from "../../contract/vocabulary/identifiers.ts";
import type { Database } from "../../platform/database/transaction.ts";
import { changesOwed } from "./transfer-store.ts";
import type { LedgerAccount } from "./transfers.ts";

/**
 * Debits less credits of each account of a provider that has any transfer: the stored balance of the closed days plus
 * the rows since. `at < 'infinity'` excludes nothing; without an upper bound PostgreSQL estimates a third of all rows.
 */
export async function selectBalances(
  db: Database,
  providerId: string,
): Promise<{ account: LedgerAccount; balance: Clp }[]> {
  const { rows } = await sql<{ account: LedgerAccount; balance: number }>`
    select account, sum(amount) as balance
    from (
      select account, balance as amount from ledger_balances where provider_id = ${providerId}
      union all
      select side.account, side.amount
      from ledger_transfers t
        cross join lateral (values (t.debit, t.amount), (t.credit, -t.amount)) as side (account, amount)
      where t.provider_id = ${providerId} and t.at < 'infinity' and t.at >= coalesce(
        (select closed_before from ledger_closings where provider_id = ${providerId}), '-infinity')
    ) as parts
    group by account
  `.execute(db);
  return rows.map(({ account, balance }) => ({ account, balance: clp(balance) }));
}

/** The amount owed to the clinic for each order, as SQL for another room's statement: `provider_id, order_id, owed`. */
export const owedForOrders: RawBuilder<unknown> = sql`
  select provider_id, order_id, sum(case when credit = 'order' then amount else -amount end) as owed
  from ledger_transfers where ${changesOwed} group by provider_id, order_id`;

/**
 * Each transfer that reduces what the clinic is owed, as SQL for another room's statement: `provider_id, order_id, at`.
 */
export const takenFromOrders: RawBuilder<unknown> = sql`
  select provider_id, order_id, at from ledger_transfers where ${changesOwed} and debit = 'order'`;

/**
 * The amount owed to the clinic for each of these orders, in transfers booked before a moment. Ignores payouts and
 * fees.
 */
export async function selectOwed(
  db: Database,
  { providerId, orderIds, before }: { providerId: string; orderIds: readonly OrderId[]; before: Date },
): Promise<Map<OrderId, Clp>> {
  const { rows } = await sql<{ order_id: OrderId; owed: number }>`
    select order_id, sum(case when credit = 'order' then amount else -amount end) as owed
    from ledger_transfers
    where provider_id = ${providerId} and order_id = any(${orderIds}::uuid[]) and at < ${before}
      and ${changesOwed}
    group by order_id
  `.execute(db);
  return new Map(rows.map(({ order_id, owed }) => [order_id, clp(owed)]));
}

/** Condition on a ledger row: a part of the loan was collected for the lender. */
const isCollected: RawBuilder<boolean> = sql`
  (credit = 'financing_provider' and debit in ('card_processor', 'paid_otherwise'))`;

/** The amount collected of each of these orders for the lender, in transfers booked before a moment. */
export async function selectCollected(
  db: Database,
  { providerId, orderIds, before }: { providerId: string; orderIds: readonly OrderId[]; before: Date },
): Promise<Map<OrderId, Clp>> {
  const { rows } = await sql<{ order_id: OrderId; collected: number }>`
    select order_id, sum(amount) as collected
    from ledger_transfers
    where provider_id = ${providerId} and order_id = any(${orderIds}::uuid[]) and at < ${before} and ${isCollected}
    group by order_id
  `.execute(db);
  return new Map(rows.map(({ order_id, collected }) => [order_id, clp(collected)]));
}

/** The provider's orders of which anything was collected for the lender. */
export async function selectCollectedOrders(db: Database, providerId: string): Promise<OrderId[]> {
  const { rows } = await sql<{ order_id: OrderId }>`
    select distinct order_id from ledger_transfers where provider_id = ${providerId} and ${isCollected}
  `.execute(db);
  return rows.map(({ order_id }) => order_id);
}
