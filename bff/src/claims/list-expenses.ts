import type { ListExpensesQuery, StoredExpense, StoredExpenses } from "../contract/expense-lists.ts";
import { optionalExpenseFieldSchema } from "../contract/expenses.ts";
import { PAGE_MAX } from "../contract/vocabulary/page.ts";
import type { Database } from "../platform/database/transaction.ts";
import { pageOf, unknownPlace } from "../platform/http/list-page.ts";
import { type Loading, loading } from "../platform/http/route.ts";
import { type ClaimRecord, readClaimOfOrder, readClaimsOfOrders } from "./claim-store.ts";
import { type Expense, ownExpenseColumn, readExpense, selectExpenses } from "./expenses/expense-store.ts";
import { documentsMissingOf } from "./filing-facts.ts";

/** One page of a provider's expenses, newest first. Throws `validation_error` if `after` is none of them. */
export async function listExpenses(
  db: Database,
  providerId: string,
  query: ListExpensesQuery,
): Promise<StoredExpenses> {
  const after = query.after ?? null;
  if (after !== null && (await readExpense(db, { providerId, id: after })) === null) throw unknownPlace();
  const orderId = query.skip_pay_order_id ?? null;
  const limit = Number(query.limit ?? PAGE_MAX);
  const found = await selectExpenses(db, { providerId, orderId, after, limit: limit + 1 });
  const { entries, next } = pageOf(found, limit);
  const orderIds = entries.flatMap((expense) => expense.orderId ?? []);
  const claims = await readClaimsOfOrders(db, { providerId, orderIds });
  const claimOf = (expense: Expense) => (expense.orderId === null ? null : (claims.get(expense.orderId) ?? null));
  return { expenses: entries.map((expense) => expenseView(expense, claimOf(expense))), next };
}

/** Loads the caller's own expense; 404 `expense_not_found` for any other. */
export function loadOwnExpense(id: string): Loading<Expense> {
  return loading(ownExpenseColumn(id), "expense_not_found");
}

/**
 * An expense as its clinic reads it: its current status, and the documents that our rules or the insurer still require.
 */
export async function showExpense(db: Database, expense: Expense): Promise<StoredExpense> {
  const { providerId, orderId } = expense;
  return expenseView(expense, orderId === null ? null : await readClaimOfOrder(db, { providerId, orderId }));
}

function expenseView(expense: Expense, claim: ClaimRecord | null): StoredExpense {
  return {
    id: expense.id,
    status: expense.status,
    aapd: expense.orderId !== null,
    skip_pay_order_id: expense.orderId,
    processed_files: expense.files.map(({ name, bytes, type }) => ({ name, bytes, type })),
    missing_document_types: documentsMissingOf(expense, claim),
    unread_fields: optionalExpenseFieldSchema.options.filter((name) => name in expense.unread),
    created_at: expense.createdAt.toISOString(),
    updated_at: expense.updatedAt.toISOString(),
  };
}
