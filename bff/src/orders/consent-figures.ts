import type { AmountQuote } from "../contract/quote.ts";
import { formatClp } from "../contract/vocabulary/clp.ts";
import type { Locale } from "../contract/widget-tokens.ts";
import { dayInWords } from "../notifications/day-in-words.ts";
import type { ConsentFigures } from "../patients/consent-texts.ts";

/** The figures of a quote that the texts of a payment show. */
export function consentFigures(
  quote: Pick<AmountQuote, "today" | "later_charge" | "latest_due_date">,
  locale: Locale,
): ConsentFigures {
  return {
    today: formatClp(quote.today),
    later_charge: formatClp(quote.later_charge),
    latest_date: dayInWords(quote.latest_due_date, locale),
  };
}
