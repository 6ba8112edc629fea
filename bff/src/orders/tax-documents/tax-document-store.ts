import { type RawBuilder, sql } from "kysely";
import { type Clp, clp } from "../../contract/vocabulary/clp.ts";
import type { OrderId } from "../../contract/vocabulary/identifiers.ts";
import type { Database, Transaction } from "../../platform/database/transaction.ts";
import type { Exception, ExceptionRow, UnknownCall } from "../../platform/exceptions.ts";
import { otherConnector } from "../../platform/party-connector-store.ts";
import type { Period, TaxedRow } from "../books.ts";
import type { TaxDocumentKind } from "../order-record.ts";
import type { OrderKey } from "../order-store.ts";

/** A document that is still to be issued. */
export interface DueDocument {
  /** Its number among the order's documents. */
  readonly number: number;
  readonly kind: TaxDocumentKind;
  readonly sourceId: string;
  readonly net: Clp;
  readonly vat: Clp;
  readonly dueAt: Date;
  readonly refusals: number;
  /** The payment whose boleta it corrects, and the boleta's number once it is issued. */
  readonly corrects: string | null;
  readonly correctedNumber: string | null;
  /** The number of the document that it replaces, which the tax authority rejected; null if there is none. */
  readonly rejectedNumber: string | null;
  /** Whether it was requested before without an answer. */
  readonly mayHaveArrived: boolean;
  /** The connector that took its last request; null if there was none, or an earlier version made it. */
  readonly connector: string | null;
}

/** Inserts a document after the order's others, and returns its number. The caller has locked the order. */
export async function insertDocument(
  tx: Transaction,
  { providerId, orderId }: OrderKey,
  due: {
    readonly sourceId: string;
    readonly net: Clp;
    readonly vat: Clp;
    readonly corrects: string | null;
    readonly at: Date;
  },
): Promise<number> {
  const { sourceId, net, vat, corrects, at } = due;
  const kind: TaxDocumentKind = corrects === null ? "boleta" : "credit_note";
  const next = sql<number>`(
    select coalesce(max(number), 0) + 1 from tax_documents where provider_id = ${providerId} and order_id = ${orderId})`;
  const { number } = await tx
    .insertInto("tax_documents")
    .values({
      provider_id: providerId,
      order_id: orderId,
      number: next,
      kind,
      source_id: sourceId,
      corrects,
      net,
      vat,
      due_at: at,
    })
    .returning("number")
    .executeTakeFirstOrThrow();
  return number;
}

/** The order's documents that are not issued, oldest first, marked as requested at `at`. */
export async function takeUpDocuments(
  tx: Transaction,
  { providerId, orderId }: OrderKey,
  at: Date,
): Promise<readonly DueDocument[]> {
  const rows = await tx
    .selectFrom("tax_documents")
    .selectAll()
    .where("provider_id", "=", providerId)
    .where("order_id", "=", orderId)
    .orderBy("number")
    .forUpdate()
    .execute();
  await sql`
    update tax_documents set called_at = coalesce(called_at, ${at})
    where provider_id = ${providerId} and order_id = ${orderId} and issued_at is null
  `.execute(tx);
  return rows
    .filter(({ issued_at }) => issued_at === null)
    .map((row) => ({
      number: row.number,
      kind: row.kind,
      sourceId: row.source_id,
      net: clp(row.net),
      vat: clp(row.vat),
      dueAt: row.due_at,
      refusals: row.refusals,
      corrects: row.corrects,
      correctedNumber: rows.find(({ source_id }) => source_id === row.corrects)?.issued_number ?? null,
      rejectedNumber: row.rejected_number,
      mayHaveArrived: row.called_at !== null,
      connector: row.connector,
    }));
}

/** The next document to request, with the connector that takes it: the present one unless another may have it. */
export async function withDocumentConnector(
  tx: Transaction,
  { providerId, orderId }: OrderKey,
  due: readonly DueDocument[],
  present: string,
): Promise<readonly DueDocument[]> {
  const [next, ...rest] = due;
  if (next === undefined || next.connector !== null) return due;
  await tx
    .updateTable("tax_documents")
    .set({ connector: present })
    .where("provider_id", "=", providerId)
    .where("order_id", "=", orderId)
    .where("number", "=", next.number)
    .execute();
  return [{ ...next, connector: present }, ...rest];
}

