import { sql } from "kysely";
import type { Database, Transaction } from "../../platform/database/transaction.ts";

/** A patient's request to be erased. */
export interface Erasure {
  readonly beneficiaryId: string;
  readonly providerId: string;
  readonly actor: string;
  readonly state: "waiting" | "done";
  readonly requestedAt: Date;
}

export async function readErasure(db: Database, beneficiaryId: string): Promise<Erasure | null> {
  const row = await db
    .selectFrom("erasures")
    .selectAll()
    .where("beneficiary_id", "=", beneficiaryId)
    .executeTakeFirst();
  if (row === undefined) return null;
  const { actor, state } = row;
  return { actor, state, beneficiaryId, providerId: row.provider_id, requestedAt: row.requested_at };
}

/**
 * Records a request for erasure. An earlier one stays, except that an operator's request takes over a waiting one that
 * came by a link, because the operator has checked the identity. Returns whether anything was recorded.
 */
export async function insertErasure(tx: Transaction, erasure: Omit<Erasure, "state">): Promise<boolean> {
  const result = await tx
    .insertInto("erasures")
    .values({
      beneficiary_id: erasure.beneficiaryId,
      provider_id: erasure.providerId,
      actor: erasure.actor,
      state: "waiting",
      requested_at: erasure.requestedAt,
      done_at: null,
    })
    .onConflict((conflict) =>
      conflict
        .column("beneficiary_id")
        .doUpdateSet({ actor: erasure.actor, provider_id: erasure.providerId })
        .where("erasures.state", "=", "waiting")
        .where("erasures.actor", "=", "patient")
        .where("excluded.actor", "<>", "patient"),
    )
    .executeTakeFirst();
  return result.numInsertedOrUpdatedRows === 1n;
}

/** Deletes a waiting request for erasure. Returns whether there was one. */
export async function deleteWaitingErasure(tx: Transaction, beneficiaryId: string): Promise<boolean> {
  const result = await tx
    .deleteFrom("erasures")
    .where("beneficiary_id", "=", beneficiaryId)
    .where("state", "=", "waiting")
    .executeTakeFirst();
  return result.numDeletedRows === 1n;
}

export async function writeErasureDone(tx: Transaction, beneficiaryId: string, at: Date): Promise<void> {
  await tx
    .updateTable("erasures")
    .set({ state: "done", done_at: at })
    .where("beneficiary_id", "=", beneficiaryId)
    .execute();
}

/** A link to their own data that was sent to a patient. */
export interface SentLink {
  readonly beneficiaryId: string;
  readonly sentAt: Date;
}

/** The links that were sent to these patients since `since`; deletes the records of earlier ones. */
export async function readSentLinks(
  tx: Transaction,
  beneficiaryIds: readonly string[],
  since: Date,
): Promise<SentLink[]> {
  const ofThese = sql<boolean>`beneficiary_id = any(${[...beneficiaryIds]}::uuid[])`;
  await tx.deleteFrom("data_links").where(ofThese).where("sent_at", "<=", since).execute();
  const rows = await tx.selectFrom("data_links").selectAll().where(ofThese).execute();
  return rows.map(({ beneficiary_id, sent_at }) => ({ beneficiaryId: beneficiary_id, sentAt: sent_at }));
}

export async function insertDataLink(tx: Transaction, { beneficiaryId, sentAt }: SentLink): Promise<void> {
  await tx.insertInto("data_links").values({ beneficiary_id: beneficiaryId, sent_at: sentAt }).execute();
}

export async function deleteDataLinks(tx: Transaction, beneficiaryId: string): Promise<void> {
  await tx.deleteFrom("data_links").where("beneficiary_id", "=", beneficiaryId).execute();
}
