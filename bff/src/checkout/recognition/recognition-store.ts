import { type Selectable, sql } from "kysely";
import type { OrderId } from "../../contract/vocabulary/identifiers.ts";
import type { RecognitionsRow } from "../../platform/database/tables.ts";
import type { Database, Transaction } from "../../platform/database/transaction.ts";
import type { KeptCode } from "../otp/issue-code.ts";

interface OrderKey {
  readonly providerId: string;
  readonly orderId: OrderId;
}

/** A request to be recognised for an order, with its code if one was sent. */
export interface Recognition extends OrderKey, KeptCode {
  /** Counts the order's requests, from 1. */
  readonly number: number;
  readonly beneficiaryId: string | null;
  readonly verifiedAt: Date | null;
}

/** No code has this hash: nobody was sent one. */
const NO_HASH = "";

function toRecognition(row: Selectable<RecognitionsRow>): Recognition {
  return {
    id: row.id,
    providerId: row.provider_id,
    orderId: row.order_id,
    number: row.number,
    beneficiaryId: row.beneficiary_id,
    codeHash: row.code_hash ?? NO_HASH,
    tries: row.tries,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    verifiedAt: row.verified_at,
  };
}

/** When codes were asked for with an order, oldest first. */
export async function readAsked(db: Database, { providerId, orderId }: OrderKey): Promise<Date[]> {
  const rows = await db
    .selectFrom("recognitions")
    .select("created_at")
    .where("provider_id", "=", providerId)
    .where("order_id", "=", orderId)
    .orderBy("number")
    .execute();
  return rows.map(({ created_at }) => created_at);
}

/** Writes a request down as the order's `number`th. Returns false if another request has just become that. */
export async function insertRecognition(
  tx: Transaction,
  {
    id,
    providerId,
    orderId,
    number,
    createdAt,
    expiresAt,
  }: Pick<Recognition, "id" | "providerId" | "orderId" | "number" | "createdAt" | "expiresAt">,
): Promise<boolean> {
  const result = await tx
    .insertInto("recognitions")
    .values({ id, provider_id: providerId, order_id: orderId, number, created_at: createdAt, expires_at: expiresAt })
    .onConflict((conflict) => conflict.columns(["provider_id", "order_id", "number"]).doNothing())
    .executeTakeFirst();
  return result.numInsertedOrUpdatedRows === 1n;
}

export async function lockRecognition(tx: Transaction, id: string): Promise<Recognition | null> {
  const row = await tx.selectFrom("recognitions").selectAll().where("id", "=", id).forUpdate().executeTakeFirst();
  return row === undefined ? null : toRecognition(row);
}

/** Locks an order's newest request. An earlier code does not count once another was asked for. */
export async function lockNewest(tx: Transaction, { providerId, orderId }: OrderKey): Promise<Recognition | null> {
  const row = await tx
    .selectFrom("recognitions")
    .selectAll()
    .where("provider_id", "=", providerId)
    .where("order_id", "=", orderId)
    .orderBy("number", "desc")
    .limit(1)
    .forUpdate()
    .executeTakeFirst();
  return row === undefined ? null : toRecognition(row);
}

/** Writes down which patient a code is sent to. */
export async function writeCode(
  tx: Transaction,
  id: string,
  { beneficiaryId, codeHash }: { readonly beneficiaryId: string; readonly codeHash: string },
): Promise<void> {
  await tx
    .updateTable("recognitions")
    .set({ beneficiary_id: beneficiaryId, code_hash: codeHash })
    .where("id", "=", id)
    .execute();
}

export async function writeTry(
  tx: Transaction,
  id: string,
  after: { readonly tries: number; readonly verifiedAt: Date | null },
): Promise<void> {
  await tx
    .updateTable("recognitions")
    .set({ tries: after.tries, verified_at: after.verifiedAt })
    .where("id", "=", id)
    .execute();
}

/** An order's codes count no more, and nobody is recognised for it. */
export async function endRecognitions(tx: Transaction, { providerId, orderId }: OrderKey, at: Date): Promise<void> {
  await tx
    .updateTable("recognitions")
    .set({ verified_at: null, expires_at: at })
    .where("provider_id", "=", providerId)
    .where("order_id", "=", orderId)
    .execute();
}

/** How many codes a patient was sent since a moment, for whichever orders. */
export async function countSent(
  db: Database,
  { beneficiaryId, since }: { readonly beneficiaryId: string; readonly since: Date },
): Promise<number> {
  const row = await db
    .selectFrom("recognitions")
    .select((select) => select.fn.countAll<string>().as("sent"))
    .where("beneficiary_id", "=", beneficiaryId)
    .where("created_at", ">", since)
    .executeTakeFirst();
  return Number(row?.sent ?? 0);
}

/** The patient who was recognised for an order since a moment; `null`: nobody was. */
export async function readRecognised(
  db: Database,
  { providerId, orderId }: OrderKey,
  since: Date,
): Promise<string | null> {
  const row = await db
    .selectFrom("recognitions")
    .select("beneficiary_id")
    .where("provider_id", "=", providerId)
    .where("order_id", "=", orderId)
    .where("verified_at", ">", since)
    .orderBy("number", "desc")
    .limit(1)
    .executeTakeFirst();
  return row?.beneficiary_id ?? null;
}

/** Deletes a patient's codes, and with them for which orders they were recognised. */
export async function deleteRecognitionsOf(tx: Transaction, beneficiaryId: string): Promise<void> {
  await tx.deleteFrom("recognitions").where("beneficiary_id", "=", beneficiaryId).execute();
}

/** Deletes at most `limit` requests that were made before a moment. Returns the number of deleted rows. */
export async function deleteRecognitions(
  db: Database,
  { before, limit }: { readonly before: Date; readonly limit: number },
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from recognitions where id in (
      select id from recognitions where created_at < ${before} order by created_at limit ${limit} for update skip locked
    )`.execute(db);
  return Number(numAffectedRows ?? 0);
}
