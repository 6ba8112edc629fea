import { sql } from "kysely";
import * as z from "zod/mini";
import type { Clp } from "../../src/contract/vocabulary/clp.ts";
import { clpSchema } from "../../src/contract/vocabulary/clp.ts";
import { rutSchema } from "../../src/contract/vocabulary/rut.ts";
import type { DocumentRefusal, DocumentToIssue } from "../../src/gateways/tax-documents.ts";
import type { Database, Transaction } from "../../src/platform/database/transaction.ts";
import type { Content, DocumentType } from "./document.ts";

export type DocumentState = "planned" | "drafted" | "generating" | "blocked" | "issued" | "rejected" | "refused";

export interface Document {
  readonly id: string;
  readonly providerId: string;
  readonly idempotencyKey: string;
  readonly kind: DocumentToIssue["kind"];
  readonly dte: DocumentType;
  readonly amount: Clp;
  readonly day: string;
  /** The provider's time of the call, and real time. */
  readonly at: Date;
  readonly begunAt: Date;
  readonly state: DocumentState;
  readonly content: Content | null;
  readonly code: string | null;
  readonly generatingAt: Date | null;
  readonly folio: number | null;
  readonly url: string | null;
  readonly issuedAt: Date | null;
  readonly isFinal: boolean;
  readonly askedAt: Date | null;
  readonly reason: DocumentRefusal | null;
}

const contentSchema = z.object({
  receiverRut: rutSchema,
  receiverName: z.nullable(z.string()),
  corrects: z.nullable(z.object({ dte: z.union([z.literal(39), z.literal(41)]), folio: z.int() })),
});

type Row = Omit<Document, "amount" | "content" | "folio"> & {
  readonly amount: unknown;
  readonly content: unknown;
  readonly folio: unknown;
};

const COLUMNS = sql`id, provider_id as "providerId", idempotency_key as "idempotencyKey", kind, dte, amount,
  to_char(day, 'YYYY-MM-DD') as day, at, begun_at as "begunAt", state, content, code,
  generating_at as "generatingAt", folio, url, issued_at as "issuedAt", is_final as "isFinal", asked_at as "askedAt",
  reason`;

function documentOf({ amount, content, folio, ...row }: Row): Document {
  return {
    ...row,
    amount: clpSchema.parse(Number(amount)),
    content: content === null ? null : contentSchema.parse(content),
    folio: folio === null ? null : Number(folio),
  };
}

export type NewDocument = Pick<
  Document,
  "id" | "providerId" | "idempotencyKey" | "kind" | "dte" | "amount" | "day" | "at" | "begunAt"
> & { readonly content: Content };

export async function insertDocument(tx: Transaction, document: NewDocument): Promise<void> {
  await sql`
    insert into documents (id, provider_id, idempotency_key, kind, dte, amount, day, at, begun_at, content)
    values (${document.id}, ${document.providerId}, ${document.idempotencyKey}, ${document.kind}, ${document.dte},
      ${document.amount}, ${document.day}::date, ${document.at}::timestamptz, ${document.begunAt}::timestamptz,
      ${JSON.stringify(document.content)}::jsonb)
  `.execute(tx);
}

export async function findDocument(db: Database, id: string): Promise<Document | undefined> {
  const { rows } = await sql<Row>`select ${COLUMNS} from documents where id = ${id}`.execute(db);
  return rows[0] && documentOf(rows[0]);
}

export type DocumentChange =
  | { readonly to: "planned" }
  | { readonly to: "drafted"; readonly code: string }
  | { readonly to: "generating"; readonly at: Date }
  | { readonly to: "blocked" }
  | { readonly to: "issued"; readonly folio: number; readonly url: string; readonly at: Date }
  | { readonly to: "rejected"; readonly at: Date }
  | { readonly to: "refused"; readonly reason: DocumentRefusal };

/** An operator's decision. */
export interface Settlement {
  readonly by: string;
  readonly because: string;
}

/**
 * Changes a document from a state. A change from `generating` also names the moment at which that began, so that it
 * ends only this attempt. Returns the document; null if another process was faster.
 */
