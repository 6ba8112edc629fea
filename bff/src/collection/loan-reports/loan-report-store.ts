import { type RawBuilder, sql } from "kysely";
import { type Clp, clp } from "../../contract/vocabulary/clp.ts";
import type { LoanReportsRow } from "../../platform/database/tables.ts";
import type { Database, Transaction } from "../../platform/database/transaction.ts";
import type { ExceptionRow } from "../../platform/exceptions.ts";
import type { CollectionKey } from "../collection.ts";

/** A report about a loan that the lender has not received yet. */
export interface LoanReport {
  /** Its number among the order's reports. */
  readonly number: number;
  readonly end: LoanReportsRow["loan_end"];
  readonly amount: Clp;
}

/** Inserts a report after the order's others, and returns its number. The caller has locked the order. */
export async function insertReport(
  tx: Transaction,
  { providerId, orderId }: CollectionKey,
  { end, amount, at }: Omit<LoanReport, "number"> & { readonly at: Date },
): Promise<number> {
  const { rows } = await sql<{ number: number }>`
    insert into loan_reports (provider_id, order_id, number, loan_end, amount, ended_at)
    select ${providerId}, ${orderId}, coalesce(max(number), 0) + 1, ${end}, ${amount}, ${at}
    from loan_reports where provider_id = ${providerId} and order_id = ${orderId}
    returning number
  `.execute(tx);
  return rows[0]?.number ?? 0;
}

/**
 * The order's reports that the lender has not confirmed, oldest first, marked as sent at `at`. `mayHaveArrived`: the
 * first was sent before.
 */
export async function takeUpReports(
  tx: Transaction,
  { providerId, orderId }: CollectionKey,
  at: Date,
): Promise<{ readonly reports: readonly LoanReport[]; readonly mayHaveArrived: boolean }> {
  const rows = await tx
    .selectFrom("loan_reports")
    .select(["number", "loan_end", "amount", "called_at"])
    .where("provider_id", "=", providerId)
    .where("order_id", "=", orderId)
    .where("reported_at", "is", null)
    .orderBy("number")
    .forUpdate()
    .execute();
  await sql`
    update loan_reports set called_at = coalesce(called_at, ${at})
    where provider_id = ${providerId} and order_id = ${orderId} and reported_at is null
  `.execute(tx);
  const reports = rows.map(({ number, loan_end: end, amount }) => ({ number, end, amount: clp(amount) }));
  return { reports, mayHaveArrived: rows[0]?.called_at != null };
}

/** Records that the lender has a report. Returns whether this call was the first to do so. */
export async function writeReported(
  tx: Transaction,
  { providerId, orderId }: CollectionKey,
  number: number,
  at: Date,
): Promise<boolean> {
  const result = await tx
    .updateTable("loan_reports")
    .set({ reported_at: at })
    .where("provider_id", "=", providerId)
    .where("order_id", "=", orderId)
    .where("number", "=", number)
    .where("reported_at", "is", null)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** Counts an inquiry without an answer. Returns the number so far. */
export async function countReportInquiry(
  db: Database,
  { providerId, orderId }: CollectionKey,
  number: number,
): Promise<number> {
  const row = await db
    .updateTable("loan_reports")
    .set({ inquiries: sql`inquiries + 1` })
    .where("provider_id", "=", providerId)
    .where("order_id", "=", orderId)
    .where("number", "=", number)
    .returning("inquiries")
    .executeTakeFirst();
  return row?.inquiries ?? 0;
}

/** Loans whose end the lender has not confirmed. */
export const unconfirmedReports: RawBuilder<ExceptionRow> = sql`
  select 'outcome_unknown' as kind, provider_id, order_id::text as subject, order_id, min(ended_at) as since,
    jsonb_build_object('of', 'loan_report') as facts
  from loan_reports where reported_at is null group by provider_id, order_id`;
