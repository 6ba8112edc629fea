import { type Selectable, sql } from "kysely";
import * as z from "zod/mini";
import type { ExpenseStatus, ExpenseSubtype } from "../../contract/expenses.ts";
import { type Clp, clp } from "../../contract/vocabulary/clp.ts";
import type { OrderId } from "../../contract/vocabulary/identifiers.ts";
import {
  caller,
  NO_COLUMN,
  type ReadColumn,
  type RowInColumn,
  readColumn,
  rowInColumn,
} from "../../platform/database/read-column.ts";
import type { ExpenseFilesRow, ExpensesRow } from "../../platform/database/tables.ts";
import type { Database, StatementPart, Transaction } from "../../platform/database/transaction.ts";
import type { ExpenseFields, UnreadFields } from "./expense-fields.ts";
import type { ReceivedFile } from "./receive-file.ts";

/** An expense with its files, the receipt first. */
export interface Expense {
  readonly providerId: string;
  readonly id: string;
  readonly beneficiaryId: string;
  /** Null for an expense without an order. */
  readonly orderId: OrderId | null;
  readonly status: ExpenseStatus;
  readonly receiptId: string | null;
  readonly total: Clp | null;
  readonly unread: UnreadFields;
  readonly subtypes: readonly ExpenseSubtype[];
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly files: readonly ReceivedFile[];
}

/** Inserts an expense without its files, unless its order already has one. Returns whether it was inserted. */
export async function insertExpense(
  tx: Transaction,
  expense: Omit<Expense, "files">,
  sent: { readonly fields: ExpenseFields; readonly at: Date },
): Promise<boolean> {
  const { fields, at } = sent;
  const result = await tx
    .insertInto("expenses")
    .values({
      provider_id: expense.providerId,
      id: expense.id,
      beneficiary_id: expense.beneficiaryId,
      order_id: expense.orderId,
      status: expense.status,
      name: fields.name,
      service_date: fields.date,
      receipt_id: fields.receiptId,
      receipt_rut: fields.receiptRut,
      doctor_rut: fields.doctorRut,
      total: fields.total,
      subtypes: [...fields.subtypes],
      unread_fields: JSON.stringify(fields.unread),
      created_at: at,
      updated_at: at,
    })
    .onConflict((conflict) =>
      conflict.columns(["provider_id", "order_id"]).where("order_id", "is not", null).doNothing(),
    )
    .executeTakeFirst();
  return result.numInsertedOrUpdatedRows === 1n;
}

/** Locks the expense of an order and reads it with its files; `null` if the order has none. */
export async function lockExpenseOfOrder(
  tx: Transaction,
  order: Pick<Expense, "providerId" | "orderId">,
): Promise<Expense | null> {
  // Two statements, because one that waits for a locked row reads all other rows as of its start.
  const { rows } = await sql`
    select 1 from expenses where provider_id = ${order.providerId} and order_id = ${order.orderId} for update
  `.execute(tx);
  return rows.length === 0 ? null : readExpenseOfOrder(tx, order);
}

export function readExpenseOfOrder(
  db: Database,
  { providerId, orderId }: Pick<Expense, "providerId" | "orderId">,
): Promise<Expense | null> {
  return readColumn(db, expenseColumn({ providerId: sql`${providerId}`, orderId: sql`${orderId}` }));
}

/** The expense of an order with its files, as a column of a statement. */
export function expenseColumn({
  providerId,
  orderId,
}: {
  readonly providerId: StatementPart;
  readonly orderId: StatementPart;
}): ReadColumn<Expense> {
  return columnOfExpense(sql`e.provider_id = ${providerId}::uuid and e.order_id = ${orderId}::uuid`);
}

/** The caller's own expense with its files, as a column of the statement that authorizes a request. */
export function ownExpenseColumn(id: string): ReadColumn<Expense> {
  return z.uuid().safeParse(id).success
    ? columnOfExpense(sql`e.provider_id = ${caller.providerId} and e.id = ${id}::uuid`)
    : NO_COLUMN;
}

