import * as z from "zod/mini";
import { refusedInstalmentSchema } from "./errors.ts";
import { waitsForSchema } from "./orders.ts";
import { clpSchema } from "./vocabulary/clp.ts";
import { widgetTokenSchema } from "./vocabulary/identifiers.ts";

/*
 * The call of the page at `{widget_host}/return/{reference}`, the only address to which pages of card issuers and of
 * the card processor return patients.
 */

/** How long a return URL shows the state of its payment or card. */
export const RETURN_HOURS = 24;

/** Body of `POST /api/spot/returns/{reference}`. */
export const readReturnRequestSchema = z.object({
  /** The token of the page that the patient left in the same window, to learn whether they can continue there. */
  widget_token: z.optional(widgetTokenSchema),
});
export type ReadReturnRequest = z.input<typeof readReturnRequestSchema>;

export const readReturnResponseSchema = z.object({
  /** The purpose of the redirect. */
  purpose: z.enum(["payment", "card", "card_change", "pay_early"]),
  /**
   * `declined`: nothing was charged or changed, and the patient may try again. `refused`: the payment has ended for
   * good. `to_continue`: the card was added, and its issuer's challenge follows. `closed`: nothing more can be paid or
   * changed.
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
  /** With `processing`: the party that has not responded. `patient`: they may still be on the page. */
  waits_for: z.nullable(waitsForSchema),
  /** With `paid`: the charged amount. */
  amount: z.nullable(clpSchema),
  /** With `refused`: the outcome of the first instalment. */
  first_instalment: z.nullable(refusedInstalmentSchema),
  /** Whether the page of the request's token can be reopened: it belongs to this order and has not expired. */
  can_continue: z.boolean(),
});
export type ReadReturnResponse = z.infer<typeof readReturnResponseSchema>;
