import { sql } from "kysely";
import type { Database, Transaction } from "./database/transaction.ts";

/** A row of the audit trail as it is chained. */
export interface ChainedRow {
  readonly id: string;
  readonly chainNumber: number;
  readonly chainHash: string;
  /** The whole row as one text. Rows with different content always have different texts. */
  readonly text: string;
}

/**
 * The columns in a fixed order. The database serialises `details`, so its text does not depend on the input's
 * formatting.
 */
const TEXT = sql<string>`json_build_array(id, provider_id, actor, credential_id, act, subject_kind, subject_id,
  details::text, extract(epoch from at)::text)::text`;

/** The newest row of the chain; null while there is none. */
export async function readHead(db: Database): Promise<Pick<ChainedRow, "chainNumber" | "chainHash"> | null> {
  const { rows } = await sql<{ chain_number: number; chain_hash: string }>`
    select chain_number, chain_hash from audit_log where chain_number is not null order by chain_number desc limit 1
  `.execute(db);
  const [head] = rows;
  return head === undefined ? null : { chainNumber: Number(head.chain_number), chainHash: head.chain_hash };
}

/** Rows that are not in the chain yet, oldest first. */
export async function readUnchained(tx: Transaction, limit: number): Promise<Pick<ChainedRow, "id" | "text">[]> {
  const { rows } = await sql<{ id: string; text: string }>`
    select id, ${TEXT} as text from audit_log where chain_number is null order by at, id limit ${limit}
  `.execute(tx);
  return rows;
}

/**
 * Writes numbers and hashes of rows that join the chain or, with `areChained`, are already in it. Returns the number of
 * rows that were still in the expected state.
 */
export async function writeChained(
  tx: Transaction,
  rows: readonly Omit<ChainedRow, "text">[],
  { areChained }: { readonly areChained: boolean },
): Promise<number> {
  const result = await sql`
    update audit_log set chain_number = given.number, chain_hash = given.hash
    from unnest(${rows.map(({ id }) => id)}::uuid[], ${rows.map(({ chainNumber }) => chainNumber)}::bigint[],
      ${rows.map(({ chainHash }) => chainHash)}::text[]) as given (id, number, hash)
    where audit_log.id = given.id and (audit_log.chain_number is not null) = ${areChained}::boolean`.execute(tx);
  return Number(result.numAffectedRows ?? 0n);
}

/** Rows of the chain after a number, in its order. */
export async function readChained(db: Database, after: number, limit: number): Promise<ChainedRow[]> {
  const { rows } = await sql<{ id: string; chain_number: number; chain_hash: string; text: string }>`
    select id, chain_number, chain_hash, ${TEXT} as text from audit_log
    where chain_number > ${after} order by chain_number limit ${limit}
  `.execute(db);
  return rows.map(({ id, chain_number, chain_hash, text }) => ({
    id,
    chainNumber: Number(chain_number),
    chainHash: chain_hash,
    text,
  }));
}

export async function countUnchained(db: Database): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from audit_log where chain_number is null`.execute(db);
  return Number(rows[0]?.count ?? 0);
}
