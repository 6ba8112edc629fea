import { type Selectable, sql } from "kysely";
import { type Clp, clp } from "../../contract/vocabulary/clp.ts";
import type { LinkCodesRow } from "../../platform/database/tables.ts";
import type { Database, Transaction } from "../../platform/database/transaction.ts";

/** A charge as the mail with a code names it. */
export interface LinkCharge {
  readonly amount: Clp;
  readonly cardEnding: string;
}

/** A code that was sent for a link. */
export interface LinkCode {
  readonly id: string;
  readonly providerId: string;
  readonly widgetTokenId: string;
  /** The user whose mailbox received the code; `null`: the RUT was not registered. */
  readonly userId: string | null;
  readonly patientHash: string;
  /** The charge and card in the code's mail; `null`: it charges nothing. */
  readonly charge: LinkCharge | null;
  readonly codeHash: string;
  readonly tries: number;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

function toCharge(row: Pick<Selectable<LinkCodesRow>, "charge_amount" | "charge_card_last4">): LinkCharge | null {
  const { charge_amount: amount, charge_card_last4: cardEnding } = row;
  return amount === null || cardEnding === null ? null : { amount: clp(amount), cardEnding };
}

/** Locks a patient's codes until the transaction ends. */
export async function lockPatientCodes(tx: Transaction, patientHash: string): Promise<void> {
  await tx
    .insertInto("link_code_patients")
    .values({ patient_hash: patientHash })
    .onConflict((conflict) => conflict.column("patient_hash").doUpdateSet({ patient_hash: patientHash }))
    .execute();
}

/** The times since `since` at which codes were sent to a patient. */
export async function readLinkCodesSent(db: Database, patientHash: string, since: Date): Promise<Date[]> {
  const rows = await db
    .selectFrom("link_codes")
    .select("created_at")
    .where("patient_hash", "=", patientHash)
    .where("created_at", ">", since)
    .execute();
  return rows.map(({ created_at }) => created_at);
}

/** Inserts a code that replaces the open code of the same link. */
export async function insertLinkCode(tx: Transaction, code: LinkCode): Promise<void> {
  await tx
    .updateTable("link_codes")
    .set({ state: "replaced" })
    .where("widget_token_id", "=", code.widgetTokenId)
    .where("state", "=", "open")
    .execute();
  await tx
    .insertInto("link_codes")
    .values({
      id: code.id,
      provider_id: code.providerId,
      widget_token_id: code.widgetTokenId,
      user_id: code.userId,
      patient_hash: code.patientHash,
      charge_amount: code.charge?.amount ?? null,
      charge_card_last4: code.charge?.cardEnding ?? null,
      code_hash: code.codeHash,
      state: "open",
      tries: code.tries,
      created_at: code.createdAt,
      expires_at: code.expiresAt,
      access_hash: null,
      access_until: null,
    })
    .execute();
}

/** Locks and reads the open code of a link; `null` if there is none. */
export async function lockOpenLinkCode(tx: Transaction, widgetTokenId: string): Promise<LinkCode | null> {
  const row = await tx
    .selectFrom("link_codes")
    .selectAll()
    .where("widget_token_id", "=", widgetTokenId)
    .where("state", "=", "open")
    .forUpdate()
    .executeTakeFirst();
  if (row === undefined) return null;
  return {
    id: row.id,
    providerId: row.provider_id,
    widgetTokenId: row.widget_token_id,
    userId: row.user_id,
    patientHash: row.patient_hash,
    charge: toCharge(row),
    codeHash: row.code_hash,
    tries: row.tries,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  };
}

/** Records an attempt. For a correct code, also records the hash of the access that it opens, and when that ends. */
export async function writeLinkCodeTry(
  tx: Transaction,
  id: string,
  {
    tries,
    opens,
  }: { readonly tries: number; readonly opens: { readonly accessHash: string; readonly until: Date } | null },
): Promise<void> {
  const verified =
    opens === null ? {} : { state: "verified" as const, access_hash: opens.accessHash, access_until: opens.until };
  await tx
    .updateTable("link_codes")
    .set({ tries, ...verified })
    .where("id", "=", id)
    .execute();
}

/** The recipient of the answered code and its charge, if it still opens this link at `at`; otherwise `null`. */
export async function readLinkAccess(
  db: Database,
  access: { readonly widgetTokenId: string; readonly accessHash: string; readonly at: Date },
): Promise<Pick<LinkCode, "userId" | "charge"> | null> {
  const row = await db
    .selectFrom("link_codes")
    .select(["user_id", "charge_amount", "charge_card_last4"])
    .where("widget_token_id", "=", access.widgetTokenId)
    .where("access_hash", "=", access.accessHash)
    .where("access_until", ">", access.at)
    .executeTakeFirst();
  return row === undefined ? null : { userId: row.user_id, charge: toCharge(row) };
}

/** Removes at most `limit` patients who have no code left. Returns how many. */
export async function deletePatientsWithoutCode(db: Database, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from link_code_patients where patient_hash in (
      select patient_hash from link_code_patients p
      where not exists (select from link_codes c where c.patient_hash = p.patient_hash)
      limit ${limit} for update skip locked
    )`.execute(db);
  return Number(numAffectedRows ?? 0);
}