/** Stores a document's number and address. Returns whether this call was the first to do so. */
export async function writeIssued(
  tx: Transaction,
  { providerId, orderId }: OrderKey,
  { number }: DueDocument,
  issued: { readonly number: string; readonly url: string; readonly at: Date },
): Promise<boolean> {
  const result = await tx
    .updateTable("tax_documents")
    .set({ issued_at: issued.at, issued_number: issued.number, url: issued.url, refusal: null })
    .where("provider_id", "=", providerId)
    .where("order_id", "=", orderId)
    .where("number", "=", number)
    .where("issued_at", "is", null)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** Records a refusal, so that the next attempt has another key. Returns whether this call was the first to do so. */
export async function writeRefused(
  tx: Transaction,
  { providerId, orderId }: OrderKey,
  { number, refusals }: DueDocument,
  reason: string,
): Promise<boolean> {
  const result = await tx
    .updateTable("tax_documents")
    .set({ refusals: refusals + 1, refusal: reason, called_at: null, connector: null, inquiries: 0 })
    .where("provider_id", "=", providerId)
    .where("order_id", "=", orderId)
    .where("number", "=", number)
    .where("refusals", "=", refusals)
    .where("issued_at", "is", null)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** A document that was issued, and that the tax authority rejected later. */
export interface RejectedDocument {
  readonly providerId: string;
  readonly sourceId: string;
  /** How often it had been refused before it was issued. */
  readonly refusals: number;
  readonly issuedNumber: string;
}

/** Makes a rejected document due again, under another key. Has no effect when it is repeated. */
export async function withdrawIssued(
  tx: Transaction,
  { providerId, sourceId, refusals, issuedNumber }: RejectedDocument,
): Promise<void> {
  await tx
    .updateTable("tax_documents")
    .set({
      issued_at: null,
      issued_number: null,
      url: null,
      rejected_number: issuedNumber,
      refusals: refusals + 1,
      refusal: "rejected",
      called_at: null,
      connector: null,
      inquiries: 0,
    })
    .where("provider_id", "=", providerId)
    .where("source_id", "=", sourceId)
    .where("refusals", "=", refusals)
    .where("issued_number", "=", issuedNumber)
    .execute();
}

/** Counts an inquiry without an answer. Returns the number so far. */
export async function countDocumentInquiry(
  db: Database,
  { providerId, orderId }: OrderKey,
  { number }: DueDocument,
): Promise<number> {
  const { inquiries } = await db
    .updateTable("tax_documents")
    .set({ inquiries: sql`inquiries + 1` })
    .where("provider_id", "=", providerId)
    .where("order_id", "=", orderId)
    .where("number", "=", number)
    .returning("inquiries")
    .executeTakeFirstOrThrow();
  return inquiries;
}

/** The ledger rows in [from, to) of commissions that need a tax document: net price and VAT. */
export async function selectTaxedRows(tx: Transaction, { providerId, from, to }: Period): Promise<TaxedRow[]> {
  const { rows } = await sql<{ order_id: OrderId; amount: number; cause: string; at: Date }>`
    select t.order_id, t.amount, t.cause, t.at
    from ledger_transfers t join orders o on o.provider_id = t.provider_id and o.id = t.order_id
    where t.provider_id = ${providerId} and t.at >= ${from} and t.at < ${to}
      and ('commission' in (t.debit, t.credit) or 'vat' in (t.debit, t.credit))
      and o.commission_tax -> 'issuer' is not null
  `.execute(tx);
  return rows.map(({ order_id, amount, cause, at }) => ({ orderId: order_id, amount: clp(amount), cause, at }));
}

/** The sources of the provider's documents that may not be issued yet. */
export async function selectDocumentsUnderWay(tx: Transaction, providerId: string): Promise<string[]> {
  const rows = await tx
    .selectFrom("tax_documents")
    .select("source_id")
    .where("provider_id", "=", providerId)
    .where("issued_at", "is", null)
    .where("called_at", "is not", null)
    .execute();
  return rows.map(({ source_id }) => source_id);
}

/** Documents that are not issued. */
export const missingDocuments: RawBuilder<ExceptionRow> = sql`
  select 'tax_document_missing' as kind, provider_id, order_id::text || ':' || number as subject, order_id, due_at as since,
    jsonb_strip_nulls(jsonb_build_object('document', kind, 'amount', net + vat, 'why', coalesce(refusal, 'no_answer'),
      'connector', ${otherConnector(sql`tax_documents.connector`, "taxDocuments")})) as facts
  from tax_documents where issued_at is null`;

/** The request for a document that has no answer; null if it has one. `subject` is that of its exception. */
export async function readUnknownDocument(
  tx: Transaction,
  { providerId, subject }: Pick<Exception, "providerId" | "subject">,
): Promise<UnknownCall | null> {
  const [orderId = "", number = ""] = subject.split(":");
  const row = await tx
    .selectFrom("tax_documents")
    .selectAll()
    .where("provider_id", "=", providerId)
    .where("order_id", "=", orderId as OrderId)
    .where("number", "=", Number(number))
    .where("issued_at", "is", null)
    .where("connector", "is not", null)
    .executeTakeFirst();
  if (row === undefined) return null;
  const key = documentKey({ sourceId: row.source_id, kind: row.kind, refusals: row.refusals });
  return { idempotencyKey: key, amount: clp(row.net + row.vat) };
}

/** The idempotency key of a document's present request. */
export function documentKey({ sourceId, kind, refusals }: Pick<DueDocument, "sourceId" | "kind" | "refusals">): string {
  return `${sourceId}:${kind}:${refusals + 1}`;
}
