import type { Database, Transaction } from "../../platform/database/transaction.ts";

export interface OperatorRecord {
  readonly id: string;
  readonly name: string;
  readonly addedAt: Date;
  readonly endedAt: Date | null;
}

/** Adds an operator; returns false if one had this name before. A name is never given to somebody else. */
export async function insertOperator(
  tx: Transaction,
  operator: { readonly id: string; readonly name: string; readonly tokenHash: string; readonly at: Date },
): Promise<boolean> {
  const { id, name, tokenHash, at } = operator;
  const result = await tx
    .insertInto("operators")
    .values({ id, name, token_hash: tokenHash, added_at: at, ended_at: null })
    .onConflict((conflict) => conflict.column("name").doNothing())
    .executeTakeFirst();
  return result.numInsertedOrUpdatedRows === 1n;
}

/** Ends an operator; returns whether there was one. */
export async function endOperator(tx: Transaction, name: string, at: Date): Promise<boolean> {
  const result = await tx
    .updateTable("operators")
    .set({ ended_at: at })
    .where("name", "=", name)
    .where("ended_at", "is", null)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** The operator with one of these hashes of a token; null if there is none, or none any more. */
export async function readOperatorByToken(db: Database, tokenHashes: readonly string[]): Promise<string | null> {
  const row = await db
    .selectFrom("operators")
    .select("name")
    .where("token_hash", "in", [...tokenHashes])
    .where("ended_at", "is", null)
    .executeTakeFirst();
  return row?.name ?? null;
}

export async function readOperators(db: Database): Promise<OperatorRecord[]> {
  const rows = await db.selectFrom("operators").selectAll().orderBy("added_at").orderBy("name").execute();
  return rows.map((row) => ({ id: row.id, name: row.name, addedAt: row.added_at, endedAt: row.ended_at }));
}
