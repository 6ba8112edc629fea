import { sql } from "kysely";
import { type Clp, clp } from "../../contract/vocabulary/clp.ts";
import type { OrderId } from "../../contract/vocabulary/identifiers.ts";
import type { Database } from "../../platform/database/transaction.ts";
import type { Period } from "../books.ts";
import type { LedgerAccount } from "./transfers.ts";

/** The debits and credits of an account. */
export interface AccountSums {
  readonly account: LedgerAccount;
  readonly debit: Clp;
  readonly credit: Clp;
}

/** Debits and credits of each account of these providers, in transfers booked before a moment. */
export async function selectAccountSums(
  db: Database,
  { providerIds, before }: { readonly providerIds: readonly string[]; readonly before: Date },
): Promise<AccountSums[]> {
  const { rows } = await sql<{ account: LedgerAccount; debit: number; credit: number }>`
    select side.account, sum(side.debit) as debit, sum(side.credit) as credit
    from (
      select debit, credit, sum(amount) as amount from ledger_transfers
      where provider_id = any(${[...providerIds]}::uuid[]) and at < ${before}
      group by debit, credit
    ) as t
      cross join lateral (values (t.debit, t.amount, 0), (t.credit, 0, t.amount)) as side (account, debit, credit)
    group by side.account
  `.execute(db);
  return rows.map(({ account, debit, credit }) => ({ account, debit: clp(debit), credit: clp(credit) }));
}

/** The amount owed for the orders of a payee, in transfers booked before a moment. */
export interface OwedBefore {
  /** Null for the orders of the provider itself. */
  readonly centerId: string | null;
  readonly owed: Clp;
}

/** The balance owed to a provider and to each of its centres, payouts deducted. */
export async function selectOwedBefore(
  db: Database,
  { providerId, before }: { readonly providerId: string; readonly before: Date },
): Promise<OwedBefore[]> {
  const { rows } = await sql<{ center_id: string | null; owed: number }>`
    select o.center_id, sum(case when t.credit = 'order' then t.amount else -t.amount end) as owed
    from ledger_transfers t join orders o on o.provider_id = t.provider_id and o.id = t.order_id
    where t.provider_id = ${providerId} and t.at < ${before} and 'order' in (t.debit, t.credit)
    group by o.center_id
  `.execute(db);
  return rows.map(({ center_id, owed }) => ({ centerId: center_id, owed: clp(owed) }));
}

/** The kinds of movements of a clinic's account, by the first word of their cause. */
const KINDS = {
  capture: "sale",
  loan: "sale",
  payout: "payout",
  "payout-fee": "fee",
  "payout-fee-vat": "fee_vat",
  "payout-return": "payout_returned",
  "payout-fee-return": "fee",
  "payout-fee-vat-return": "fee_vat",
} as const;

/** `sale_returned`: a first instalment that went back because the credit was refused. */
export type MovementKind = (typeof KINDS)[keyof typeof KINDS] | "refund" | "sale_returned";

/** Something that changed what a clinic is owed for an order. */
export interface OwedMovement {
  readonly at: Date;
  readonly centerId: string | null;
  readonly orderId: OrderId;
  /** The clinic's own reference of the order. */
  readonly reference: string;
  readonly kind: MovementKind;
  /** The clinic's own reference of the refund; null if it gave none. */
  readonly refundReference: string | null;
  readonly payoutId: string | null;
  /** Positive: owed to the clinic. */
  readonly amount: Clp;
}

/** What the parts of one event share, as SQL. Parts that follow each other have the same `position - part`. */
const EVENT = sql`order_id, kind, refund_id, payout_id, is_returned, day`;
const BOOKED = sql`at, order_id, kind desc, refund_id, cause`;

/**
 * The movements of a provider's orders in [from, to), oldest first: the first `movementsMax`, if it is given. The parts
 * of one event are one movement, unless another movement of the account, or midnight in Santiago, is between them: so
 * every balance after a movement existed.
 */
export async function selectOwedMovements(
  db: Database,
  { providerId, from, to, movementsMax = null }: Period & { readonly movementsMax?: number | null },
): Promise<OwedMovement[]> {
  const { rows } = await sql<{
    at: Date;
    center_id: string | null;
    order_id: OrderId;
    reference: string;
    kind: MovementKind;
    refund_reference: string | null;
    payout_id: string | null;
    amount: number;
  }>`
    select max(at) as at, center_id, order_id, reference, kind, refund_reference, payout_id, sum(amount) as amount
    from (
      select *, row_number() over (partition by center_id order by ${BOOKED}) as position,
        row_number() over (partition by ${EVENT} order by ${BOOKED}) as part
      from (
        select l.order_id, l.at, l.cause, (l.at at time zone 'America/Santiago')::date as day, o.center_id,
          o.reference, m.refund_id, r.refund_reference,
          coalesce(k.kind, case when m.refund_id is null then 'sale_returned' else 'refund' end) as kind,
          case when k.kind is not null and k.kind <> 'sale' then split_part(l.cause, ':', 2) end as payout_id,
          split_part(l.cause, ':', 1) like 'payout%-return' as is_returned,
          case when l.credit = 'order' then l.amount else -l.amount end as amount
        from ledger_transfers l
          join orders o on o.provider_id = l.provider_id and o.id = l.order_id
          left join unnest(${Object.keys(KINDS)}::text[], ${Object.values(KINDS)}::text[]) as k (cause, kind)
            on k.cause = split_part(l.cause, ':', 1)
          left join refund_movements m on k.kind is null and m.provider_id = l.provider_id
            and m.order_id = l.order_id and m.id::text = split_part(l.cause, ':', 2)
          left join order_refunds r on r.provider_id = l.provider_id and r.order_id = l.order_id
            and r.id = m.refund_id
        where l.provider_id = ${providerId} and l.at >= ${from} and l.at < ${to} and 'order' in (l.debit, l.credit)
      ) as booked
    ) as numbered
    group by center_id, reference, refund_reference, ${EVENT}, position - part
    order by max(at), center_id, max(position)
    limit ${movementsMax}::bigint
  `.execute(db);
  return rows.map((row) => ({
    at: row.at,
    centerId: row.center_id,
    orderId: row.order_id,
    reference: row.reference,
    kind: row.kind,
    refundReference: row.refund_reference,
    payoutId: row.payout_id,
    amount: clp(row.amount),
  }));
}
