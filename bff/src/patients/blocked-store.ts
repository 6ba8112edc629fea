import type { Phone } from "../contract/vocabulary/phone.ts";
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
