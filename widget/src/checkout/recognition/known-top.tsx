import type { Quote } from "bff/contract/quote";
import { ScreenTitle } from "../../design/screen-title.tsx";
import { useWords } from "../../words/words-context.tsx";
import { PaymentCharges } from "../review/payment-charges.tsx";

/** The first text for a known patient. It stays in place when the payment replaces the code below. */
export function KnownTop({ quote }: { readonly quote: Quote }) {
  const words = useWords();
  return (
    <>
      <ScreenTitle title={words.summary.knownTitle} />
      <PaymentCharges quote={quote} />
    </>
  );
}
