import type { Selectable } from "kysely";
import { clp } from "../../contract/vocabulary/clp.ts";
import type { OrderId } from "../../contract/vocabulary/identifiers.ts";
import type { RecognitionsRow } from "../../platform/database/tables.ts";
import type { Database, Transaction } from "../../platform/database/transaction.ts";
import type { KeptCode } from "../issue-code.ts";
import type { CodeTerms } from "./code-terms.ts";

interface OrderKey {
  readonly providerId: string;
  readonly orderId: OrderId;
}

/** A request to be recognised for an order, with its code if one was sent. */
export interface Recognition extends OrderKey, KeptCode {
  /** Counts the order's requests, from 1. */
  readonly number: number;
  readonly beneficiaryId: string | null;
  /** The saved card that the code was requested for; null if the service chooses. */
  readonly askedCard: string | null;
  /** The payment that the code's message describes; null until it is sent. */
  readonly terms: CodeTerms | null;
  readonly verifiedAt: Date | null;
}

/** The hash stored for a request without a code. */
const NO_HASH = "";

function toRecognition(row: Selectable<RecognitionsRow>): Recognition {
  return {
    id: row.id,
    providerId: row.provider_id,
    orderId: row.order_id,
    number: row.number,
    beneficiaryId: row.beneficiary_id,
    askedCard: row.asked_card,
    terms: toTerms(row),
    codeHash: row.code_hash ?? NO_HASH,
    tries: row.tries,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    verifiedAt: row.verified_at,
  };
}

type TermsColumns = "clinic" | "total" | "today" | "card_id" | "card_last4";

function toTerms(row: Pick<Selectable<RecognitionsRow>, TermsColumns>): CodeTerms | null {
  const { clinic, total, today, card_id: id, card_last4: last4 } = row;
  if (clinic === null || total === null || today === null) return null;
  return { clinic, total: clp(total), today: clp(today), card: id === null || last4 === null ? null : { id, last4 } };
}

/** The times of an order's code requests, oldest first, each with whether the code was answered. */
export async function readAsked(
  db: Database,
  { providerId, orderId }: OrderKey,
): Promise<{ readonly at: Date; readonly isAnswered: boolean }[]> {
  const rows = await db
    .selectFrom("recognitions")
    .select(["created_at", "verified_at"])
    .where("provider_id", "=", providerId)
    .where("order_id", "=", orderId)
    .orderBy("number")
    .execute();
  return rows.map(({ created_at, verified_at }) => ({ at: created_at, isAnswered: verified_at !== null }));
}

/** Whether every request of an order before this one was answered. */
export async function areAllAnswered(
  db: Database,
  { providerId, orderId, number }: Pick<Recognition, "providerId" | "orderId" | "number">,
): Promise<boolean> {
  const row = await db
    .selectFrom("recognitions")
    .select("id")
    .where("provider_id", "=", providerId)
    .where("order_id", "=", orderId)
    .where("number", "<", number)
    .where("verified_at", "is", null)
    .limit(1)
    .executeTakeFirst();
  return row === undefined;
}

/** Records a request as the order's `number`th. Returns false if another request has just taken that number. */
export async function insertRecognition(
  tx: Transaction,
  {
    id,
    providerId,
    orderId,
    number,
    askedCard,
    createdAt,
    expiresAt,
  }: Pick<Recognition, "id" | "providerId" | "orderId" | "number" | "askedCard" | "createdAt" | "expiresAt">,
): Promise<boolean> {
  const result = await tx
    .insertInto("recognitions")
    .values({
      id,
      provider_id: providerId,
      order_id: orderId,
      number,
      asked_card: askedCard,
      created_at: createdAt,
      expires_at: expiresAt,
    })
    .onConflict((conflict) => conflict.columns(["provider_id", "order_id", "number"]).doNothing())
    .executeTakeFirst();
  return result.numInsertedOrUpdatedRows === 1n;
}

export async function lockRecognition(tx: Transaction, id: string): Promise<Recognition | null> {
  const row = await tx.selectFrom("recognitions").selectAll().where("id", "=", id).forUpdate().executeTakeFirst();
  return row === undefined ? null : toRecognition(row);
}

/** Locks an order's newest request. Earlier codes are no longer valid. */
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

/** Records which patient a code is sent to, and the payment that it describes. */
export async function writeCode(
  tx: Transaction,
  id: string,
  {
    beneficiaryId,
    codeHash,
    terms: { clinic, total, today, card },
  }: { readonly beneficiaryId: string; readonly codeHash: string; readonly terms: CodeTerms },
): Promise<void> {
  await tx
    .updateTable("recognitions")
    .set({ beneficiary_id: beneficiaryId, code_hash: codeHash })
    .set({ clinic, total, today, card_id: card?.id ?? null, card_last4: card?.last4 ?? null })
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

/** Invalidates an order's codes and ends the recognition of its patient. */
export async function endRecognitions(tx: Transaction, { providerId, orderId }: OrderKey, at: Date): Promise<void> {
  await tx
    .updateTable("recognitions")
    .set({ verified_at: null, expires_at: at })
    .where("provider_id", "=", providerId)
    .where("order_id", "=", orderId)
    .execute();
}

/** How many codes were sent to a patient since a moment, for any order. */
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

/** The patient who last answered a code for an order since a moment, and what that code pays; null if none did. */
export async function readRecognised(
  db: Database,
  { providerId, orderId }: OrderKey,
  since: Date,
): Promise<{ readonly beneficiaryId: string; readonly terms: CodeTerms } | null> {
  const row = await db
    .selectFrom("recognitions")
    .select(["beneficiary_id", "clinic", "total", "today", "card_id", "card_last4"])
    .where("provider_id", "=", providerId)
    .where("order_id", "=", orderId)
    .where("verified_at", ">", since)
    .orderBy("number", "desc")
    .limit(1)
    .executeTakeFirst();
  const terms = row === undefined ? null : toTerms(row);
  return row?.beneficiary_id == null || terms === null ? null : { beneficiaryId: row.beneficiary_id, terms };
}

/** Deletes a patient's codes, and with them the record of the orders they were recognised for. */
export async function deleteRecognitionsOf(tx: Transaction, beneficiaryId: string): Promise<void> {
  await tx.deleteFrom("recognitions").where("beneficiary_id", "=", beneficiaryId).execute();
}
