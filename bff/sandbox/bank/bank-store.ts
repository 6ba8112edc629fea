import { type Selectable, sql } from "kysely";
import { clp } from "../../src/contract/vocabulary/clp.ts";
import type { BankTransfer } from "../../src/gateways/bank.ts";
import { PAGE_ITEMS_MAX } from "../../src/gateways/connector/protocol.ts";
import type { SandboxBankTransfersRow } from "../../src/platform/database/tables.ts";
import type { Database, Transaction } from "../../src/platform/database/transaction.ts";
import { AGAIN } from "../calls/sandbox-call.ts";

/** A repeated transfer whose key the bank has forgotten is listed under that key with the suffix `:again`. */
export async function insertTransfer(
  tx: Transaction,
  transfer: BankTransfer & { readonly providerId: string },
): Promise<void> {
  await tx
    .insertInto("sandbox_bank_transfers")
    .values({
      id: transfer.id,
      provider_id: transfer.providerId,
      idempotency_key: sql<string>`${transfer.idempotencyKey}::text || case when exists (
        select from sandbox_bank_transfers
        where provider_id = ${transfer.providerId} and idempotency_key = ${transfer.idempotencyKey}
      ) then ${AGAIN} else '' end`,
      reference: transfer.reference,
      amount: transfer.amount,
      account_ending: transfer.accountEnding,
      at: transfer.at,
    })
    .execute();
}

/** One page of a provider's transfers in [from, to), oldest first. */
export async function pageTransfers(
  db: Database,
  { providerId, from, to, after }: { providerId: string; from: Date; to: Date; after: BankTransfer | null },
): Promise<readonly BankTransfer[]> {
  const start = after ?? { at: from, id: "" };
  const rows = await db
    .selectFrom("sandbox_bank_transfers")
    .selectAll()
    .where("provider_id", "=", providerId)
    .where("at", "<", to)
    .where(({ eb, refTuple, tuple }) => eb(refTuple("at", "id"), ">", tuple(start.at, start.id)))
    .orderBy("at")
    .orderBy("id")
    .limit(PAGE_ITEMS_MAX)
    .execute();
  return rows.map(transferOf);
}

function transferOf(row: Selectable<SandboxBankTransfersRow>): BankTransfer {
  return {
    id: row.id,
    idempotencyKey: row.idempotency_key,
    reference: row.reference,
    amount: clp(row.amount),
    accountEnding: row.account_ending,
    at: row.at,
  };
}
