import * as z from "zod/mini";
import type { Order } from "../contract/orders.ts";
import { calendarDaySchema } from "../contract/vocabulary/calendar-day.ts";
import type { OrderId } from "../contract/vocabulary/identifiers.ts";
import type { Database } from "../platform/database/transaction.ts";
import type { PayloadsOf } from "../platform/outbox.ts";
import type { CalendarDay } from "../platform/santiago-time.ts";
import { countExpenses, readExpenseOfOrder, readServiceDate, selectFileNames } from "./expenses/expense-store.ts";

/** The number of expenses that a patient has sent. It limits the free trial. */
export function countExpensesSent(db: Database, beneficiaryId: string): Promise<number> {
  return countExpenses(db, beneficiaryId);
}

/** The expense part of an order's view; null if none was submitted. */
export async function expenseOfOrder(db: Database, providerId: string, orderId: OrderId): Promise<Order["expense"]> {
  const expense = await readExpenseOfOrder(db, { providerId, orderId });
  return expense === null ? null : { id: expense.id, status: expense.status };
}

/** The day of the service as the receipt of an order names it; `null` if it is not known. */
export async function serviceDayOfOrder(
  db: Database,
  order: { readonly providerId: string; readonly orderId: OrderId },
): Promise<CalendarDay | null> {
  return calendarDaySchema.safeParse(await readServiceDate(db, order)).data ?? null;
}

/** The names under which receipts and documents are stored, page by page. */
export function readFileNames(
  db: Database,
  page: { readonly after: string; readonly limit: number },
): Promise<string[]> {
  return selectFileNames(db, page);
}

const expenseEventSchema = z.object({
  expense_id: z.string(),
  /** Null for an expense without an order. */
  order_hash: z.nullable(z.string()),
});

/** The events that expenses publish. A subscriber reads all other data from the expense. */
export const expenseEvents = {
  "expense.received": expenseEventSchema,
  /** Documents were added to an expense received earlier. */
  "expense.completed": expenseEventSchema,
} as const;

declare module "../platform/outbox.ts" {
  interface EventMap extends PayloadsOf<typeof expenseEvents> {}
}
