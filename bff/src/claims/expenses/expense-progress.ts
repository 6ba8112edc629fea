import type { ExpenseStatus } from "../../contract/expenses.ts";
import type { OrderId } from "../../contract/vocabulary/identifiers.ts";
import type { ReadColumn } from "../../platform/database/read-column.ts";
import type { Database, StatementPart, Transaction } from "../../platform/database/transaction.ts";
import {
  type Expense,
  expenseColumn,
  lockExpenseOfOrder,
  readExpense,
  writePatientOfExpense,
  writeStatus,
} from "./expense-store.ts";

/** An expense with its files, as claim filing reads it. */
export type SubmittedExpense = Expense;

/** Locks the expense of an order until the transaction ends, and reads it; `null` if none has been submitted. */
export function lockSubmittedExpense(
  tx: Transaction,
  order: { readonly providerId: string; readonly orderId: OrderId },
): Promise<SubmittedExpense | null> {
  return lockExpenseOfOrder(tx, order);
}

/** The expense of an order as a column of a statement. */
export function namedExpense(order: {
  readonly providerId: StatementPart;
  readonly orderId: StatementPart;
}): ReadColumn<SubmittedExpense> {
  return expenseColumn(order);
}

export function findSubmittedExpense(
  db: Database,
  key: { readonly providerId: string; readonly id: string },
): Promise<SubmittedExpense | null> {
  return readExpense(db, key);
}

/** Moves a locked expense to another record of its patient. */
export async function giveExpenseTo(
  tx: Transaction,
  expense: SubmittedExpense,
  beneficiaryId: string,
): Promise<SubmittedExpense> {
  await writePatientOfExpense(tx, expense, beneficiaryId);
  return { ...expense, beneficiaryId };
}

/** Sets the status of an order's locked expense after its claim has changed. */
export async function setExpenseStatus(
  tx: Transaction,
  expense: Pick<SubmittedExpense, "providerId" | "id" | "status">,
  change: { readonly to: ExpenseStatus; readonly at: Date },
): Promise<void> {
  if (expense.status !== change.to) await writeStatus(tx, expense, change);
}