export async function changeDocument(
  db: Database,
  id: string,
  from: { readonly state: DocumentState; readonly generatingAt?: Date | null },
  change: DocumentChange,
  settlement?: Settlement,
): Promise<Document | null> {
  const { rows } = await sql<Row>`
    update documents set ${sql.join(setOf(change, settlement))}
    where id = ${id} and state = ${from.state}
      and (${from.generatingAt ?? null}::timestamptz is null or generating_at = ${from.generatingAt ?? null}::timestamptz)
    returning ${COLUMNS}
  `.execute(db);
  return rows[0] ? documentOf(rows[0]) : null;
}

function setOf(change: DocumentChange, settlement: Settlement | undefined) {
  const set = [sql`state = ${change.to}`];
  if (settlement !== undefined)
    set.push(sql`settled_by = ${settlement.by}`, sql`settled_because = ${settlement.because}`);
  switch (change.to) {
    case "drafted":
      return [...set, sql`code = ${change.code}`];
    case "generating":
      return [...set, sql`generating_at = ${change.at}::timestamptz`];
    case "issued":
      return [
        ...set,
        sql`folio = ${change.folio}`,
        sql`url = ${change.url}`,
        sql`issued_at = ${change.at}::timestamptz`,
        sql`content = null`,
      ];
    case "rejected":
      return [...set, sql`is_final = true`, sql`asked_at = ${change.at}::timestamptz`];
    case "refused":
      return [...set, sql`reason = ${change.reason}`, sql`content = null`];
    default:
      return set;
  }
}

/** Stores that the SII was asked for its verdict, and whether it has accepted the document. */
export async function recordAsked(
  db: Database,
  id: string,
  { at, isFinal }: { readonly at: Date; readonly isFinal: boolean },
): Promise<void> {
  await sql`
    update documents set asked_at = ${at}::timestamptz, is_final = ${isFinal} where id = ${id} and state = 'issued'
  `.execute(db);
}

/** Issued documents without a verdict that were not asked about since a moment, the longest waiting first. */
export async function listWithoutVerdict(
  db: Database,
  { askedBefore, issuedSince }: { readonly askedBefore: Date; readonly issuedSince: Date },
): Promise<readonly Document[]> {
  const { rows } = await sql<Row>`
    select ${COLUMNS} from documents
    where state = 'issued' and not is_final and issued_at >= ${issuedSince}::timestamptz
      and (asked_at is null or asked_at <= ${askedBefore}::timestamptz)
    order by asked_at nulls first, id limit 50
  `.execute(db);
  return rows.map(documentOf);
}

/** Issued documents of a provider that were asked for in [from, to), in its time. */
export async function listIssued(
  db: Database,
  { providerId, from, to }: { readonly providerId: string; readonly from: Date; readonly to: Date },
): Promise<readonly Document[]> {
  const { rows } = await sql<Row>`
    select ${COLUMNS} from documents
    where provider_id = ${providerId} and at >= ${from}::timestamptz and at < ${to}::timestamptz
      and issued_at is not null
    order by at, id
  `.execute(db);
  return rows.map(documentOf);
}

/** Documents that were asked for and are neither issued nor refused, oldest first. */
export async function listOpen(db: Database): Promise<readonly Document[]> {
  const { rows } = await sql<Row>`
    select ${COLUMNS} from documents
    where state in ('planned', 'drafted', 'generating', 'blocked') order by begun_at limit 1000
  `.execute(db);
  return rows.map(documentOf);
}

/** The numbers among these that a document has. */
export async function listKnownFolios(
  db: Database,
  found: readonly { readonly dte: number; readonly folio: number }[],
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ readonly name: string }>`
    select dte || '-' || folio as name from documents
    where dte || '-' || folio = any(${found.map(({ dte, folio }) => `${dte}-${folio}`)})
  `.execute(db);
  return new Set(rows.map(({ name }) => name));
}

/** When the latest document began; null without one. */
export async function latestBegunAt(db: Database): Promise<Date | null> {
  const { rows } = await sql<{ readonly at: Date | null }>`select max(begun_at) as at from documents`.execute(db);
  return rows[0]?.at ?? null;
}
