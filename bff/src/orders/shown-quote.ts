import { createHash } from "node:crypto";
import type { AmountQuote, Quote } from "../contract/quote.ts";
import { formatClp } from "../contract/vocabulary/clp.ts";
import type { LegalTextName } from "../contract/vocabulary/legal-text.ts";
import type { Locale } from "../contract/widget-tokens.ts";
import type { ConsentFigures } from "../patients/consent-texts.ts";
import { dayInWords } from "../platform/day-in-words.ts";
import { type Offer, quoteFor } from "./quote.ts";

/**
 * The quote as shown, with the texts accepted with it, named by the hash of its whole content. A payment refers to this
 * hash.
 */
export function shownQuote(offer: Offer, texts: readonly LegalTextName[]): Quote {
  const quote = { ...quoteFor(offer), texts: texts.map(({ kind, version }) => ({ kind, version })) };
  return { ...quote, sha256: createHash("sha256").update(JSON.stringify(quote)).digest("hex") };
}

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
