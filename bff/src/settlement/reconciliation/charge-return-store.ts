import { type RawBuilder, sql } from "kysely";
import type { RefundRefusal } from "../../contract/errors.ts";
import { type Clp, clp } from "../../contract/vocabulary/clp.ts";
import type { OrderId } from "../../contract/vocabulary/identifiers.ts";
import type { Database, Transaction } from "../../platform/database/transaction.ts";
import type { ExceptionRow } from "../../platform/exceptions.ts";
import { otherConnector } from "../../platform/party-connector-store.ts";
import type { ReturnedCharge } from "./compare.ts";

/** The return of a charge that the books do not have. */
export interface ChargeReturn {
  readonly id: string;
  readonly providerId: string;
  /** The reconciliation's name for the charge. */
  readonly reference: string;
  readonly orderId: OrderId | null;
  readonly amount: Clp;
  readonly chargedAt: Date;
  readonly state: "sending" | "returned" | "refused";
  /** The connector that takes its call; null before it is sent. */
  readonly connector: string | null;
  /** Whether the processor has accepted the return. It reports the result later. */
  readonly isTaken: boolean;
}

/** Records that a charge is to be returned. Returns false if it was already recorded. */
export async function insertChargeReturn(
  tx: Transaction,
  { id, providerId, reference, orderId, amount, chargedAt }: Omit<ChargeReturn, "state" | "connector" | "isTaken">,
  at: Date,
): Promise<boolean> {
  const result = await tx
    .insertInto("charge_returns")
    .values({
      id,
      provider_id: providerId,
      reference,
      order_id: orderId,
      amount,
      charged_at: chargedAt,
      requested_at: at,
    })
    .onConflict((conflict) => conflict.columns(["provider_id", "reference"]).doNothing())
    .executeTakeFirst();
  return result.numInsertedOrUpdatedRows === 1n;
}

/** Reads a return, and records `connector` as the one that takes its call if none is recorded. */
export async function takeUpChargeReturn(
  db: Database,
  { providerId, id }: Pick<ChargeReturn, "providerId" | "id">,
  connector: string,
): Promise<ChargeReturn | null> {
  const row = await db
    .updateTable("charge_returns")
    .set({ connector: sql`coalesce(connector, ${connector})` })
    .where("provider_id", "=", providerId)
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) return null;
  const { reference, order_id: orderId, amount, charged_at: chargedAt, state, taken_at } = row;
  const given = { id, providerId, reference, orderId, amount: clp(amount), chargedAt };
  return { ...given, state, connector: row.connector, isTaken: taken_at !== null };
}

/** Records that the processor has accepted a return. Returns whether it was in progress. */
export async function writeChargeReturnAccepted(
  tx: Transaction,
  { id }: Pick<ChargeReturn, "id">,
  { takenAt, endsBy }: { readonly takenAt: Date; readonly endsBy: Date },
): Promise<boolean> {
  const result = await tx
    .updateTable("charge_returns")
    .set({ taken_at: takenAt, ends_by: endsBy, inquiries: 0 })
    .where("id", "=", id)
    .where("state", "=", "sending")
    .where("taken_at", "is", null)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** Ends a return in progress. Returns whether it was in progress. */
export async function endChargeReturn(
  tx: Transaction,
  { id }: Pick<ChargeReturn, "id">,
  ended: { readonly returnId: string | null; readonly refusal: RefundRefusal | null; readonly at: Date },
): Promise<boolean> {
  const { returnId, refusal, at } = ended;
  const state = returnId === null ? "refused" : "returned";
  const result = await tx
    .updateTable("charge_returns")
    .set({ state, return_id: returnId, refusal, ended_at: at })
    .where("id", "=", id)
    .where("state", "=", "sending")
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** Counts an inquiry without an answer. Returns the new count. */
export async function countReturnInquiry(db: Database, { id }: Pick<ChargeReturn, "id">): Promise<number> {
  const row = await db
    .updateTable("charge_returns")
    .set({ inquiries: sql`inquiries + 1` })
    .where("id", "=", id)
    .returning("inquiries")
    .executeTakeFirst();
  return row?.inquiries ?? 1;
}

/** A provider's returned charges whose charge or return falls into the period. */
export async function selectReturnedCharges(
  tx: Transaction,
  period: { readonly providerId: string; readonly from: Date; readonly to: Date },
): Promise<ReturnedCharge[]> {
  const rows = await tx
    .selectFrom("charge_returns")
    .selectAll()
    .where("provider_id", "=", period.providerId)
    .where("state", "=", "returned")
    .where((row) => {
      const isWithin = (column: "charged_at" | "ended_at") =>
        row.and([row(column, ">=", period.from), row(column, "<", period.to)]);
      return row.or([isWithin("charged_at"), isWithin("ended_at")]);
    })
    .execute();
  return rows.flatMap(({ id, reference, order_id: orderId, amount, charged_at: chargedAt, ended_at: returnedAt }) =>
    returnedAt === null ? [] : [{ id, reference, orderId, amount: clp(amount), chargedAt, returnedAt }],
  );
}

/** The names of charges, and of their returns, whose outcome is unknown. */
export async function selectChargesBeingReturned(tx: Transaction, providerId: string): Promise<string[]> {
  const rows = await tx
    .selectFrom("charge_returns")
    .select(["id", "reference"])
    .where("provider_id", "=", providerId)
    .where("state", "=", "sending")
    .execute();
  return rows.flatMap(({ id, reference }) => [id, reference]);
}

/** Returns with an unknown outcome. For accepted ones, with the time by which the processor should have reported it. */
export const unansweredReturns: RawBuilder<ExceptionRow> = sql`
  select 'outcome_unknown' as kind, provider_id, id::text as subject, order_id,
    case when elsewhere is null then coalesce(ends_by, requested_at) else requested_at end as since,
    jsonb_strip_nulls(jsonb_build_object('of', 'charge_return', 'taken_at', taken_at, 'connector', elsewhere)) as facts
  from (select *, ${otherConnector(sql`connector`, "cardProcessor")} as elsewhere from charge_returns
    where state = 'sending') as r
  where inquiries > 0 or taken_at is not null or elsewhere is not null`;
