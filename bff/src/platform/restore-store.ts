import { type RawBuilder, sql } from "kysely";
import type { Database, Transaction } from "./database/transaction.ts";

/** A restored database that has not been reconciled with the outside parties yet. */
export interface OpenRestore {
  readonly id: string;
  /** The moment, in real time, to which the database was restored. */
  readonly restoredTo: Date;
}

interface NewRestore extends OpenRestore {
  readonly at: Date;
  readonly by: string;
}

/** Holds back all work. Returns false if it is already held back. */
export async function beginRestore(tx: Transaction, { id, restoredTo, at, by }: NewRestore): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into restores (id, restored_to, begun_at, begun_by) values (${id}, ${restoredTo}, ${at}, ${by})
    on conflict do nothing`.execute(tx);
  return numAffectedRows === 1n;
}

/** The restore that holds work back; null if none does. */
export async function findOpenRestore(db: Database): Promise<OpenRestore | null> {
  const row = await db
    .selectFrom("restores")
    .select(["id", "restored_to"])
    .where("ended_at", "is", null)
    .executeTakeFirst();
  return row === undefined ? null : { id: row.id, restoredTo: row.restored_to };
}

/** For how many seconds a restore has held work back; 0 if none does. */
export async function restoreOpenSeconds(db: Database, realNow: Date): Promise<number> {
  const row = await db.selectFrom("restores").select("begun_at").where("ended_at", "is", null).executeTakeFirst();
  return row === undefined ? 0 : Math.max(1, (realNow.getTime() - row.begun_at.getTime()) / 1_000);
}

/** Resumes work. */
export async function endRestore(
  tx: Transaction,
  id: string,
  { at, by }: { readonly at: Date; readonly by: string },
): Promise<void> {
  await tx
    .updateTable("restores")
    .set({ ended_at: at, ended_by: by })
    .where("id", "=", id)
    .where("ended_at", "is", null)
    .execute();
}

/** The SQL condition that work is held back. */
export const isHeldBack: RawBuilder<boolean> = sql<boolean>`exists (select from restores where restores.ended_at is null)`;
