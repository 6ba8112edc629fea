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
  operator: Omit<OperatorRecord, "addedAt" | "endedAt"> & { readonly tokenHash: string; readonly at: Date },
): Promise<boolean> {
  const { id, name, role, email, tokenHash, at } = operator;
  const isTaken =
    email !== null &&
    (await tx.selectFrom("operator_profiles").select("operator_id").where("email", "=", email).executeTakeFirst());
  if (isTaken) return false;
  const result = await tx
    .insertInto("operators")
    .values({ id, name, token_hash: tokenHash, added_at: at, ended_at: null })
    .onConflict((conflict) => conflict.column("name").doNothing())
    .executeTakeFirst();
  if (result.numInsertedOrUpdatedRows !== 1n) return false;
  await tx.insertInto("operator_profiles").values({ operator_id: id, role, email }).execute();
  return true;
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
  const row = await profiled(db)
    .where("operators.token_hash", "in", [...tokenHashes])
    .where("operators.ended_at", "is", null)
    .executeTakeFirst();
  return row === undefined ? null : recordOf(row);
}

/** The operator of a name or an e-mail; null if there is none, or none any more. */
export async function readOperatorNamed(
  db: Database,
  named: { readonly name: string } | { readonly email: string },
): Promise<KnownOperator | null> {
  const current = profiled(db).where("operators.ended_at", "is", null);
  const row = await ("name" in named
    ? current.where("operators.name", "=", named.name)
    : current.where("profile.email", "=", named.email)
  ).executeTakeFirst();
  return row === undefined ? null : recordOf(row);
}

export async function readOperators(db: Database): Promise<OperatorRecord[]> {
  const rows = await profiled(db).orderBy("added_at").orderBy("name").execute();
  return rows.map(recordOf);
}

/** Operators with what they may do. */
export function profiled(db: Database) {
  return db
    .selectFrom("operators")
    .leftJoin("operator_profiles as profile", "profile.operator_id", "operators.id")
    .select([
      "operators.id",
      "operators.name",
      "operators.added_at",
      "operators.ended_at",
      "profile.role",
      "profile.email",
    ]);
}

/** Who was added before there were roles may do everything. */
export function recordOf(row: {
  readonly id: string;
  readonly name: string;
  readonly role: Role | null;
  readonly email: string | null;
  readonly added_at: Date;
  readonly ended_at: Date | null;
}): OperatorRecord {
  const { id, name, role, email } = row;
  return { id, name, role: role ?? "operator", email, addedAt: row.added_at, endedAt: row.ended_at };
}
