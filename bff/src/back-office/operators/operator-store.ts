import { sql } from "kysely";
import { LOCK_CLASSES } from "../../platform/database/lock-classes.ts";
import type { Database, Transaction } from "../../platform/database/transaction.ts";
import { TOKEN_VALID_MS } from "./operator.ts";
import type { Role } from "./role.ts";

export interface OperatorRecord {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  /** In lower case. */
  readonly email: string | null;
  readonly addedAt: Date;
  readonly endedAt: Date | null;
  /** When the token of the command line expires. */
  readonly tokenEndsAt: Date;
  /** False for an operator of staging's sign-in, whose token was never shown. */
  readonly isTokenShown: boolean;
}

export type KnownOperator = Pick<OperatorRecord, "id" | "name" | "role" | "tokenEndsAt" | "isTokenShown">;

/** Adds an operator; returns false if the name was ever used or the e-mail is in use. A name is never reused. */
export async function insertOperator(
  tx: Transaction,
  operator: Pick<OperatorRecord, "id" | "name" | "role" | "email"> & {
    readonly tokenHash: string;
    readonly at: Date;
    /** How they were added; null if by staging's sign-in. */
    readonly made: OperatorMade | null;
  },
): Promise<boolean> {
  const { id, name, role, email, tokenHash, at, made } = operator;
  if (await isOperatorNameTaken(tx, { name: null, email })) return false;
  const result = await tx
    .insertInto("operators")
    .values({
      id,
      name,
      token_hash: tokenHash,
      added_at: at,
      ended_at: null,
      ...(made === null ? {} : { token_made_at: at, ...madeColumns(made) }),
    })
    .onConflict((conflict) => conflict.column("name").doNothing())
    .executeTakeFirst();
  if (result.numInsertedOrUpdatedRows !== 1n) return false;
  await tx.insertInto("operator_profiles").values({ operator_id: id, role, email }).execute();
  return true;
}

/** Whether an operator has or had a name, or has an e-mail. */
export async function isOperatorNameTaken(
  db: Database,
  { name, email }: { readonly name: string | null; readonly email: string | null },
): Promise<boolean> {
  const row = await profiled(db)
    .where((where) => where.or([where("operators.name", "=", name), where("profile.email", "=", email)]))
    .executeTakeFirst();
  return row !== undefined;
}

/** How an operator was added, and from when they may approve others' requests. */
export interface OperatorMade {
  readonly by: { readonly approvalId: string } | "keyring";
  readonly approvesFrom: Date;
}

function madeColumns({ by, approvesFrom }: OperatorMade) {
  if (by === "keyring") return { made_by: by, approves_from: approvesFrom };
  const approval = { approval_id: by.approvalId, approval_act: "operator.add", approval_state: "approved" };
  return { made_by: "approval" as const, approves_from: approvesFrom, ...approval };
}

/** Locks the list of operators until the transaction ends. */
export async function lockOperators(tx: Transaction): Promise<void> {
  await sql`select pg_advisory_xact_lock(${LOCK_CLASSES.operators}::int, 0)`.execute(tx);
}

/** How many operators may use the command line at a moment. */
export async function countOperators(db: Database, at: Date): Promise<number> {
  const rows = await profiled(db).where("operators.ended_at", "is", null).execute();
  return rows.map(recordOf).filter(({ role, tokenEndsAt }) => role === "operator" && tokenEndsAt > at).length;
}

/** Replaces the token of an operator who has not ended; returns false if there is none. */
export async function writeToken(
  tx: Transaction,
  { name, tokenHash, at }: { readonly name: string; readonly tokenHash: string; readonly at: Date },
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable("operators")
    .set({ token_hash: tokenHash, token_made_at: at })
    .where("name", "=", name)
    .where("ended_at", "is", null)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Replaces the role and the token of an operator who has not ended. */
export async function writeRole(
  tx: Transaction,
  operator: Pick<OperatorRecord, "name" | "role"> & {
    readonly tokenHash: string;
    readonly at: Date;
    readonly approvesFrom: Date;
  },
): Promise<void> {
  const { name, role, tokenHash, at, approvesFrom } = operator;
  const { id } = await tx
    .updateTable("operators")
    .set({ token_hash: tokenHash, token_made_at: at, approves_from: approvesFrom })
    .where("name", "=", name)
    .where("ended_at", "is", null)
    .returning("id")
    .executeTakeFirstOrThrow();
  await tx
    .insertInto("operator_profiles")
    .values({ operator_id: id, role, email: null })
    // An operator from before there were roles has no profile.
    .onConflict((conflict) => conflict.column("operator_id").doUpdateSet({ role }))
    .execute();
}

/** Ends an operator with all open requests and sessions in their name; returns whether there was one. */
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

/** The current operator with one of these token hashes; null if there is none. */
export async function readOperatorByToken(db: Database, tokenHashes: readonly string[]): Promise<KnownOperator | null> {
  const row = await profiled(db)
    .where("operators.token_hash", "in", [...tokenHashes])
    .where("operators.ended_at", "is", null)
    .executeTakeFirst();
  return row === undefined ? null : recordOf(row);
}

/** The current operator with a name or an e-mail; null if there is none. */
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

/** Operators with their roles. */
export function profiled(db: Database) {
  return db
    .selectFrom("operators")
    .leftJoin("operator_profiles as profile", "profile.operator_id", "operators.id")
    .select([
      "operators.id",
      "operators.name",
      "operators.added_at",
      "operators.ended_at",
      "operators.token_made_at",
      "profile.role",
      "profile.email",
    ]);
}

/** Operators added before roles existed may do everything. */
export function recordOf(row: {
  readonly id: string;
  readonly name: string;
  readonly role: Role | null;
  readonly email: string | null;
  readonly added_at: Date;
  readonly ended_at: Date | null;
  readonly token_made_at: Date | null;
}): OperatorRecord {
  const { id, name, role, email, added_at: addedAt, ended_at: endedAt, token_made_at: madeAt } = row;
  const tokenEndsAt = new Date((madeAt ?? addedAt).getTime() + TOKEN_VALID_MS);
  return { id, name, role: role ?? "operator", email, addedAt, endedAt, tokenEndsAt, isTokenShown: madeAt !== null };
}
