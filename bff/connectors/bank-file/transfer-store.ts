import { sql } from "kysely";
import * as z from "zod/mini";
import { type BankAccount, bankAccountSchema } from "../../src/contract/bank-account.ts";
import type { TransferRefusal } from "../../src/contract/vocabulary/banks.ts";
import { type Clp, clp } from "../../src/contract/vocabulary/clp.ts";
import type { Database, Transaction } from "../../src/platform/database/transaction.ts";

export type TransferState = "open" | "paid" | "refused" | "returned";

export interface Transfer {
  readonly id: string;
  readonly providerId: string;
  readonly idempotencyKey: string;
  readonly reference: string;
  readonly amount: Clp;
  readonly accountEnding: string;
  /** Null once the transfer was paid or refused. */
  readonly account: BankAccount | null;
  readonly bankCode: string;
  /** The provider's time and real time. */
  readonly at: Date;
  readonly begunAt: Date;
  readonly file: number | null;
  readonly state: TransferState;
  readonly reason: TransferRefusal | null;
  readonly paidAt: Date | null;
  readonly returnedAt: Date | null;
}

const COLUMNS = sql`
  id, provider_id as "providerId", idempotency_key as "idempotencyKey", reference, amount,
  account_ending as "accountEnding", account, bank_code as "bankCode", at, begun_at as "begunAt", file, state, reason,
  paid_at as "paidAt", returned_at as "returnedAt"
`;

const accountSchema = z.nullable(bankAccountSchema);

function readTransfer(row: Transfer): Transfer {
  return { ...row, amount: clp(row.amount), account: accountSchema.parse(row.account) };
}

export type NewTransfer = Omit<Transfer, "accountEnding" | "file" | "state" | "reason" | "paidAt" | "returnedAt">;

export async function insertTransfer(tx: Transaction, transfer: NewTransfer): Promise<void> {
  await sql`
    insert into transfers (id, provider_id, idempotency_key, reference, amount, account_ending, account, bank_code, at,
      begun_at)
    values (${transfer.id}, ${transfer.providerId}, ${transfer.idempotencyKey}, ${transfer.reference},
      ${transfer.amount}, ${transfer.account?.account_number.slice(-4)}, ${JSON.stringify(transfer.account)}::jsonb,
      ${transfer.bankCode}, ${transfer.at}::timestamptz, ${transfer.begunAt}::timestamptz)
  `.execute(tx);
}

export async function findTransfer(db: Database, id: string): Promise<Transfer | undefined> {
  const { rows } = await sql<Transfer>`select ${COLUMNS} from transfers where id = ${id}`.execute(db);
  return rows.map(readTransfer)[0];
}

/** Puts every open transfer without a file into a new one. Null: there is none. */
export async function insertFile(tx: Transaction, { by, at }: { readonly by: string; readonly at: Date }) {
  // Two operators who write a file at once get different transfers.
  await sql`lock table files in exclusive mode`.execute(tx);
  const { rows } = await sql<{ waits: boolean }>`
    select exists (select from transfers where file is null and state = 'open') as waits
  `.execute(tx);
  if (rows[0]?.waits !== true) return null;
  const { rows: files } = await sql<{ number: number }>`
    insert into files (written_by, written_at) values (${by}, ${at}::timestamptz) returning number
  `.execute(tx);
  const number = files[0]?.number ?? null;
  await sql`update transfers set file = ${number} where file is null and state = 'open'`.execute(tx);
  return number;
}

/** The transfers of a file, in its order. */
export async function listFile(db: Database, number: number): Promise<readonly Transfer[]> {
  const { rows } = await sql<Transfer>`
    select ${COLUMNS} from transfers where file = ${number} order by begun_at, id
  `.execute(db);
  return rows.map(readTransfer);
}

/** Writes what the bank's portal shows. False: the transfer is no longer in the state that it had. */
export async function decideTransfer(
  tx: Transaction,
  { id, state: before }: Pick<Transfer, "id" | "state">,
  decided: {
    readonly state: Exclude<TransferState, "open">;
    readonly reason: TransferRefusal | null;
    readonly by: string;
    readonly at: Date;
  },
): Promise<boolean> {
  const { state, reason, by, at } = decided;
  const { rows } = await sql`
    update transfers set state = ${state}, reason = ${reason}, decided_by = ${by}, account = null,
      paid_at = case when ${state} = 'paid' then ${at}::timestamptz else paid_at end,
      returned_at = case when ${state} = 'returned' then ${at}::timestamptz end
    where id = ${id} and state = ${before} returning id
  `.execute(tx);
  return rows.length > 0;
}

/** Transfers that no operator has reported yet, oldest first. */
export async function listOpen(db: Database): Promise<readonly Transfer[]> {
  const { rows } = await sql<Transfer>`
    select ${COLUMNS} from transfers where state = 'open' order by begun_at, id limit 1000
  `.execute(db);
  return rows.map(readTransfer);
}

/** The transfers of a provider that were paid or came back in [from, to), with both moments in the provider's time. */
export async function listMoved(
  db: Database,
  { providerId, from, to }: { readonly providerId: string; readonly from: Date; readonly to: Date },
): Promise<readonly Transfer[]> {
  const { rows } = await sql<Transfer>`
    select * from (
      select ${COLUMNS}, at + (paid_at - begun_at) as "movedAt", at + (returned_at - begun_at) as "cameBackAt"
      from transfers where provider_id = ${providerId} and paid_at is not null
    ) as moved
    where ("movedAt" >= ${from}::timestamptz and "movedAt" < ${to}::timestamptz)
      or ("cameBackAt" >= ${from}::timestamptz and "cameBackAt" < ${to}::timestamptz)
    order by "movedAt", id
  `.execute(db);
  return rows.map(readTransfer);
}
