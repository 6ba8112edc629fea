import { sql } from "kysely";
import { type Clp, clp } from "../contract/vocabulary/clp.ts";
import type { OrderHash } from "../contract/vocabulary/identifiers.ts";
import type { Database } from "../platform/database/transaction.ts";
import type { Ids } from "../platform/ids.ts";
import type { LedgerAccount } from "./accounts.ts";

/** One movement of money, as one row. The table itself comes with the orders, which write most of it. */
export interface LedgerTransfer {
  readonly providerId: string;
  readonly orderId: OrderHash;
  readonly debit: LedgerAccount;
  readonly credit: LedgerAccount;
  /** More than nothing. */
  readonly amount: Clp;
  /** Once per provider. */
  readonly cause: string;
  /** In the provider's time. */
  readonly at: Date;
}

/** Books movements; a cause that was booked before breaks `ledger_transfers_cause_key`. */
export async function insertTransfers(tx: Database, ids: Ids, transfers: readonly LedgerTransfer[]): Promise<void> {
  const column = <Value>(read: (transfer: LedgerTransfer) => Value) => transfers.map(read);
  await sql`
    insert into ledger_transfers (id, provider_id, order_id, debit, credit, amount, cause, at)
    select * from unnest(
      ${column(() => ids.uuid())}::uuid[], ${column((one) => one.providerId)}::uuid[],
      ${column((one) => one.orderId)}::uuid[], ${column((one) => one.debit)}::text[],
      ${column((one) => one.credit)}::text[], ${column((one) => one.amount)}::bigint[],
      ${column((one) => one.cause)}::text[], ${column((one) => one.at)}::timestamptz[])
  `.execute(tx);
}

/** Debits less credits of each account of a provider that anything was ever booked on. */
export async function selectBalances(
  db: Database,
  providerId: string,
): Promise<{ account: LedgerAccount; balance: Clp }[]> {
  const { rows } = await sql<{ account: LedgerAccount; balance: number }>`
    select account, sum(amount) as balance
    from (
      select debit as account, amount from ledger_transfers where provider_id = ${providerId}
      union all
      select credit, -amount from ledger_transfers where provider_id = ${providerId}
    ) as sides
    group by account order by account
  `.execute(db);
  return rows.map(({ account, balance }) => ({ account, balance: clp(balance) }));
}

/** What the clinic is owed for each of these orders out of what was booked before a moment, payouts and fees left aside. */
export async function selectOwed(
  db: Database,
  { providerId, orderIds, before }: { providerId: string; orderIds: readonly OrderHash[]; before: Date },
): Promise<Map<OrderHash, Clp>> {
  const { rows } = await sql<{ order_id: OrderHash; owed: number }>`
    select order_id, sum(case when credit = 'order' then amount else -amount end) as owed
    from ledger_transfers
    where provider_id = ${providerId} and order_id = any(${orderIds}::uuid[]) and at < ${before}
      and ((credit = 'order' and debit in ('card_processor', 'financing_provider'))
        or (debit = 'order' and credit in ('card_processor', 'financing_provider', 'paid_by_hand')))
    group by order_id
  `.execute(db);
  return new Map(rows.map(({ order_id, owed }) => [order_id, clp(owed)]));
}
