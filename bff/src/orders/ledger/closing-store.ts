import { type RawBuilder, sql } from "kysely";
import { type Clp, clp } from "../../contract/vocabulary/clp.ts";
import { LOCK_CLASSES } from "../../platform/database/lock-classes.ts";
import type { Database, Transaction } from "../../platform/database/transaction.ts";
import type { ExceptionRow } from "../../platform/exceptions.ts";
import type { LedgerAccount } from "./transfers.ts";

/** Waits for running bookings of a provider and blocks new ones until the transaction ends. */
export async function lockLedger(tx: Transaction, providerId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(${LOCK_CLASSES.closing}::int, hashtext(${providerId}))`.execute(tx);
}

/** The end of a provider's closed days; null if there are none. */
export async function selectClosedBefore(db: Database, providerId: string): Promise<Date | null> {
  const row = await db
    .selectFrom("ledger_closings")
    .select("closed_before")
    .where("provider_id", "=", providerId)
    .executeTakeFirst();
  return row?.closed_before ?? null;
}

/** When a provider's first row was booked; `null` if there is none. */
export async function selectFirstBookedAt(db: Database, providerId: string): Promise<Date | null> {
  const row = await db
    .selectFrom("ledger_transfers")
    .select("at")
    .where("provider_id", "=", providerId)
    .orderBy("at")
    .limit(1)
    .executeTakeFirst();
  return row?.at ?? null;
}

/**
 * Adds the rows booked after the closed days, and before a moment, to the stored balances. The caller has locked the
 * ledger. Days that are already closed do not change.
 */
export async function addToClosed(tx: Transaction, providerId: string, before: Date): Promise<void> {
  await sql`
    insert into ledger_closings (provider_id, closed_before) values (${providerId}, 'epoch')
    on conflict (provider_id) do nothing`.execute(tx);
  await sql`
    insert into ledger_balances as kept (provider_id, account, balance)
    select t.provider_id, side.account, sum(side.amount)
    from ledger_closings c
      join ledger_transfers t on t.provider_id = c.provider_id and t.at >= c.closed_before and t.at < ${before}
      cross join lateral (values (t.debit, t.amount), (t.credit, -t.amount)) as side (account, amount)
    where c.provider_id = ${providerId}
    group by t.provider_id, side.account
    on conflict (provider_id, account) do update set balance = kept.balance + excluded.balance`.execute(tx);
  await sql`
    update ledger_closings set closed_before = ${before}
    where provider_id = ${providerId} and closed_before < ${before}`.execute(tx);
}

/** The stored balance of each account. */
export async function selectKept(db: Database, providerId: string): Promise<Map<LedgerAccount, Clp>> {
  const { rows } = await sql<SumRow>`
    select account, balance from ledger_balances where provider_id = ${providerId}`.execute(db);
  return toSums(rows);
}

/** Debits less credits of each account over the rows booked in [from, to). */
export async function selectSums(
  db: Database,
  { providerId, from, to }: { readonly providerId: string; readonly from: Date; readonly to: Date },
): Promise<Map<LedgerAccount, Clp>> {
  const { rows } = await sql<SumRow>`
    select side.account, sum(side.amount) as balance
    from ledger_transfers t
      cross join lateral (values (t.debit, t.amount), (t.credit, -t.amount)) as side (account, amount)
    where t.provider_id = ${providerId} and t.at >= ${from} and t.at < ${to}
    group by side.account`.execute(db);
  return toSums(rows);
}

interface SumRow {
  account: LedgerAccount;
  balance: number;
}

function toSums(rows: readonly SumRow[]): Map<LedgerAccount, Clp> {
  return new Map(rows.map(({ account, balance }) => [account, clp(balance)]));
}

/** An account whose stored balance differs from the sum of its rows. */
export interface BalanceDifference {
  readonly account: LedgerAccount;
  readonly kept: Clp;
  readonly booked: Clp;
}

/** Replaces the result of the last check. An unchanged difference keeps its date. */
export async function keepBalanceDifferences(
  tx: Transaction,
  { providerId, differences, at }: { providerId: string; differences: readonly BalanceDifference[]; at: Date },
): Promise<void> {
  const accounts = differences.map(({ account }) => account);
  await sql`
    delete from ledger_balance_differences
    where provider_id = ${providerId} and not (account = any(${accounts}::text[]))`.execute(tx);
  await sql`
    insert into ledger_balance_differences as d (provider_id, account, kept, booked, found_at)
    select ${providerId}::uuid, account, kept, booked, ${at}::timestamptz
    from unnest(${accounts}::text[], ${differences.map(({ kept }) => kept)}::bigint[],
      ${differences.map(({ booked }) => booked)}::bigint[]) as found (account, kept, booked)
    on conflict (provider_id, account) do update
      set kept = excluded.kept, booked = excluded.booked, found_at = excluded.found_at
      where (d.kept, d.booked) <> (excluded.kept, excluded.booked)`.execute(tx);
}

/** Reopens the closed days: drops the stored balances and the last check. The caller has locked the ledger. */
export async function forgetClosed(tx: Transaction, providerId: string): Promise<void> {
  await tx.deleteFrom("ledger_balance_differences").where("provider_id", "=", providerId).execute();
  await tx.deleteFrom("ledger_balances").where("provider_id", "=", providerId).execute();
  await tx.deleteFrom("ledger_closings").where("provider_id", "=", providerId).execute();
}

/** Balances that differ from their rows, for the operators' list. */
export const differingBalances: RawBuilder<ExceptionRow> = sql`
  select 'balance_differs' as kind, provider_id, account as subject, null::uuid as order_id, found_at as since,
    jsonb_build_object('kept', kept, 'booked', booked) as facts
  from ledger_balance_differences`;
