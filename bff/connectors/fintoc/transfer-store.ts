import { sql } from "kysely";
import type { TransferRefusal } from "../../src/contract/vocabulary/banks.ts";
import { type Clp, clp } from "../../src/contract/vocabulary/clp.ts";
import type { Database, Transaction } from "../../src/platform/database/transaction.ts";
import { type Counterparty, counterpartySchema } from "./counterparty.ts";
import type { Part } from "./part.ts";

export interface Transfer {
  readonly id: string;
  readonly providerId: string;
  readonly idempotencyKey: string;
  readonly reference: string;
  readonly amount: Clp;
  readonly accountEnding: string;
  readonly at: Date;
  readonly begunAt: Date;
}

const TRANSFER = sql`
  id, provider_id as "providerId", idempotency_key as "idempotencyKey", reference, amount,
  account_ending as "accountEnding", at, begun_at as "begunAt"
`;
const PART = sql`
  transfer_id as "transferId", part, amount, attempt, state, fintoc_id as "fintocId", reason,
  changed_at as "changedAt", paid_at as "paidAt"
`;

export async function insertTransfer(
  tx: Transaction,
  transfer: Transfer,
  { counterparty, amounts }: { readonly counterparty: Counterparty; readonly amounts: readonly Clp[] },
): Promise<void> {
  await sql`
    insert into transfers (id, provider_id, idempotency_key, reference, amount, account_ending, counterparty, at, begun_at)
    values (${transfer.id}, ${transfer.providerId}, ${transfer.idempotencyKey}, ${transfer.reference},
      ${transfer.amount}, ${transfer.accountEnding}, ${JSON.stringify(counterparty)}::jsonb,
      ${transfer.at}::timestamptz, ${transfer.begunAt}::timestamptz)
  `.execute(tx);
  for (const [index, amount] of amounts.entries())
    await sql`
      insert into parts (transfer_id, part, amount, changed_at)
      values (${transfer.id}, ${index + 1}, ${amount}, ${transfer.begunAt}::timestamptz)
    `.execute(tx);
}

export async function findTransfer(db: Database, id: string): Promise<Transfer | undefined> {
  const { rows } = await sql<Transfer>`select ${TRANSFER} from transfers where id = ${id}`.execute(db);
  return rows.map(readTransfer)[0];
}

function readTransfer(row: Transfer): Transfer {
  return { ...row, amount: clp(row.amount) };
}

/** Null once the transfer has ended. */
export async function findCounterparty(db: Database, id: string): Promise<Counterparty | null> {
  const { rows } = await sql<{ counterparty: unknown }>`select counterparty from transfers where id = ${id}`.execute(
    db,
  );
  const found = rows[0]?.counterparty ?? null;
  return found === null ? null : counterpartySchema.parse(found);
}

/** The account is needed until the transfer has ended, and then deleted. */
export async function deleteCounterparty(db: Database, id: string): Promise<void> {
  await sql`update transfers set counterparty = null where id = ${id} and counterparty is not null`.execute(db);
}

export async function listParts(db: Database, transferId: string): Promise<readonly Part[]> {
  const { rows } = await sql<Part>`select ${PART} from parts where transfer_id = ${transferId} order by part`.execute(
    db,
  );
  return rows.map(readPart);
}

function readPart(row: Part): Part {
  return { ...row, amount: clp(row.amount) };
}

/** Changes a part that is still as it was read. False: another process was faster. */
export async function updatePart(
  db: Database,
  { transferId, part, attempt, state: before }: Part,
  after: Pick<Part, "state" | "attempt" | "fintocId" | "reason" | "changedAt" | "paidAt">,
): Promise<boolean> {
  const { rows } = await sql`
    update parts set state = ${after.state}, attempt = ${after.attempt}, fintoc_id = ${after.fintocId},
      reason = ${after.reason}, changed_at = ${after.changedAt}::timestamptz, paid_at = ${after.paidAt}::timestamptz
    where transfer_id = ${transferId} and part = ${part} and attempt = ${attempt} and state = ${before}
    returning part
  `.execute(db);
  return rows.length > 0;
}

