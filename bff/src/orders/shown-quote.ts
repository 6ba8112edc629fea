import { createHash } from "node:crypto";
import type { Quote } from "../contract/quote.ts";
import type { LegalTextName } from "../contract/vocabulary/legal-text.ts";
import { type Offer, quoteFor } from "./quote.ts";

/**
 * The quote as it is shown, with the texts that are agreed to with it, named by the hash of all that it says: a payment
 * names by it what the patient saw.
 */
export function shownQuote(offer: Offer, texts: readonly LegalTextName[]): Quote {
  const quote = { ...quoteFor(offer), texts: texts.map(({ kind, version }) => ({ kind, version })) };
  return { ...quote, sha256: createHash("sha256").update(JSON.stringify(quote)).digest("hex") };
}
