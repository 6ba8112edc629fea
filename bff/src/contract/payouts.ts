import * as z from "zod/mini";
import { timestampSchema } from "./orders.ts";
import { calendarDaySchema, existingDaySchema } from "./vocabulary/calendar-day.ts";
import { clpSchema } from "./vocabulary/clp.ts";
import { orderHashSchema } from "./vocabulary/identifiers.ts";

/** The maximum number of days of one list of payouts. */
export const PAYOUT_DAYS_MAX = 31;

/** Calendar days in America/Santiago, both included; the default is the last 31 days. */
export const payoutsQuerySchema = z.object({ from: z.optional(existingDaySchema), to: z.optional(existingDaySchema) });

/** `refused`: the bank did not pay it, or sent it back; its orders are in a later payout. */
export const payoutStatusSchema = z.enum(["sending", "paid", "refused"]);

/** The payout to the provider or one of its centres on a day. */
export const payoutSchema = z.object({
  id: z.string(),
  /** The recipient: the provider itself, or its centre with this id. */
  payee: z.object({ kind: z.enum(["provider", "center"]), id: z.string() }),
  day: calendarDaySchema,
  amount: clpSchema,
  status: payoutStatusSchema,
  /** Why the bank refused or returned it. */
  refusal: z.nullable(z.string()),
  /** The bank's id of the transfer. */
  transfer_id: z.nullable(z.string()),
  settled_at: z.nullable(timestampSchema),
  /** The latest time at which the bank makes it; absent unless it has accepted it for later. */
  ends_by: z.optional(timestampSchema),
  /** When the money came back; absent unless it did. */
  returned_at: z.optional(timestampSchema),
});

/** Response of `GET /api/payouts`. */
export const payoutsSchema = z.object({
  from: calendarDaySchema,
  to: calendarDaySchema,
  payouts: z.array(payoutSchema),
});
export type PayoutsResponse = z.infer<typeof payoutsSchema>;

/** An order's part of a payout; negative if a refund takes back an earlier part. */
export const payoutItemSchema = z.object({
  order_hash: orderHashSchema,
  reference: z.string(),
  /** Paid out, after the fee. */
  net: clpSchema,
  /** Kept by the service, VAT included. */
  fee: clpSchema,
  /** The VAT in the fee; 0 if it is exempt. */
  fee_vat: clpSchema,
});

/** Response of `GET /api/payouts/{id}`. */
export const payoutWithItemsSchema = z.extend(payoutSchema, { items: z.array(payoutItemSchema) });
export type PayoutResponse = z.infer<typeof payoutWithItemsSchema>;
