import { sql } from "kysely";
import { clp } from "../contract/vocabulary/clp.ts";
import type { OrderId } from "../contract/vocabulary/identifiers.ts";
import type { Period } from "../orders/books.ts";
import type { Database, Transaction } from "../platform/database/transaction.ts";
import type { BookedLine, BookedSettlement, SettledMovement } from "./settlement.ts";

/** Stores a settlement with its lines. Returns false if it is already stored. */
export async function insertSettlement(
  tx: Transaction,
  { providerId, bookedAt }: { readonly providerId: string; readonly bookedAt: Date },
  { id, amount, fee, feeVat, paidAt }: BookedSettlement,
  lines: readonly BookedLine[],
): Promise<boolean> {
  const inserted = await tx
    .insertInto("card_settlements")
    .values({ provider_id: providerId, id, amount, fee, fee_vat: feeVat, paid_at: paidAt, booked_at: bookedAt })
    .onConflict((conflict) => conflict.columns(["provider_id", "id"]).doNothing())
    .executeTakeFirst();
  if (inserted.numInsertedOrUpdatedRows !== 1n) return false;
  const column = <Value>(read: (line: BookedLine) => Value) => lines.map(read);
  await sql`
    insert into card_settlement_lines (provider_id, settlement_id, id, kind, source, order_id, amount, fee, fee_vat)
    select ${providerId}::uuid, ${id}::text, * from unnest(
      ${column((line) => line.id)}::text[], ${column((line) => line.kind)}::text[],
      ${column((line) => line.source)}::text[], ${column((line) => line.orderId)}::uuid[],
      ${column((line) => line.amount)}::bigint[], ${column((line) => line.fee)}::bigint[],
      ${column((line) => line.feeVat)}::bigint[])
  `.execute(tx);
  return true;
}

/** The settlements paid in [from, to), oldest first. */
export async function selectSettlements(db: Database, { providerId, from, to }: Period): Promise<BookedSettlement[]> {
  const rows = await db
    .selectFrom("card_settlements")
    .select(["id", "amount", "fee", "fee_vat", "paid_at"])
    .where("provider_id", "=", providerId)
    .where("paid_at", ">=", from)
    .where("paid_at", "<", to)
    .orderBy("paid_at")
    .orderBy("id")
    .execute();
  return rows.map((row) => ({
    id: row.id,
    amount: clp(row.amount),
    fee: clp(row.fee),
    feeVat: clp(row.fee_vat),
    paidAt: row.paid_at,
  }));
}

export async function selectLines(
  db: Database,
  { providerId, id }: { readonly providerId: string; readonly id: string },
): Promise<BookedLine[]> {
  const rows = await db
    .selectFrom("card_settlement_lines")
    .select(["id", "kind", "source", "order_id", "amount", "fee", "fee_vat"])
    .where("provider_id", "=", providerId)
    .where("settlement_id", "=", id)
    .orderBy("id")
    .execute();
  return rows.map((row) => ({
    id: row.id,
    kind: row.kind,
    source: row.source,
    orderId: row.order_id as OrderId | null,
    amount: clp(row.amount),
    fee: clp(row.fee),
    feeVat: clp(row.fee_vat),
  }));
}

/**
 * The settled amount, over all settlements, of each charge and return that the given settlements settle in part or in
 * full.
 */
export async function selectSettledMovements(
  tx: Transaction,
  { providerId, from, to }: Period,
): Promise<SettledMovement[]> {
  const { rows } = await sql<RawSettled>`
    select l.source, l.kind, min(l.order_id::text) as order_id, sum(l.amount) as amount, max(s.paid_at) as at
    from card_settlement_lines l
    join card_settlements s on s.provider_id = l.provider_id and s.id = l.settlement_id
    where l.provider_id = ${providerId} and l.kind in ('charge', 'return') and l.source in (
      select i.source from card_settlement_lines i
      join card_settlements p on p.provider_id = i.provider_id and p.id = i.settlement_id
      where p.provider_id = ${providerId} and p.paid_at >= ${from} and p.paid_at < ${to})
    group by l.source, l.kind
  `.execute(tx);
  return rows.map(({ order_id, amount, ...row }) => ({ ...row, orderId: order_id, amount: clp(amount) }));
}

interface RawSettled {
  source: string;
  kind: "charge" | "return";
  order_id: OrderId | null;
  amount: number;
  at: Date;
}

/** The sources among these that were settled, at least in part. */
export async function selectSettledSources(
  tx: Transaction,
  { providerId, sources }: { readonly providerId: string; readonly sources: readonly string[] },
): Promise<Set<string>> {
  const rows = await tx
    .selectFrom("card_settlement_lines")
    .select("source")
    .distinct()
    .where("provider_id", "=", providerId)
    .where("source", "in", sources.length === 0 ? [""] : sources)
    .execute();
  return new Set(rows.map(({ source }) => source));
}

/** When the first settlement was paid; null if the processor reports none. */
export async function selectFirstSettledAt(db: Database, providerId: string): Promise<Date | null> {
  const row = await db
    .selectFrom("card_settlements")
    .select((select) => select.fn.min("paid_at").as("at"))
    .where("provider_id", "=", providerId)
    .executeTakeFirst();
  return row?.at ?? null;
}
