import { type RawBuilder, sql } from "kysely";
import { type Clp, clp } from "../../contract/vocabulary/clp.ts";
import type { OrderId } from "../../contract/vocabulary/identifiers.ts";
import type { Database, Transaction } from "../../platform/database/transaction.ts";
import type { ExceptionRow } from "../../platform/exceptions.ts";
import { otherConnector } from "../../platform/party-connector-store.ts";

/** The cancellation of a loan that the books do not have. */
export interface LoanCancellation {
  readonly id: string;
  readonly providerId: string;
  /** The reconciliation's name for the loan. */
  readonly reference: string;
  readonly orderId: OrderId | null;
  readonly amount: Clp;
  /** The moment from which the lender lists it. */
  readonly listedFrom: Date;
  readonly state: "sending" | "cancelled" | "refused";
  /** The connector that takes its call; null before it is sent. */
  readonly connector: string | null;
}

/** Records that a loan is to be cancelled. Returns false if it was already recorded. */
export async function insertLoanCancellation(
  tx: Transaction,
  { id, providerId, reference, orderId, amount, listedFrom }: Omit<LoanCancellation, "state" | "connector">,
  at: Date,
): Promise<boolean> {
  const result = await tx
    .insertInto("loan_cancellations")
    .values({
      id,
      provider_id: providerId,
      reference,
      order_id: orderId,
      amount,
      listed_from: listedFrom,
      requested_at: at,
    })
    .onConflict((conflict) => conflict.columns(["provider_id", "reference"]).doNothing())
    .executeTakeFirst();
  return result.numInsertedOrUpdatedRows === 1n;
}

/** Reads a cancellation, and records `connector` as the one that takes its call if none is recorded. */
export async function takeUpLoanCancellation(
  db: Database,
  { providerId, id }: Pick<LoanCancellation, "providerId" | "id">,
  connector: string,
): Promise<LoanCancellation | null> {
  const row = await db
    .updateTable("loan_cancellations")
    .set({ connector: sql`coalesce(connector, ${connector})` })
    .where("provider_id", "=", providerId)
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) return null;
  const { reference, order_id: orderId, amount, listed_from: listedFrom, state, connector: taken } = row;
  return { id, providerId, reference, orderId, amount: clp(amount), listedFrom, state, connector: taken };
}

/** Ends a cancellation in progress. Returns whether it was in progress. */
export async function endLoanCancellation(
  tx: Transaction,
  { id }: Pick<LoanCancellation, "id">,
  { state, at }: { readonly state: "cancelled" | "refused"; readonly at: Date },
): Promise<boolean> {
  const result = await tx
    .updateTable("loan_cancellations")
    .set({ state, ended_at: at })
    .where("id", "=", id)
    .where("state", "=", "sending")
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** Counts an inquiry without an answer. Returns the new count. */
export async function countCancellationInquiry(db: Database, { id }: Pick<LoanCancellation, "id">): Promise<number> {
  const row = await db
    .updateTable("loan_cancellations")
    .set({ inquiries: sql`inquiries + 1` })
    .where("id", "=", id)
    .returning("inquiries")
    .executeTakeFirst();
  return row?.inquiries ?? 1;
}

/** The names of a provider's loans that are being cancelled. */
export async function selectLoansBeingCancelled(tx: Transaction, providerId: string): Promise<string[]> {
  const rows = await tx
    .selectFrom("loan_cancellations")
    .select("reference")
    .where("provider_id", "=", providerId)
    .where("state", "=", "sending")
    .execute();
  return rows.map(({ reference }) => reference);
}

/** Cancellations with an unknown outcome. */
export const unansweredCancellations: RawBuilder<ExceptionRow> = sql`
  select 'outcome_unknown' as kind, provider_id, id::text as subject, order_id, requested_at as since,
    jsonb_strip_nulls(jsonb_build_object('of', 'loan_cancellation', 'connector', elsewhere)) as facts
  from (select *, ${otherConnector(sql`connector`, "financingProvider")} as elsewhere from loan_cancellations
    where state = 'sending') as c
  where inquiries > 0 or elsewhere is not null`;
