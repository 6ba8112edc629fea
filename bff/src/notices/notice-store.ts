import type { Database, Transaction } from "../platform/database/transaction.ts";
import type { NoticeKind } from "./notice.ts";

interface NoticeRow {
  id: string;
  provider_id: string;
  cause: string;
  kind: NoticeKind;
  sealed_email: string | null;
  state: "waiting" | "sent" | "refused" | "given_up";
  useful_until: Date | null;
  created_at: Date;
  settled_at: Date | null;
}

declare module "../platform/database/tables.ts" {
  interface Tables {
    notices: NoticeRow;
  }
}

/** A notice that waits to be sent. */
export interface WaitingNotice {
  readonly id: string;
  readonly providerId: string;
  /** Names what the patient is told about; one notice for each, for ever. */
  readonly cause: string;
  readonly kind: NoticeKind;
  readonly sealedEmail: string;
  /** Real time. */
  readonly usefulUntil: Date | null;
}

/** Writes a notice, unless its cause has one. Says whether it did. */
export async function insertNotice(tx: Transaction, notice: WaitingNotice, at: Date): Promise<boolean> {
  const result = await tx
    .insertInto("notices")
    .values({
      id: notice.id,
      provider_id: notice.providerId,
      cause: notice.cause,
      kind: notice.kind,
      sealed_email: notice.sealedEmail,
      state: "waiting",
      useful_until: notice.usefulUntil,
      created_at: at,
      settled_at: null,
    })
    .onConflict((conflict) => conflict.constraint("notices_cause_key").doNothing())
    .executeTakeFirst();
  return Number(result.numInsertedOrUpdatedRows ?? 0) === 1;
}

/** Reads a notice that still waits; `null` where it has been settled. */
export async function readWaitingNotice(db: Database, id: string): Promise<WaitingNotice | null> {
  const row = await db.selectFrom("notices").selectAll().where("id", "=", id).executeTakeFirst();
  if (row === undefined || row.sealed_email === null) return null;
  const { cause, kind } = row;
  const { provider_id: providerId, sealed_email: sealedEmail, useful_until: usefulUntil } = row;
  return { id, providerId, cause, kind, sealedEmail, usefulUntil };
}

/** Ends a notice and removes its address and text. */
export async function settleNotice(
  tx: Database,
  id: string,
  end: { readonly state: "sent" | "refused" | "given_up"; readonly at: Date },
): Promise<void> {
  await tx
    .updateTable("notices")
    .set({ state: end.state, sealed_email: null, settled_at: end.at })
    .where("id", "=", id)
    .where("state", "=", "waiting")
    .execute();
}
