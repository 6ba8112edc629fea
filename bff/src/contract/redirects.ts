import * as z from "zod/mini";
import { refusedInstalmentSchema } from "./errors.ts";
import { waitsForSchema } from "./orders.ts";
import { clpSchema } from "./vocabulary/clp.ts";
import { widgetTokenSchema } from "./vocabulary/identifiers.ts";

/*
 * The way back from a page of the card's issuer or of the card processor: what the page at
 * `{widget_host}/return/{reference}` asks. It is the only address to which they return a patient.
 */

/** For how long a return URL shows how its payment or card stands. */
export const RETURN_HOURS = 24;

/** Body of `POST /api/spot/returns/{reference}`. */
export const readReturnRequestSchema = z.object({
  /** The token of the page that the patient left in the same window, to learn whether they can continue there. */
  widget_token: z.optional(widgetTokenSchema),
});
export type ReadReturnRequest = z.input<typeof readReturnRequestSchema>;

export const readReturnResponseSchema = z.object({
  /** What the patient was away for. */
  purpose: z.enum(["payment", "card", "card_change", "pay_early"]),
  /**
   * `declined`: nothing was charged or changed, and another try may be made. `refused`: the payment is over for good.
   * `to_continue`: the card was given, and its issuer has still to ask. `closed`: nothing more can be paid or changed.
   */
  status: z.enum([
    "paid",
    "refunded",
    "card_added",
    "card_changed",
    "processing",
    "to_continue",
    "declined",
    "refused",
    "closed",
  ]),
  /** With `processing`: the party that has not responded; `patient`: they may still be at the page. */
  waits_for: z.nullable(waitsForSchema),
  /** With `paid`: the charged amount. */
  amount: z.nullable(clpSchema),
  /** With `refused`: the outcome of the first instalment. */
  first_instalment: z.nullable(refusedInstalmentSchema),
  /** Whether the page of the request's token can be opened again: it is of this order, and has not expired. */
  can_continue: z.boolean(),
});
export type ReadReturnResponse = z.infer<typeof readReturnResponseSchema>;
