import * as z from "zod/mini";
import type { PayloadsOf } from "../../platform/outbox.ts";

const expenseEventSchema = z.object({
  expense_id: z.string(),
  /** Null for an expense without an order. */
  order_hash: z.nullable(z.string()),
});

/** The events that expenses publish; a subscriber reads everything else from the expense. */
export const expenseEvents = {
  "expense.received": expenseEventSchema,
  /** Documents were added to an expense that had been received before. */
  "expense.completed": expenseEventSchema,
} as const;

declare module "../../platform/outbox.ts" {
  interface EventMap extends PayloadsOf<typeof expenseEvents> {}
}
