import * as z from "zod/mini";
import { calendarDaySchema, timestampSchema } from "./orders.ts";
import { clpSchema } from "./vocabulary/clp.ts";
import { orderHashSchema } from "./vocabulary/identifiers.ts";

/** Days that one reconciliation may look at. */
export const RECONCILED_DAYS_MAX = 31;

const daySchema = calendarDaySchema.check(z.refine(isDay, "must be a day of the calendar"));

/** 30 February is read as 2 March. */
function isDay(text: string): boolean {
  const moment = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(moment.getTime()) && moment.toISOString().startsWith(text);
}

/** Calendar days in America/Santiago, both included; left out, yesterday and today. */
export const reconciliationQuerySchema = z.object({ from: z.optional(daySchema), to: z.optional(daySchema) });

export const differenceKindSchema = z.enum([
  "charge_missing",
  "charge_not_booked",
  "charge_amount_differs",
  "return_missing",
  "return_not_booked",
  "return_amount_differs",
  "chargeback",
  "loan_missing",
  "loan_not_booked",
  "loan_amount_differs",
  "payout_missing",
  "payout_not_booked",
  "payout_amount_differs",
  "order_price_differs",
  "order_collection_differs",
]);
/** What does not agree: `…_missing` is in our books only, `…_not_booked` on the party's list only. */
export type DifferenceKind = z.infer<typeof differenceKindSchema>;

export const reconciledPartySchema = z.enum(["card_processor", "financing_provider", "bank", "ledger"]);
export type ReconciledParty = z.infer<typeof reconciledPartySchema>;

/** One thing on which two records do not agree. Amounts are pesos. */
export const differenceSchema = z.object({
  kind: differenceKindSchema,
  /** Whose list does not agree with the ledger; `ledger`: the order itself does not. */
  party: reconciledPartySchema,
  order_hash: z.nullable(orderHashSchema),
  /** The line: the id of our attempt, movement or payout, or the party's own where we have none. */
  reference: z.string(),
  /** By the ledger, or by the order; null: nothing. */
  expected: z.nullable(clpSchema),
  /** By the party's list, or by the ledger; null: nothing. */
  found: z.nullable(clpSchema),
  at: timestampSchema,
});
export type WireDifference = z.infer<typeof differenceSchema>;

/** Answer of `GET /api/reconciliation`. */
export const reconciliationSchema = z.object({
  from: calendarDaySchema,
  to: calendarDaySchema,
  checked_at: timestampSchema,
  /** Everything that was looked at agrees, and every party's list could be had. */
  agrees: z.boolean(),
  /** Parties whose list could not be had; what concerns them was not compared. */
  unavailable: z.array(reconciledPartySchema),
  /** How many lines were compared. */
  compared: z.object({
    orders: z.int(),
    card_movements: z.int(),
    loans: z.int(),
    bank_transfers: z.int(),
    ledger_transfers: z.int(),
  }),
  /** Of all time: debits less credits of each account, which sum to nothing. */
  balances: z.array(z.object({ account: z.string(), balance: clpSchema })),
  differences: z.array(differenceSchema),
});
export type ReconciliationResponse = z.infer<typeof reconciliationSchema>;
