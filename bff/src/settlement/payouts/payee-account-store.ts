import { type RawBuilder, sql } from "kysely";
import type { Database, Transaction } from "../../platform/database/transaction.ts";
import type { ExceptionRow } from "../../platform/exceptions.ts";
import type { Payee } from "./payout-record.ts";

/** An account of a payee, confirmed or waiting for confirmation. */
interface PayeeAccount {
  readonly id: string;
  readonly sealed: string;
  readonly isConfirmed: boolean;
}

export async function readPayeeAccounts(tx: Transaction, { providerId, id }: Payee): Promise<PayeeAccount[]> {
  const rows = await tx
    .selectFrom("payee_accounts")
    .select(["id", "sealed_bank_account", "confirmed_at"])
    .where("provider_id", "=", providerId)
    .where("payee_id", "=", id)
    .execute();
  return rows.map((row) => ({ id: row.id, sealed: row.sealed_bank_account, isConfirmed: row.confirmed_at !== null }));
}

/** Records an account, replacing one that still waits for confirmation. */
export async function insertPayeeAccount(
  tx: Transaction,
  { providerId, id: payeeId }: Payee,
  account: { readonly id: string; readonly sealed: string; readonly at: Date; readonly confirmedAt: Date | null },
): Promise<void> {
  await deleteWaiting(tx, { providerId, id: payeeId });
  await tx
    .insertInto("payee_accounts")
    .values({
      provider_id: providerId,
      id: account.id,
      payee_id: payeeId,
      sealed_bank_account: account.sealed,
      noted_at: account.at,
      confirmed_at: account.confirmedAt,
    })
    .execute();
}

/** Deletes the waiting account of a payee, if there is one. */
export async function deleteWaiting(
  tx: Transaction,
  { providerId, id }: Pick<Payee, "providerId" | "id">,
): Promise<void> {
  await tx
    .deleteFrom("payee_accounts")
    .where("provider_id", "=", providerId)
    .where("payee_id", "=", id)
    .where("confirmed_at", "is", null)
    .execute();
}

/** Confirms a waiting account. Returns whether it was waiting. */
export async function writeConfirmed(
  tx: Transaction,
  { providerId, id }: { readonly providerId: string; readonly id: string },
  at: Date,
): Promise<boolean> {
  const result = await tx
    .updateTable("payee_accounts")
    .set({ confirmed_at: at })
    .where("provider_id", "=", providerId)
    .where("id", "=", id)
    .where("confirmed_at", "is", null)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

interface AccountKey {
  readonly providerId: string;
  readonly id: string;
}

/** Locks an account and returns it sealed; null if it no longer waits. */
export async function lockWaiting(db: Database, key: AccountKey): Promise<string | null> {
  return (await waiting(db, key).forUpdate().executeTakeFirst())?.sealed_bank_account ?? null;
}

/** An account, sealed; null if it no longer waits. */
export async function readWaiting(db: Database, key: AccountKey): Promise<string | null> {
  return (await waiting(db, key).executeTakeFirst())?.sealed_bank_account ?? null;
}

function waiting(db: Database, { providerId, id }: AccountKey) {
  return db
    .selectFrom("payee_accounts")
    .select("sealed_bank_account")
    .where("provider_id", "=", providerId)
    .where("id", "=", id)
    .where("confirmed_at", "is", null);
}

export const waitingAccounts: RawBuilder<ExceptionRow> = sql`
  select 'payee_account_changed' as kind, a.provider_id, a.id::text as subject, null::uuid as order_id,
    a.noted_at as since, jsonb_build_object('payee', y.kind, 'payee_id', a.payee_id) as facts
  from payee_accounts a join payees y on y.provider_id = a.provider_id and y.id = a.payee_id
  where a.confirmed_at is null`;

/** The account of the lender of a provider's patients, sealed; null if nothing is remitted to it. */
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
  const values = { sealed_bank_account: sealed, updated_at: at };
  await tx
    .insertInto("lender_accounts")
    .values({ provider_id: providerId, ...values })
    .onConflict((conflict) => conflict.column("provider_id").doUpdateSet(values))
    .execute();
}