/** States that a failed or returned part was paid in another way. False: there is no such part. */
export async function settlePart(
  db: Database,
  { transferId, part }: Pick<Part, "transferId" | "part">,
  { by, because, at }: { readonly by: string; readonly because: string; readonly at: Date },
): Promise<boolean> {
  const { rows } = await sql`
    update parts set state = 'paid', reason = null, changed_at = ${at}::timestamptz,
      paid_at = coalesce(paid_at, ${at}::timestamptz), settled_by = ${by},
      settled_because = ${because}
    where transfer_id = ${transferId} and part = ${part} and state in ('failed', 'returned')
      and exists (select from parts as other where other.transfer_id = ${transferId} and other.state = 'paid')
    returning part
  `.execute(db);
  return rows.length > 0;
}

/** When the latest known transfer before this one began; a restored database lacks what followed. */
export async function latestBegunAt(db: Database, { id }: Pick<Transfer, "id">): Promise<Date | null> {
  const { rows } = await sql<{ begunAt: Date | null }>`
    select max(begun_at) as "begunAt" from transfers where id <> ${id}
      and begun_at <= (select begun_at from transfers where id = ${id})
  `.execute(db);
  return rows[0]?.begunAt ?? null;
}

/** Parts that were paid since a moment: a bank may still return them. */
export async function listPaidParts(db: Database, since: Date): Promise<readonly Part[]> {
  const { rows } = await sql<Part>`
    select ${PART} from parts where state = 'paid' and fintoc_id is not null and paid_at >= ${since}::timestamptz
  `.execute(db);
  return rows.map(readPart);
}

export interface ListedTransfer extends Transfer {
  /** When the whole amount had left, in the provider's time. */
  readonly paidAt: Date;
  /** Null unless the whole amount came back. */
  readonly returnedAt: Date | null;
  readonly reason: TransferRefusal | null;
}

/** The transfers of a provider that were paid or came back in [from, to), oldest first. */
export async function listTransfers(
  db: Database,
  { providerId, from, to }: { readonly providerId: string; readonly from: Date; readonly to: Date },
): Promise<readonly ListedTransfer[]> {
  const { rows } = await sql<ListedTransfer>`
    select * from (
      select ${TRANSFER}, at + (ended.paid_at - begun_at) as "paidAt",
        at + (ended.returned_at - begun_at) as "returnedAt", ended.reason
      from transfers join (
        select transfer_id, max(paid_at) as paid_at, max(reason) as reason,
          case when bool_and(state = 'returned') then max(changed_at) end as returned_at
        from parts group by transfer_id having bool_and(state in ('paid', 'returned'))
      ) as ended on ended.transfer_id = transfers.id
      where provider_id = ${providerId}
    ) as listed
    where ("paidAt" >= ${from}::timestamptz and "paidAt" < ${to}::timestamptz)
      or ("returnedAt" >= ${from}::timestamptz and "returnedAt" < ${to}::timestamptz)
    order by "paidAt", id
  `.execute(db);
  return rows.map((row) => ({ ...row, amount: clp(row.amount) }));
}

/** Open parts: what an operator looks at. */
export async function listOpenParts(
  db: Database,
): Promise<readonly (Part & Pick<Transfer, "providerId" | "idempotencyKey">)[]> {
  const { rows } = await sql<Part & Pick<Transfer, "providerId" | "idempotencyKey">>`
    select ${PART}, provider_id as "providerId", idempotency_key as "idempotencyKey"
    from parts join transfers on transfers.id = parts.transfer_id
    where state in ('planned', 'pending', 'failed', 'returned') order by changed_at limit 1000
  `.execute(db);
  return rows.map((row) => ({ ...row, amount: clp(row.amount) }));
}
