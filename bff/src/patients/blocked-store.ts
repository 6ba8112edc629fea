import { sql } from "kysely";
import type { Phone } from "../contract/vocabulary/phone.ts";
import type { Rut } from "../contract/vocabulary/rut.ts";
import type { Database, Transaction } from "../platform/database/transaction.ts";
import type { BeneficiaryKey } from "./beneficiary.ts";

export async function readBlocked(db: Database, id: string): Promise<boolean> {
  const row = await db.selectFrom("beneficiaries").select("blocked_at").where("id", "=", id).executeTakeFirst();
  return row?.blocked_at != null;
}

export async function readBlockedByRut(db: Database, { tenant, rut }: BeneficiaryKey): Promise<boolean> {
  const row = await db
    .selectFrom("beneficiaries")
    .select("blocked_at")
    .where("tenant", "=", tenant)
    .where("rut", "=", rut)
    .executeTakeFirst();
  return row?.blocked_at != null;
}

/** The patients of a tenant, among these, whose data is blocked since before a moment. */
export async function selectBlocked(
  db: Database,
  { tenant, ruts, before }: { readonly tenant: string; readonly ruts: readonly Rut[]; readonly before: Date },
): Promise<Rut[]> {
  const rows = await db
    .selectFrom("beneficiaries")
    .select("rut")
    .where("tenant", "=", tenant)
    .where(sql<boolean>`rut = any(${[...ruts]}::text[])`)
    .where("blocked_at", "<", before)
    .execute();
  return rows.map(({ rut }) => rut as Rut);
}

export async function writeBlocked(tx: Transaction, id: string, at: Date | null): Promise<void> {
  await tx.updateTable("beneficiaries").set({ blocked_at: at }).where("id", "=", id).execute();
}

export async function writeCorrection(
  tx: Transaction,
  id: string,
  corrected: { first_name: string } | { last_name: string } | { phone_number: Phone },
  at: Date,
): Promise<void> {
  await tx
    .updateTable("beneficiaries")
    .set({ ...corrected, updated_at: at, ...("phone_number" in corrected && { contact_changed_at: at }) })
    .where("id", "=", id)
    .execute();
}