/** At most `limit` of a provider's expenses with their files, newest first. */
export async function selectExpenses(
  db: Database,
  {
    providerId,
    orderId,
    after,
    limit,
  }: {
    readonly providerId: string;
    /** Only the expense of this order; null for all. */
    readonly orderId: OrderId | null;
    /** The expense after which the page starts. */
    readonly after: string | null;
    readonly limit: number;
  },
): Promise<Expense[]> {
  const conditions = [
    sql`e.provider_id = ${providerId}::uuid`,
    ...(orderId === null ? [] : [sql`e.order_id = ${orderId}::uuid`]),
    ...(after === null
      ? []
      : [
          sql`(e.created_at, e.id) < (select created_at, id from expenses where provider_id = ${providerId}::uuid and id = ${after}::uuid)`,
        ]),
  ];
  const { rows } = await sql<{ found: unknown }>`
    select to_json(found) as found from (
      ${expensesWhere(sql.join(conditions, sql` and `))} order by e.created_at desc, e.id desc limit ${limit}
    ) as found order by found.created_at desc, found.id desc`.execute(db);
  return rows.map(({ found }) => readExpenseJson(found));
}

/** The expense that meets a condition, with its files. */
function columnOfExpense(condition: StatementPart): ReadColumn<Expense> {
  return {
    column: sql`(select to_json(found) from (${expensesWhere(condition)}) as found)`,
    read: (column) => (column === null ? null : readExpenseJson(column)),
  };
}

/** A subquery for the expenses `e` that meet a condition, each with its files. */
function expensesWhere(condition: StatementPart): StatementPart {
  return sql`
    select e.*, coalesce((select json_agg(f order by f.position) from expense_files as f
      where f.provider_id = e.provider_id and f.expense_id = e.id), '[]') as files
    from expenses as e where ${condition}`;
}

/** Parses a row of `expensesWhere` as JSON. */
function readExpenseJson(found: unknown): Expense {
  const { files, ...row } = found as RowInColumn<ExpenseRow> & { readonly files: readonly FileRow[] };
  return toExpense(rowInColumn<ExpenseRow>(row, ["created_at", "updated_at"]), files.map(toFile));
}

type ExpenseRow = Selectable<ExpensesRow>;
type FileRow = Pick<Selectable<ExpenseFilesRow>, "name" | "type" | "bytes" | "sha256" | "storage_name" | "is_locked">;

export function readExpense(
  db: Database,
  { providerId, id }: { readonly providerId: string; readonly id: string },
): Promise<Expense | null> {
  return readColumn(db, columnOfExpense(sql`e.provider_id = ${providerId}::uuid and e.id = ${id}::uuid`));
}

/** The day of the service as the receipt of an order says it. */
export async function readServiceDate(
  db: Database,
  order: { readonly providerId: string; readonly orderId: OrderId },
): Promise<string | null> {
  const row = await db
    .selectFrom("expenses")
    .select(sql<string | null>`service_date::text`.as("service_date"))
    .where("provider_id", "=", order.providerId)
    .where("order_id", "=", order.orderId)
    .executeTakeFirst();
  return row?.service_date ?? null;
}

export async function writePatientOfExpense(
  tx: Transaction,
  { providerId, id }: Pick<Expense, "providerId" | "id">,
  beneficiaryId: string,
): Promise<void> {
  await tx
    .updateTable("expenses")
    .set({ beneficiary_id: beneficiaryId })
    .where("provider_id", "=", providerId)
    .where("id", "=", id)
    .execute();
}

/** Appends files to an expense. */
export async function insertFiles(
  tx: Transaction,
  expense: Pick<Expense, "providerId" | "id" | "files">,
  files: readonly ReceivedFile[],
  at: Date,
): Promise<void> {
  if (files.length === 0) return;
  const rows = files.map((file, index) => ({
    provider_id: expense.providerId,
    expense_id: expense.id,
    position: expense.files.length + index + 1,
    name: file.name,
    type: file.type,
    bytes: file.bytes,
    sha256: file.sha256,
    storage_name: file.storageName,
    is_locked: file.isLocked,
    created_at: at,
  }));
  await tx.insertInto("expense_files").values(rows).execute();
}

/** Writes the status of a locked expense. */
export async function writeStatus(
  tx: Transaction,
  key: { readonly providerId: string; readonly id: string },
  { to, at }: { readonly to: ExpenseStatus; readonly at: Date },
): Promise<void> {
  await tx
    .updateTable("expenses")
    .set({ status: to, updated_at: at })
    .where("provider_id", "=", key.providerId)
    .where("id", "=", key.id)
    .execute();
}

