import * as z from "zod/mini";
import type { PayloadsOf } from "../../platform/outbox.ts";

const expenseEventSchema = z.object({
  expense_id: z.string(),
  /** Null for an expense that belongs to no order. */
  order_hash: z.nullable(z.string()),
});

/** What expenses publish; a subscriber reads the rest by itself. */
export const expenseEvents = {
  "expense.received": expenseEventSchema,
  /** Documents were added to one that was received before. */
  "expense.completed": expenseEventSchema,
} as const;

declare module "../../platform/outbox.ts" {
  interface EventMap extends PayloadsOf<typeof expenseEvents> {}
}
