import { type Selectable, sql } from "kysely";
import { addClp, type Clp, clp } from "../../src/contract/vocabulary/clp.ts";
import type { Rut } from "../../src/contract/vocabulary/rut.ts";
import { PAGE_ITEMS_MAX } from "../../src/gateways/connector/protocol.ts";
import type { DocumentToIssue, IssuedDocument } from "../../src/gateways/tax-documents.ts";
import type { SandboxTaxDocumentsRow } from "../../src/platform/database/tables.ts";
import type { Database, Transaction } from "../../src/platform/database/transaction.ts";

type Kind = DocumentToIssue["kind"];

/** The next number of an issuer's documents of a kind. */
export async function takeNumber(
  tx: Transaction,
  { providerId, issuerRut, kind }: { readonly providerId: string; readonly issuerRut: Rut; readonly kind: Kind },
): Promise<number> {
  const { rows } = await sql<{ last: number }>`
    insert into sandbox_tax_numbers (provider_id, issuer_rut, kind, last)
    values (${providerId}, ${issuerRut}, ${kind}, 1)
    on conflict (provider_id, issuer_rut, kind) do update set last = sandbox_tax_numbers.last + 1
    returning last
  `.execute(tx);
  return rows[0]?.last ?? 1;
}

export interface NewDocument {
  readonly id: string;
  readonly providerId: string;
  readonly idempotencyKey: string;
  readonly kind: Kind;
  readonly issuerRut: Rut;
  readonly number: number;
  readonly corrects: string | null;
  readonly net: Clp;
  readonly vat: Clp;
  readonly exempt: Clp;
  readonly at: Date;
}

export async function insertDocument(tx: Transaction, document: NewDocument): Promise<void> {
  await tx
    .insertInto("sandbox_tax_documents")
    .values({
      id: document.id,
      provider_id: document.providerId,
      idempotency_key: document.idempotencyKey,
      kind: document.kind,
      issuer_rut: document.issuerRut,
      number: document.number,
      corrects: document.corrects,
      net: document.net,
      vat: document.vat,
      exempt: document.exempt,
      at: document.at,
    })
    .execute();
}

/** The document with this id, as its page shows it; undefined if there is none. */
export async function findDocument(db: Database, id: string): Promise<Selectable<SandboxTaxDocumentsRow> | undefined> {
  return db.selectFrom("sandbox_tax_documents").selectAll().where("id", "=", id).executeTakeFirst();
}

/** One page of a provider's documents in [from, to), oldest first. */
export async function pageDocuments(
  db: Database,
  { providerId, from, to, after }: { providerId: string; from: Date; to: Date; after: IssuedDocument | null },
): Promise<readonly IssuedDocument[]> {
  const start = after ?? { at: from, id: "00000000-0000-0000-0000-000000000000" };
  const rows = await db
    .selectFrom("sandbox_tax_documents")
    .selectAll()
    .where("provider_id", "=", providerId)
    .where("at", "<", to)
    .where(({ eb, refTuple, tuple }) => eb(refTuple("at", "id"), ">", tuple(start.at, start.id)))
    .orderBy("at")
    .orderBy("id")
    .limit(PAGE_ITEMS_MAX)
    .execute();
  return rows.map(({ id, idempotency_key: idempotencyKey, kind, number, net, vat, exempt, at, rejected }) => ({
    id,
    idempotencyKey,
    kind,
    number: String(number),
    amount: addClp(addClp(clp(net), clp(vat)), clp(exempt)),
    at,
    ...(rejected && { rejected }),
  }));
}
