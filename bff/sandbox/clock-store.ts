import { sql } from "kysely";
import type { Database, Transaction } from "../src/platform/database/transaction.ts";

/** Adds to the time by which a tenant's clock is to be moved. */
export async function addToMove(
  db: Database,
  { providerId, milliseconds, at }: { providerId: string; milliseconds: number; at: Date },
): Promise<void> {
  await db
    .insertInto("sandbox_clock_moves")
    .values({ provider_id: providerId, remaining_ms: milliseconds, moved_ms: 0, updated_at: at })
    .onConflict((conflict) =>
      conflict.column("provider_id").doUpdateSet({
        remaining_ms: sql<number>`sandbox_clock_moves.remaining_ms + excluded.remaining_ms`,
        updated_at: at,
      }),
    )
    .execute();
}

export async function findRemaining(db: Database, providerId: string): Promise<number> {
  const row = await db
    .selectFrom("sandbox_clock_moves")
    .select("remaining_ms")
    .where("provider_id", "=", providerId)
    .executeTakeFirst();
  return row?.remaining_ms ?? 0;
}

/** The providers whose clocks are still to be moved. */
export async function listMoving(db: Database): Promise<readonly string[]> {
  const rows = await db.selectFrom("sandbox_clock_moves").select("provider_id").where("remaining_ms", ">", 0).execute();
  return rows.map(({ provider_id }) => provider_id);
}

/** How much is still to be moved. The lock keeps others from moving this clock until the transaction ends. */
export async function lockRemaining(tx: Transaction, providerId: string): Promise<number> {
  const row = await tx
    .selectFrom("sandbox_clock_moves")
    .select("remaining_ms")
    .where("provider_id", "=", providerId)
    .forUpdate()
    .executeTakeFirst();
  return row?.remaining_ms ?? 0;
}

/** Subtracts a completed part from the move. */
export async function takeFromMove(
  tx: Transaction,
  { providerId, milliseconds, at }: { providerId: string; milliseconds: number; at: Date },
): Promise<void> {
  await tx
    .updateTable("sandbox_clock_moves")
    .set({
      remaining_ms: sql<number>`remaining_ms - ${milliseconds}::bigint`,
      moved_ms: sql<number>`moved_ms + ${milliseconds}::bigint`,
      updated_at: at,
    })
    .where("provider_id", "=", providerId)
    .execute();
}
