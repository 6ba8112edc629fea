import type { Order } from "../../contract/orders.ts";
import type { OrderId } from "../../contract/vocabulary/identifiers.ts";
import type { Database } from "../../platform/database/transaction.ts";
import { countExpenses, readExpenseOfOrder, selectFileNames } from "./expense-store.ts";

/** How many expenses a patient has sent; the free trial is limited by this number. */
export function countExpensesSent(db: Database, beneficiaryId: string): Promise<number> {
  return countExpenses(db, beneficiaryId);
}

/** What an order shows of its expense; `null` if none has been submitted. */
export async function expenseOfOrder(db: Database, providerId: string, orderId: OrderId): Promise<Order["expense"]> {
  const expense = await readExpenseOfOrder(db, { providerId, orderId });
  return expense === null ? null : { id: expense.id, status: expense.status };
}

/** The names under which receipts and documents are stored, page by page. */
export function readFileNames(
  db: Database,
  page: { readonly after: string; readonly limit: number },
): Promise<string[]> {
  return selectFileNames(db, page);
}
