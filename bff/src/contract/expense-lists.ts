import * as z from "zod/mini";
import {
  expenseStatusSchema,
  missingDocumentSchema,
  optionalExpenseFieldSchema,
  processedFileSchema,
} from "./expenses.ts";
import { timestampSchema } from "./orders.ts";
import { orderHashSchema } from "./vocabulary/identifiers.ts";
import { pageLimitSchema } from "./vocabulary/page.ts";

/**
 * Query of `GET /api/spot/gastos`. `after` is the `next` of the page before; with `skip_pay_order_id` the list has at
 * most that order's expense.
 */
export const listExpensesQuerySchema = z.object({
  skip_pay_order_id: z.optional(orderHashSchema),
  after: z.optional(z.uuid()),
  limit: pageLimitSchema,
});
export type ListExpensesQuery = z.output<typeof listExpensesQuerySchema>;

/** An expense as its clinic reads it later. */
export const storedExpenseSchema = z.object({
  id: z.uuid(),
  status: expenseStatusSchema,
  aapd: z.boolean(),
  skip_pay_order_id: z.nullable(z.string()),
  processed_files: z.array(processedFileSchema),
  missing_document_types: z.array(missingDocumentSchema),
  unread_fields: z.array(optionalExpenseFieldSchema),
  created_at: timestampSchema,
  updated_at: timestampSchema,
});
export type StoredExpense = z.infer<typeof storedExpenseSchema>;

/** Newest first. `next` is null on the last page. */
export const storedExpensesSchema = z.object({
  expenses: z.array(storedExpenseSchema),
  next: z.nullable(z.uuid()),
});
export type StoredExpenses = z.infer<typeof storedExpensesSchema>;