/** Replaces the kinds of service of an expense, after a repeated submission has added some. */
export async function writeSubtypes(
  tx: Transaction,
  key: { readonly providerId: string; readonly id: string },
  change: { readonly subtypes: readonly ExpenseSubtype[]; readonly at: Date },
): Promise<void> {
  await tx
    .updateTable("expenses")
    .set({ subtypes: [...change.subtypes], updated_at: change.at })
    .where("provider_id", "=", key.providerId)
    .where("id", "=", key.id)
    .execute();
}

/** Replaces the file of an expense's receipt. Returns the storage name of the previous file. */
export async function replaceReceipt(
  tx: Transaction,
  expense: Pick<Expense, "providerId" | "id" | "files">,
  { name, type, bytes, sha256, storageName, isLocked }: ReceivedFile,
  at: Date,
): Promise<string | null> {
  await tx
    .updateTable("expense_files")
    .set({ name, type, bytes, sha256, storage_name: storageName, is_locked: isLocked, created_at: at })
    .where("provider_id", "=", expense.providerId)
    .where("expense_id", "=", expense.id)
    .where("position", "=", 1)
    .execute();
  return expense.files[0]?.storageName ?? null;
}

/** Writes field values that were unreadable or missing when the expense was recorded. */
export async function completeFields(
  tx: Transaction,
  key: { readonly providerId: string; readonly id: string },
  { fields, unread, at }: { readonly fields: ExpenseFields; readonly unread: UnreadFields; readonly at: Date },
): Promise<void> {
  await tx
    .updateTable("expenses")
    .set((update) => ({
      name: update.fn.coalesce("name", update.val(fields.name)),
      service_date: update.fn.coalesce("service_date", update.val(fields.date)),
      receipt_id: update.fn.coalesce("receipt_id", update.val(fields.receiptId)),
      receipt_rut: update.fn.coalesce("receipt_rut", update.val(fields.receiptRut)),
      doctor_rut: update.fn.coalesce("doctor_rut", update.val(fields.doctorRut)),
      total: update.fn.coalesce("total", update.val(fields.total)),
      unread_fields: JSON.stringify(unread),
      updated_at: at,
    }))
    .where("provider_id", "=", key.providerId)
    .where("id", "=", key.id)
    .execute();
}

/** The number of expenses that a patient has sent, over all providers. */
export async function countExpenses(db: Database, beneficiaryId: string): Promise<number> {
  const { count } = await db
    .selectFrom("expenses")
    .select((select) => select.fn.countAll<number>().as("count"))
    .where("beneficiary_id", "=", beneficiaryId)
    .executeTakeFirstOrThrow();
  return count;
}

/** Returns the stored files among these that belong to an expense. */
export async function readKeptStorageNames(db: Database, names: readonly string[]): Promise<Set<string>> {
  const rows = await db
    .selectFrom("expense_files")
    .select("storage_name")
    .where("storage_name", "in", [...names])
    .execute();
  return new Set(rows.map(({ storage_name }) => storage_name));
}

function toFile({ name, type, bytes, sha256, storage_name, is_locked }: FileRow): ReceivedFile {
  return { name, type, bytes, sha256, storageName: storage_name, isLocked: is_locked };
}

function toExpense(row: Selectable<ExpensesRow>, files: readonly ReceivedFile[]): Expense {
  return {
    providerId: row.provider_id,
    id: row.id,
    beneficiaryId: row.beneficiary_id,
    orderId: row.order_id,
    status: row.status,
    receiptId: row.receipt_id,
    unread: row.unread_fields as UnreadFields,
    total: row.total === null ? null : clp(row.total),
    subtypes: row.subtypes,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    files,
  };
}

/** Names of stored files after a name, in ascending order. */
export async function selectFileNames(
  db: Database,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<string[]> {
  const rows = await db
    .selectFrom("expense_files")
    .select("storage_name")
    .where("storage_name", ">", after)
    .orderBy("storage_name")
    .limit(limit)
    .execute();
  return rows.map(({ storage_name }) => storage_name);
}
