import * as z from "zod/mini";
import { timestampSchema } from "./orders.ts";
import { payoutSchema } from "./payouts.ts";
import { clpSchema } from "./vocabulary/clp.ts";
import { orderHashSchema } from "./vocabulary/identifiers.ts";

/** `YYYY-MM`, a month in America/Santiago. */
const monthSchema = z.string().check(z.regex(/^20\d{2}-(0[1-9]|1[0-2])$/, "must be a month such as 2026-11"));

/** The maximum number of movements of one answer. */
export const STATEMENT_MOVEMENTS_MAX = 50_000;

/** Query of `GET /api/statement`; the default is the current month. */
export const statementQuerySchema = z.object({ month: z.optional(monthSchema) });

/** `sale_returned`: a first instalment that went back because the credit was refused. */
export const statementMovementKindSchema = z.enum([
  "sale",
  "sale_returned",
  "refund",
  "fee",
  "fee_vat",
  "payout",
  "payout_returned",
]);

/** A change of the amount owed to a payee for an order. */
export const statementMovementSchema = z.object({
  at: timestampSchema,
  kind: statementMovementKindSchema,
  order_hash: orderHashSchema,
  reference: z.string(),
  refund_reference: z.nullable(z.string()),
  payout_id: z.nullable(z.string()),
  amount: clpSchema,
  /** Owed after it. */
  balance: clpSchema,
});

/** A month of the account of the provider itself, or of one of its centres. */
export const statementAccountSchema = z.object({
  payee: payoutSchema.shape.payee,
  name: z.string(),
  opening: clpSchema,
  movements: z.array(statementMovementSchema),
  closing: clpSchema,
});

/** Response of `GET /api/statement`. */
export const statementSchema = z.object({ month: monthSchema, accounts: z.array(statementAccountSchema) });
export type StatementResponse = z.infer<typeof statementSchema>;
