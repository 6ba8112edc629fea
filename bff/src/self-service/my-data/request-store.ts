import { sql } from "kysely";
import type { RightsRequestKind } from "../../contract/patient-rights.ts";
import type { Database, Transaction } from "../../platform/database/transaction.ts";

/** A patient's request that a person must answer. */
export interface RightsRequest {
  readonly id: string;
  readonly providerId: string;
  readonly beneficiaryId: string;
  readonly kind: RightsRequestKind;
  /** The field to correct, or the order whose credit was refused; empty for a request about everything. */
  readonly about: string;
  readonly words: string;
  readonly state: "open" | "granted" | "refused";
  readonly askedAt: Date;
  readonly answeredAt: Date | null;
  readonly answer: string | null;
}

/** Stores a request. If the same request is open, it keeps its day and gets the new text. Returns the open one. */
export async function insertRequest(
  tx: Transaction,
  request: Omit<RightsRequest, "state" | "answeredAt" | "answer">,
): Promise<RightsRequest> {
  const row = await tx
    .insertInto("rights_requests")
    .values({
      id: request.id,
      provider_id: request.providerId,
      beneficiary_id: request.beneficiaryId,
      kind: request.kind,
      about: request.about,
      words: request.words,
      state: "open",
      asked_at: request.askedAt,
    })
    .onConflict((conflict) =>
      conflict
        .columns(["beneficiary_id", "kind", "about"])
        // Not a parameter: with one, a plan that is used again no longer finds the partial index.
        .where(sql<boolean>`state = 'open'`)
        .doUpdateSet({ words: request.words }),
    )
    .returningAll()
    .executeTakeFirstOrThrow();
  return toRequest(row);
}

/** All requests of a patient, oldest first. */
export async function readRequests(db: Database, beneficiaryId: string): Promise<RightsRequest[]> {
  const rows = await db
    .selectFrom("rights_requests")
    .selectAll()
    .where("beneficiary_id", "=", beneficiaryId)
    .orderBy("asked_at")
    .orderBy("id")
    .execute();
  return rows.map(toRequest);
}

export async function readRequest(db: Database, id: string): Promise<RightsRequest | null> {
  const row = await db.selectFrom("rights_requests").selectAll().where("id", "=", id).executeTakeFirst();
  return row === undefined ? null : toRequest(row);
}

/** Writes the answer to an open request. Returns whether it was open. */
export async function writeAnswer(
  tx: Transaction,
  id: string,
  { state, answer, at }: { readonly state: "granted" | "refused"; readonly answer: string; readonly at: Date },
): Promise<boolean> {
  const result = await tx
    .updateTable("rights_requests")
    .set({ state, answer, answered_at: at })
    .where("id", "=", id)
    .where("state", "=", "open")
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** Deletes the requests of a patient who is erased. */
export async function deleteRequests(tx: Transaction, beneficiaryId: string): Promise<void> {
  await tx.deleteFrom("rights_requests").where("beneficiary_id", "=", beneficiaryId).execute();
}

interface Row {
  readonly id: string;
  readonly provider_id: string;
  readonly beneficiary_id: string;
  readonly kind: RightsRequestKind;
  readonly about: string;
  readonly words: string;
  readonly state: RightsRequest["state"];
  readonly asked_at: Date;
  readonly answered_at: Date | null;
  readonly answer: string | null;
}

function toRequest(row: Row): RightsRequest {
  return {
    id: row.id,
    providerId: row.provider_id,
    beneficiaryId: row.beneficiary_id,
    kind: row.kind,
    about: row.about,
    words: row.words,
    state: row.state,
    askedAt: row.asked_at,
    answeredAt: row.answered_at,
    answer: row.answer,
  };
}
