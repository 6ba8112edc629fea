import { createHash } from "node:crypto";
import type { Quote } from "../contract/quote.ts";
import type { LegalTextName } from "../contract/vocabulary/legal-text.ts";
import { type Offer, quoteFor } from "./quote.ts";

/**
 * The quote as shown, with the texts accepted with it, named by the hash of its whole content. A payment refers to this
 * hash.
 */
export function shownQuote(offer: Offer, texts: readonly LegalTextName[]): Quote {
  const quote = { ...quoteFor(offer), texts: texts.map(({ kind, version }) => ({ kind, version })) };
  return { ...quote, sha256: createHash("sha256").update(JSON.stringify(quote)).digest("hex") };
}
