import * as z from "zod/mini";
import { timestampSchema } from "./orders.ts";
import { calendarDaySchema, existingDaySchema } from "./vocabulary/calendar-day.ts";
import { clpSchema } from "./vocabulary/clp.ts";
import { orderHashSchema } from "./vocabulary/identifiers.ts";

/** The maximum number of days of one reconciliation. */
export const RECONCILED_DAYS_MAX = 31;

/** Calendar days in America/Santiago, both included; the default is yesterday and today. */
export const reconciliationQuerySchema = z.object({
  from: z.optional(existingDaySchema),
  to: z.optional(existingDaySchema),
});

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
  "patient_holds_too_much",
  "commission_held",
  "commission_without_document",
  "document_without_commission",
  "document_amount_differs",
  "settlement_missing",
  "settlement_not_booked",
  "settlement_amount_differs",
  "settled_differs",
  "not_settled",
]);
/**
 * The kind of a difference: `…_missing` is only in our books, `…_not_booked` only on the gateway's list;
 * `commission_without_document` and `document_without_commission` likewise. `settled_differs`: the card processor has
 * settled another amount than was captured or returned. `not_settled`: it has settled nothing of it for days.
 */
export type DifferenceKind = z.infer<typeof differenceKindSchema>;

export const reconciledPartySchema = z.enum([
  "card_processor",
  "financing_provider",
  "bank",
  "tax_documents",
  "ledger",
]);
export type ReconciledParty = z.infer<typeof reconciledPartySchema>;

/** A difference between two records. Amounts are in pesos. */
export const differenceSchema = z.object({
  kind: differenceKindSchema,
  /** The gateway whose list differs from the ledger; `ledger` if the order itself differs from it. */
  party: reconciledPartySchema,
  order_hash: z.nullable(orderHashSchema),
  /** The id of our attempt, movement or payout, or the gateway's own id if we have none. */
  reference: z.string(),
  /** The amount in the ledger, or in the order for `ledger`; null if absent. */
  expected: z.nullable(clpSchema),
  /** The amount on the gateway's list, or in the ledger for `ledger`; null if absent. */
  found: z.nullable(clpSchema),
  at: timestampSchema,
});
export type WireDifference = z.infer<typeof differenceSchema>;

/** Response of `GET /api/reconciliation`. */
export const reconciliationSchema = z.object({
  from: calendarDaySchema,
  to: calendarDaySchema,
  checked_at: timestampSchema,
  /** Whether every compared record agrees and every gateway's list was available. */
  agrees: z.boolean(),
  /** The gateways whose list was unavailable; their records were not compared. */
  unavailable: z.array(reconciledPartySchema),
  /** How many lines were compared. */
  compared: z.object({
    orders: z.int(),
    card_movements: z.int(),
    loans: z.int(),
    bank_transfers: z.int(),
    tax_documents: z.optional(z.int()),
    ledger_transfers: z.int(),
  }),
  /** Balances of all time: debits less credits of each account. All balances add up to zero. */
  balances: z.array(z.object({ account: z.string(), balance: clpSchema })),
  differences: z.array(differenceSchema),
});
export type ReconciliationResponse = z.infer<typeof reconciliationSchema>;
