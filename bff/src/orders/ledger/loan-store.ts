import { sql } from "kysely";
import { type Clp, clp } from "../../contract/vocabulary/clp.ts";
import type { OrderId } from "../../contract/vocabulary/identifiers.ts";
import type { Rut } from "../../contract/vocabulary/rut.ts";
import type { Database } from "../../platform/database/transaction.ts";

/** The loan of an order as the ledger has it at a moment. Amounts are capital, without commission. */
export interface LoanAt {
  readonly providerId: string;
  readonly orderId: OrderId;
  readonly debtor: Rut;
  /** The lender's id of the loan; null for loans of before it was stored. */
  readonly loanId: string | null;
  readonly paidAt: Date;
  readonly lent: Clp;
  readonly outstanding: Clp;
  readonly writtenOff: Clp;
  /** The part that the patient has repaid, by card or otherwise. */
  readonly repaid: Clp;
  /** When it was last reduced, repaid or written off; null if never. */
  readonly changedAt: Date | null;
}

/** The loans of these providers that are outstanding before a moment, or ended from `endedSince` on; oldest first. */
export async function selectLoansAt(
  db: Database,
  requested: { readonly providerIds: readonly string[]; readonly before: Date; readonly endedSince: Date },
): Promise<LoanAt[]> {
  const { providerIds, before, endedSince } = requested;
  const { rows } = await sql<{
    provider_id: string;
    order_id: OrderId;
    customer_rut: Rut;
    loan_id: string | null;
    paid_at: Date;
    lent: number;
    outstanding: number;
    written_off: number;
    repaid: number;
    changed_at: Date | null;
  }>`
    select l.*, o.customer_rut, o.loan_id, o.paid_at
    from (
      select provider_id, order_id,
        sum(amount) filter (where cause like 'loan:%') as lent,
        sum(case when debit = 'financing_provider' then amount else -amount end) as outstanding,
        coalesce(sum(case when debit = 'written_off' then amount when credit = 'written_off' then -amount end), 0)
          as written_off,
        coalesce(sum(amount) filter (where credit = 'financing_provider'
          and debit in ('card_processor', 'paid_otherwise')), 0) as repaid,
        max(at) filter (where credit = 'financing_provider') as changed_at
      from ledger_transfers
      where provider_id = any(${[...providerIds]}::uuid[]) and at < ${before}
        and 'financing_provider' in (debit, credit)
      group by provider_id, order_id
    ) as l join orders as o on o.provider_id = l.provider_id and o.id = l.order_id
    where l.lent > 0 and o.paid_at is not null and (l.outstanding > 0 or l.changed_at >= ${endedSince})
    order by o.paid_at, l.order_id
  `.execute(db);
  return rows.map((row) => ({
    providerId: row.provider_id,
    orderId: row.order_id,
    debtor: row.customer_rut,
    loanId: row.loan_id,
    paidAt: row.paid_at,
    lent: clp(row.lent),
    outstanding: clp(row.outstanding),
    writtenOff: clp(row.written_off),
    repaid: clp(row.repaid),
    changedAt: row.changed_at,
  }));
}
