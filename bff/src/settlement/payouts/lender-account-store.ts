import type { Database, Transaction } from "../../platform/database/transaction.ts";

/** The account of the lender of a provider's patients, sealed; `null`: nothing is remitted to it. */
export async function readLenderAccount(db: Database, providerId: string): Promise<string | null> {
  const row = await db
    .selectFrom("lender_accounts")
    .select("sealed_bank_account")
    .where("provider_id", "=", providerId)
    .executeTakeFirst();
  return row?.sealed_bank_account ?? null;
}

export async function writeLenderAccount(
  tx: Transaction,
  { providerId, sealed, at }: { readonly providerId: string; readonly sealed: string; readonly at: Date },
): Promise<void> {
  const told = { sealed_bank_account: sealed, updated_at: at };
  await tx
    .insertInto("lender_accounts")
    .values({ provider_id: providerId, ...told })
    .onConflict((conflict) => conflict.column("provider_id").doUpdateSet(told))
    .execute();
}
