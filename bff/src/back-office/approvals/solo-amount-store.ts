import { sql } from "kysely";
import { type Clp, clp } from "../../contract/vocabulary/clp.ts";
import { LOCK_CLASSES } from "../../platform/database/lock-classes.ts";
import type { Database, Transaction } from "../../platform/database/transaction.ts";

/** Locks an operator's own decisions until the transaction ends, so that concurrent commands count each other. */
export async function lockSoloAmounts(tx: Transaction, actor: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(${LOCK_CLASSES.soloAmounts}::int, hashtext(${actor}))`.execute(tx);
}

/** The sum that an operator has decided alone since a moment. */
export async function sumSoloAmounts(db: Database, actor: string, since: Date): Promise<Clp> {
  const { rows } = await sql<{ total: number }>`
    select coalesce(sum(amount), 0)::bigint as total from solo_amounts where actor = ${actor} and at > ${since}
  `.execute(db);
  return clp(rows[0]?.total ?? 0);
}

/** Records an amount with its total. The database refuses a total that reaches the limit. */
export async function insertSoloAmount(
  tx: Transaction,
  { id, actor, amount, total, at }: { id: string; actor: string; amount: Clp; total: Clp; at: Date },
): Promise<void> {
  await tx.insertInto("solo_amounts").values({ id, actor, amount, total, at }).execute();
}
