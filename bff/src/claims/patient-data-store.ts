import { type RawBuilder, sql } from "kysely";
import type { OrderId } from "../contract/vocabulary/identifiers.ts";
import type { Database, Transaction } from "../platform/database/transaction.ts";

export interface ClaimSummary {
  readonly orderId: OrderId;
  readonly state: string;
  readonly filedAt: Date | null;
  readonly reason: string | null;
  readonly reimbursed: number | null;
}

export async function selectClaims(db: Database, beneficiaryId: string): Promise<ClaimSummary[]> {
  const rows = await claims(db).where("beneficiary_id", "=", beneficiaryId).execute();
  return rows.map(toClaim);
}

export async function selectClaimsOfOrders(db: Database, orderIds: readonly OrderId[]): Promise<ClaimSummary[]> {
  if (orderIds.length === 0) return [];
  const rows = await claims(db)
    .where("order_id", "in", [...orderIds])
    .execute();
  return rows.map(toClaim);
}

function claims(db: Database) {
  return db.selectFrom("claims").select(["order_id", "state", "filed_at", "reason", "reimbursed"]);
}

function toClaim(row: {
  order_id: OrderId;
  state: string;
  filed_at: Date | null;
  reason: string | null;
  reimbursed: number | null;
}): ClaimSummary {
  const { order_id: orderId, state, filed_at: filedAt, reason, reimbursed } = row;
  return { orderId, state, filedAt, reason, reimbursed };
}

export interface ExpenseSummary {
  readonly id: string;
  readonly providerId: string;
  readonly orderId: OrderId | null;
  readonly status: string;
  readonly name: string | null;
  readonly serviceDate: string | null;
  readonly receiptId: string | null;
  readonly receiptRut: string | null;
  readonly doctorRut: string | null;
  readonly total: number | null;
  /** What was sent and could not be read, by the field's name. */
  readonly unread: Readonly<Record<string, string>>;
  readonly receivedAt: Date;
  readonly files: readonly { readonly name: string; readonly type: string; readonly bytes: number }[];
}

/** Every expense of a patient with its files, oldest first. */
export async function selectExpenses(db: Database, beneficiaryId: string): Promise<ExpenseSummary[]> {
  const rows = await db
    .selectFrom("expenses as e")
    .select(["e.provider_id", "e.id", "e.order_id", "e.status", "e.name"])
    .select(["e.receipt_id", "e.receipt_rut", "e.doctor_rut", "e.total", "e.unread_fields", "e.created_at"])
    .select(sql<string | null>`e.service_date::text`.as("service_date"))
    .where("e.beneficiary_id", "=", beneficiaryId)
    .orderBy("e.created_at")
    .orderBy("e.id")
    .execute();
  const files = await db
    .selectFrom("expense_files as f")
    .innerJoin("expenses as e", (join) =>
      join.onRef("e.provider_id", "=", "f.provider_id").onRef("e.id", "=", "f.expense_id"),
    )
    .select(["f.expense_id", "f.name", "f.type", "f.bytes"])
    .where("e.beneficiary_id", "=", beneficiaryId)
    .orderBy("f.position")
    .execute();
  return rows.map((row) => ({
    id: row.id,
    providerId: row.provider_id,
    orderId: row.order_id,
    status: row.status,
    name: row.name,
    serviceDate: row.service_date,
    receiptId: row.receipt_id,
    receiptRut: row.receipt_rut,
    doctorRut: row.doctor_rut,
    total: row.total,
    unread: row.unread_fields as Readonly<Record<string, string>>,
    receivedAt: row.created_at,
    files: files
      .filter(({ expense_id }) => expense_id === row.id)
      .map(({ name, type, bytes }) => ({ name, type, bytes })),
  }));
}

/** Deletes the files of a patient's expenses; returns their names in the storage. */
export async function deleteExpenseFiles(tx: Transaction, beneficiaryId: string): Promise<string[]> {
  const files = await tx
    .deleteFrom("expense_files")
    .using("expenses")
    .whereRef("expenses.provider_id", "=", "expense_files.provider_id")
    .whereRef("expenses.id", "=", "expense_files.expense_id")
    .where("expenses.beneficiary_id", "=", beneficiaryId)
    .returning("expense_files.storage_name")
    .execute();
  return files.map(({ storage_name }) => storage_name);
}

/** Clears what was read from a patient's documents. */
export async function emptyExpenses(tx: Transaction, beneficiaryId: string): Promise<void> {
  await tx
    .updateTable("expenses")
    .set({ name: null, service_date: null, receipt_id: null, receipt_rut: null, doctor_rut: null })
    .set({ total: null, subtypes: [], unread_fields: "{}" })
    .where("beneficiary_id", "=", beneficiaryId)
    .execute();
}

/** Selects the orders of a patient's claims: `provider_id, order_id`. */
export function patientClaimKeys(beneficiaryId: string): RawBuilder<unknown> {
  return sql`select provider_id, order_id from claims where beneficiary_id = ${beneficiaryId}`;
}

/** Clears what insurers have answered and paid. */
export async function emptyClaims(tx: Transaction, beneficiaryId: string): Promise<void> {
  await sql`update claims set reimbursed = null, rejection_code = null, reason = case state when 'stopped' then reason end
    where beneficiary_id = ${beneficiaryId}`.execute(tx);
}
