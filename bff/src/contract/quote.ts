import * as z from "zod/mini";
import { calendarDaySchema } from "./vocabulary/calendar-day.ts";
import { clp, clpSchema } from "./vocabulary/clp.ts";
import { commissionRegimeSchema } from "./vocabulary/commission-tax.ts";
import { legalTextNameSchema } from "./vocabulary/legal-text.ts";

/** Identifies the quote that the patient saw and accepts. */
export const quoteHashSchema = z.string().check(z.regex(/^[0-9a-f]{64}$/));

const offerFields = {
  total: clpSchema,
  today: clpSchema,
  later: clpSchema,
  commission: clpSchema,
  commission_percentage: z.number(),
  /** Absent from quotes stored before the field existed. */
  commission_regime: z.optional(commissionRegimeSchema),
  /** The amount charged later: the deferred part and the commission. */
  later_charge: clpSchema,
  /** Everything that the patient pays, commission included. */
  total_cost: clpSchema,
  /** Carga anual equivalente, in percent with two decimals, if the later charge is made on its latest date. */
  annual_cost_percentage: z.number(),
  latest_due_date: calendarDaySchema,
  financing_provider: z.string(),
  /** The triggers. The first one to occur collects the later charge. */
  triggers: z.object({ approval: z.literal(true), access_blocked_days: z.int(), latest_day: z.int() }),
};

/** Response of `GET /api/quote`: what an amount would cost now. */
export const amountQuoteSchema = z.object(offerFields);
export type AmountQuote = z.infer<typeof amountQuoteSchema>;

/** An amount in a query: digits only. */
export const quotedAmountSchema = z.pipe(
  z.string().check(z.regex(/^\d{1,9}$/, "must be an integer amount of pesos, digits only")),
  z.transform((text: string) => clp(Number(text))),
);

/** The whole offer in pesos. It is stored as it was shown when the patient accepted it. */
export const quoteSchema = z.object({
  ...offerFields,
  /** The texts that are agreed to with it; see `GET /orders/{hash}/agreement`. */
  texts: z.array(legalTextNameSchema),
  /** The hash of all fields above. */
  sha256: quoteHashSchema,
});
export type Quote = z.infer<typeof quoteSchema>;
