import { createHash } from "node:crypto";
import type { Quote } from "../../contract/quote.ts";
import { type Offer, quoteFor } from "./quote.ts";

/** The quote as it is shown, named by the hash of all that it says: a payment names by it what the patient saw. */
export function shownQuote(offer: Offer): Quote {
  const quote = quoteFor(offer);
  return { ...quote, sha256: createHash("sha256").update(JSON.stringify(quote)).digest("hex") };
}
