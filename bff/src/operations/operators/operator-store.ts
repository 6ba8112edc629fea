import type { Database, Transaction } from "../../platform/database/transaction.ts";
import type { Role } from "./role.ts";

export interface OperatorRecord {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  /** In small letters. */
  readonly email: string | null;
  readonly addedAt: Date;
  readonly endedAt: Date | null;
}

export type KnownOperator = Pick<OperatorRecord, "id" | "name" | "role">;

/** Adds an operator; returns false if one had this name or has this e-mail. A name is never given to somebody else. */
export async function insertOperator(
  tx: Transaction,
  operator: Omit<OperatorRecord, "addedAt" | "endedAt"> & { readonly tokenHash: string | null; readonly at: Date },
): Promise<boolean> {
  const { id, name, role, email, tokenHash, at } = operator;
  const result = await tx
    .insertInto("operators")
    .values({ id, name, role, email, token_hash: tokenHash, added_at: at, ended_at: null })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return result.numInsertedOrUpdatedRows === 1n;
}

/** Ends an operator with everything that is open in their name; returns whether there was one. */
export async function endOperator(tx: Transaction, name: string, at: Date): Promise<boolean> {
  const ended = await tx
    .updateTable("operators")
    .set({ ended_at: at })
    .where("name", "=", name)
    .where("ended_at", "is", null)
    .returning("id")
    .executeTakeFirst();
  if (ended === undefined) return false;
  await tx
    .updateTable("operator_sessions")
    .set({ ended_at: at })
    .where("operator_id", "=", ended.id)
    .where("ended_at", "is", null)
    .execute();
  return true;
}

/** The operator with one of these hashes of a token; null if there is none, or none any more. */
export async function readOperatorByToken(db: Database, tokenHashes: readonly string[]): Promise<KnownOperator | null> {
  const row = await db
    .selectFrom("operators")
    .select(["id", "name", "role"])
    .where("token_hash", "in", [...tokenHashes])
    .where("ended_at", "is", null)
    .executeTakeFirst();
  return row ?? null;
}

/** The operator of a name or an e-mail; null if there is none, or none any more. */
export async function readOperatorNamed(
  db: Database,
  named: { readonly name: string } | { readonly email: string },
): Promise<KnownOperator | null> {
  const [column, value] = "name" in named ? (["name", named.name] as const) : (["email", named.email] as const);
  const row = await db
    .selectFrom("operators")
    .select(["id", "name", "role"])
    .where(column, "=", value)
    .where("ended_at", "is", null)
    .executeTakeFirst();
  return row ?? null;
}

export async function readOperators(db: Database): Promise<OperatorRecord[]> {
  const rows = await db.selectFrom("operators").selectAll().orderBy("added_at").orderBy("name").execute();
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    role: row.role,
    email: row.email,
    addedAt: row.added_at,
    endedAt: row.ended_at,
  }));
}
