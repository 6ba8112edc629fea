import { sql } from "kysely";
import { type Clp, clp } from "../../src/contract/vocabulary/clp.ts";
import type { BankTransfer } from "../../src/gateways/bank.ts";
import { PAGE_ITEMS_MAX } from "../../src/gateways/connector/protocol.ts";
import type { Database, Transaction } from "../../src/platform/database/transaction.ts";
import { AGAIN } from "../calls/sandbox-call.ts";

/** A repeated transfer whose key the bank has forgotten is listed under that key with the suffix `:again`. */
export async function insertTransfer(
  tx: Transaction,
  transfer: Omit<BankTransfer, "kind" | "reason"> & { readonly providerId: string; readonly returnedAt: Date | null },
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
      returned_at: transfer.returnedAt,
    })
    .execute();
}

/** When a transfer's money leaves, and when it comes back; null if there is no such transfer. */
export async function findTransfer(
  db: Database,
  id: string,
): Promise<{ readonly amount: Clp; readonly at: Date; readonly returnedAt: Date | null } | null> {
  const row = await db
    .selectFrom("sandbox_bank_transfers")
    .select(["amount", "at", "returned_at"])
    .where("id", "=", id)
    .executeTakeFirst();
  return row === undefined ? null : { amount: clp(row.amount), at: row.at, returnedAt: row.returned_at };
}

interface Line {
  id: string;
  kind: "transfer" | "return";
  idempotency_key: string;
  reference: string;
  amount: number;
  account_ending: string;
  at: Date;
}

/** One page of a provider's transfers and their returns in [from, to), oldest first. */
export async function pageTransfers(
  db: Database,
  { providerId, from, to, after }: { providerId: string; from: Date; to: Date; after: BankTransfer | null },
): Promise<readonly BankTransfer[]> {
  const start = after ?? { at: from, id: "" };
  const { rows } = await sql<Line>`
    select * from (
      select id, 'transfer' as kind, idempotency_key, reference, amount, account_ending, at
      from sandbox_bank_transfers where provider_id = ${providerId}
      union all
      select id || ':return', 'return', idempotency_key, reference, amount, account_ending, returned_at
      from sandbox_bank_transfers where provider_id = ${providerId} and returned_at is not null
    ) as line
    where at < ${to}::timestamptz and (at, id) > (${start.at}::timestamptz, ${start.id}::text)
    order by at, id limit ${PAGE_ITEMS_MAX}
  `.execute(db);
  return rows.map(transferOf);
}

function transferOf(row: Line): BankTransfer {
  return {
    id: row.id,
    idempotencyKey: row.idempotency_key,
    ...(row.kind === "return" && { kind: row.kind, reason: "account_closed" as const }),
    reference: row.reference,
    amount: clp(row.amount),
    accountEnding: row.account_ending,
    at: row.at,
  };
}
