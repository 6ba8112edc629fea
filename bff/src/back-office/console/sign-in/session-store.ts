import { sql } from "kysely";
import type { Database, Transaction } from "../../../platform/database/transaction.ts";
import { type KnownOperator, profiled, recordOf } from "../../operators/operator-store.ts";

export interface Session {
  readonly id: string;
  readonly operator: KnownOperator;
  readonly seenAt: Date;
}

export async function insertSession(
  tx: Transaction,
  session: {
    readonly id: string;
    readonly operatorId: string;
    readonly tokenHash: string;
    readonly at: Date;
    readonly endsAt: Date;
  },
): Promise<void> {
  const { id, operatorId, tokenHash, at, endsAt } = session;
  await tx
    .insertInto("operator_sessions")
    .values({ id, operator_id: operatorId, token_hash: tokenHash, began_at: at, seen_at: at, ends_at: endsAt })
    .execute();
}

/** The session with one of these hashes that was used since a moment, of a current operator; null if there is none. */
export async function readLiveSession(
  db: Database,
  {
    tokenHashes,
    now,
    seenSince,
  }: { readonly tokenHashes: readonly string[]; readonly now: Date; readonly seenSince: Date },
): Promise<Session | null> {
  const row = await profiled(db)
    .innerJoin("operator_sessions as session", "session.operator_id", "operators.id")
    .select(["session.id as session_id", "session.seen_at"])
    .where("session.token_hash", "in", [...tokenHashes])
    .where("session.ended_at", "is", null)
    .where("session.ends_at", ">", now)
    .where("session.seen_at", ">", seenSince)
    .where("operators.ended_at", "is", null)
    .executeTakeFirst();
  return row === undefined ? null : { id: row.session_id, seenAt: row.seen_at, operator: recordOf(row) };
}

export async function markSeen(db: Database, id: string, at: Date): Promise<void> {
  await db.updateTable("operator_sessions").set({ seen_at: at }).where("id", "=", id).execute();
}

export async function endSessionOf(db: Database, id: string, at: Date): Promise<void> {
  await db
    .updateTable("operator_sessions")
    .set({ ended_at: at })
    .where("id", "=", id)
    .where("ended_at", "is", null)
    .execute();
}

/** Uses a link up; returns false if it was used before. */
export async function useLink(tx: Transaction, linkId: string, at: Date): Promise<boolean> {
  const result = await tx
    .insertInto("operator_links_used")
    .values({ link_id: linkId, used_at: at })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return result.numInsertedOrUpdatedRows === 1n;
}

/** Removes sessions and used links that have been over since a moment. */
export async function deleteOver(
  db: Database,
  { before, limit }: { readonly before: Date; readonly limit: number },
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with sessions as (
      delete from operator_sessions where id in (select id from operator_sessions where ends_at < ${before} limit ${limit}) returning 1
    ),
    links as (
      delete from operator_links_used where link_id in (
        select link_id from operator_links_used where used_at < ${before} limit ${limit}
      ) returning 1
    )
    select greatest((select count(*) from sessions), (select count(*) from links))::int as count`.execute(db);
  return rows[0]?.count ?? 0;
}
