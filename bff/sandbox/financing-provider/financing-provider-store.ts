import { type Selectable, sql } from "kysely";
import { type Clp, clp } from "../../src/contract/vocabulary/clp.ts";
import { PAGE_ITEMS_MAX } from "../../src/gateways/connector/protocol.ts";
import type { LoanEnd } from "../../src/gateways/financing-provider.ts";
import type { SandboxLoansRow } from "../../src/platform/database/tables.ts";
import type { Database, Transaction } from "../../src/platform/database/transaction.ts";
import { type CreditBehaviour, decidedAt, type StoredLoan } from "./loan.ts";

export async function insertLoan(tx: Transaction, loan: StoredLoan): Promise<void> {
  await tx
    .insertInto("sandbox_loans")
    .values({
      id: loan.id,
      provider_id: loan.providerId,
      idempotency_key: loan.idempotencyKey,
      order_hash: loan.orderHash,
      amount: loan.amount,
      remaining: loan.remaining,
      behaviour: loan.behaviour,
      status: loan.status,
      requested_at: loan.requestedAt,
      // A review ends by time alone, without a call that could record it, so its end is recorded in advance.
      changed_at: decidedAt(loan.behaviour, loan.requestedAt),
    })
    .execute();
}

export async function findLoan(
  db: Database,
  { providerId, loanId }: { providerId: string; loanId: string },
): Promise<StoredLoan | undefined> {
  const row = await db
    .selectFrom("sandbox_loans")
    .selectAll()
    .where("id", "=", loanId)
    .where("provider_id", "=", providerId)
    .executeTakeFirst();
  return row && loanOf(row);
}

/** A provider's loan, locked until the end of the transaction. */
export async function lockLoan(
  tx: Transaction,
  { providerId, loanId }: { providerId: string; loanId: string },
): Promise<StoredLoan | undefined> {
  const row = await tx
    .selectFrom("sandbox_loans")
    .selectAll()
    .where("id", "=", loanId)
    .where("provider_id", "=", providerId)
    .forUpdate()
    .executeTakeFirst();
  return row && loanOf(row);
}

export async function changeLoan(
  tx: Transaction,
  loanId: string,
  change: { readonly status: StoredLoan["status"]; readonly remaining: Clp; readonly at: Date },
): Promise<void> {
  await tx
    .updateTable("sandbox_loans")
    .set({ status: change.status, remaining: change.remaining, changed_at: change.at })
    .where("id", "=", loanId)
    .execute();
}

/** Stores the last report about a loan, and the number of reports. */
export async function writeReport(
  tx: Transaction,
  loanId: string,
  { end, amount }: { readonly end: LoanEnd; readonly amount: Clp },
): Promise<void> {
  await tx
    .updateTable("sandbox_loans")
    .set({ reported_end: end, reported_amount: amount, reports: sql`reports + 1` })
    .where("id", "=", loanId)
    .execute();
}

/** One page of a provider's loans that were requested or changed in [from, to), by id. */
export async function pageLoans(
  db: Database,
  { providerId, from, to, after }: { providerId: string; from: Date; to: Date; after: string | null },
): Promise<readonly StoredLoan[]> {
  const rows = await db
    .selectFrom("sandbox_loans")
    .selectAll()
    .where("provider_id", "=", providerId)
    .where("id", ">", after ?? "")
    .where(({ and, eb, or }) =>
      or([
        and([eb("changed_at", ">=", from), eb("changed_at", "<", to)]),
        and([eb("requested_at", ">=", from), eb("requested_at", "<", to)]),
      ]),
    )
    .orderBy("id")
    .limit(PAGE_ITEMS_MAX)
    .execute();
  return rows.map(loanOf);
}

function loanOf(row: Selectable<SandboxLoansRow>): StoredLoan {
  return {
    id: row.id,
    providerId: row.provider_id,
    idempotencyKey: row.idempotency_key,
    orderHash: row.order_hash,
    amount: clp(row.amount),
    remaining: clp(row.remaining),
    behaviour: row.behaviour as CreditBehaviour,
    status: row.status,
    requestedAt: row.requested_at,
  };
}
