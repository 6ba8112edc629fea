import { type RawBuilder, sql } from "kysely";
import type { Database } from "../../platform/database/transaction.ts";
import { type Ids, orderedId } from "../../platform/ids.ts";
import type { Transfer } from "./transfers.ts";

/**
 * Condition on a ledger row: it changes what the clinic is owed for its order. A payout and its fee only pay that debt.
 */
export const changesOwed: RawBuilder<boolean> = sql`
  ('order' in (debit, credit) and not debit in ('bank', 'payout_fee', 'payout_fee_vat')
    and not credit in ('bank', 'payout_fee', 'payout_fee_vat'))`;

/**
 * Books transfers, in the transaction that records their movements. Skips transfers of 0. A cause that was booked
 * before violates `ledger_transfers_cause_key`.
 */
export async function recordTransfers(tx: Database, ids: Ids, transfers: readonly Transfer[]): Promise<void> {
  if (transfers.every(({ amount }) => amount === 0)) return;
  await sql`with given as (select 1) ${transfersWith("given", ids, transfers)}`.execute(tx);
}

/** The body of a CTE that books transfers, except those of 0. Books nothing if the CTE `source` has no row. */
export function transfersWith(source: string, ids: Ids, transfers: readonly Transfer[]): RawBuilder<unknown> {
  const booked = transfers.filter(({ amount }) => amount > 0);
  if (booked.length === 0) return sql`select 1`;
  const column = <Value>(read: (transfer: Transfer) => Value) => booked.map(read);
  return sql`
    insert into ledger_transfers (id, provider_id, order_id, debit, credit, amount, cause, at)
    select * from unnest(
      ${column(({ at }) => orderedId(ids.uuid(), at))}::uuid[], ${column((one) => one.providerId)}::uuid[],
      ${column((one) => one.orderId)}::uuid[], ${column((one) => one.debit)}::text[],
      ${column((one) => one.credit)}::text[], ${column((one) => one.amount)}::bigint[],
      ${column((one) => one.cause)}::text[], ${column((one) => one.at)}::timestamptz[])
    where exists (select from ${sql.table(source)})`;
}
